#pragma once

// What would be repeated: for DRY, the tokens that followed earlier occurrences of the history's own end.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <sluice/sequence.hpp>

namespace sluice::inline v1 {

/// What counts as a repetition: made once, in the chain.
struct dry_rules {
  struct breaker {
    token_id last = no_token;
    std::uint32_t length = 0, begin = 0;  // of its tokens
  };

  std::uint32_t allowed = 2;  // the shortest match that counts, at least 1
  int last_n = -1;
  std::vector<breaker> breakers = {};  // by last token, then length
  std::vector<token_id> tokens = {};
  std::uint64_t key[2] = {0, 0};  // says which breakers these are
};

}  // namespace sluice::inline v1

namespace sluice::inline v1::inline SLUICE_ISA::past {

/// An empty breaker breaks nothing.
inline dry_rules make_dry_rules(int allowed, int last_n, std::span<const std::vector<token_id>> breakers) {
  std::vector<const std::vector<token_id>*> sorted;
  for (const auto& breaker : breakers)
    if (!breaker.empty()) sorted.push_back(&breaker);
  const auto before = [](const auto* a, const auto* b) {
    if (a->back() != b->back()) return a->back() < b->back();
    if (a->size() != b->size()) return a->size() < b->size();
    return *a < *b;
  };
  std::sort(sorted.begin(), sorted.end(), before);
  const auto same = [](const auto* a, const auto* b) { return *a == *b; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());

  dry_rules rules;
  rules.allowed = allowed < 1 ? 1 : static_cast<std::uint32_t>(allowed);
  rules.last_n = last_n;
  rules.key[0] = 1;
  const auto mix = [&rules](std::uint64_t word) {
    rules.key[0] = std::rotl((rules.key[0] ^ word) * 0x9E3779B97F4A7C15u, 29);
    rules.key[1] = std::rotl((rules.key[1] + word) * 0xD6E8FEB86659FD93u, 31) ^ rules.key[0];
  };
  for (const auto* breaker : sorted) {
    rules.breakers.push_back({breaker->back(), static_cast<std::uint32_t>(breaker->size()),
                              static_cast<std::uint32_t>(rules.tokens.size())});
    rules.tokens.insert(rules.tokens.end(), breaker->begin(), breaker->end());
    mix(breaker->size());
    for (token_id token : *breaker) mix(static_cast<std::uint32_t>(token));
  }
  return rules;
}

/// Where the window of the last `last_n` tokens begins; negative: all tokens.
inline std::uint32_t window_begin(std::uint32_t size, int last_n) noexcept {
  const auto wanted = static_cast<std::uint32_t>(last_n);
  return last_n < 0 || wanted >= size ? 0 : size - wanted;
}

inline bool make_index(detail::history& past) noexcept {
  if (past.index == nullptr) past.index = new (std::nothrow) detail::history_index;
  return past.index != nullptr;
}

inline const dry_rules::breaker* first_breaker(const dry_rules& rules, token_id last) noexcept {
  const auto before = [](const dry_rules::breaker& b, token_id token) { return b.last < token; };
  const auto* begin = rules.breakers.data();
  return std::lower_bound(begin, begin + rules.breakers.size(), last, before);
}

inline bool is_single_breaker(const dry_rules& rules, token_id token) noexcept {
  const auto* breaker = first_breaker(rules, token);
  return breaker != rules.breakers.data() + rules.breakers.size() && breaker->last == token &&
         breaker->length == 1;
}

/// The length of the shortest breaker that ends at a position, 0 where none does.
inline std::uint32_t breaker_length(const dry_rules& rules, const token_id* tokens,
                                    std::uint32_t end) noexcept {
  const auto* stop = rules.breakers.data() + rules.breakers.size();
  for (const auto* b = first_breaker(rules, tokens[end]); b != stop && b->last == tokens[end]; ++b) {
    if (b->length > end + 1) return 0;
    const token_id* begin = rules.tokens.data() + b->begin;
    if (std::equal(begin, begin + b->length, tokens + (end + 1 - b->length))) return b->length;
  }
  return 0;
}

/// The newest position below `end` at which a breaker ends, + 1; 0 where there is none.
inline std::uint32_t breaker_before(const detail::breaker_index& index, std::uint32_t end) noexcept {
  std::uint32_t word = end / 64;
  std::uint64_t bits = end % 64 == 0 ? 0 : index.bits[word] & ((std::uint64_t{1} << end % 64) - 1);
  while (bits == 0) {
    if (word == 0) return 0;
    bits = index.bits[--word];
  }
  return word * 64 + static_cast<std::uint32_t>(std::bit_width(bits));
}

inline std::size_t breaker_words(std::size_t positions) noexcept { return positions / 64 + 1; }

/// Looks at the positions that are new, or at all where the breakers are others than before.
inline bool follow_breakers(detail::history& past, const dry_rules& rules) noexcept {
  detail::breaker_index& index = past.index->breakers;
  const std::uint32_t size = past.tokens.size();
  if (!std::equal(rules.key, rules.key + 2, index.key)) {
    std::copy(rules.key, rules.key + 2, index.key);
    index.scanned = index.last = 0;
  }
  if (!index.bits.try_reserve(breaker_words(past.tokens.capacity()))) return false;
  index.bits.resize(static_cast<std::uint32_t>(breaker_words(size)));
  for (std::uint32_t& i = index.scanned; i < size; ++i) {
    std::uint64_t& word = index.bits[i / 64];
    const std::uint64_t bit = std::uint64_t{1} << i % 64;
    const bool ends = breaker_length(rules, past.tokens.data(), i) > 0;
    word = (i % 64 == 0 ? 0 : word & ~bit) | (ends ? bit : 0);
    if (ends) index.last = i + 1;
  }
  return true;
}

inline void forget_breakers(detail::history& past, std::uint32_t size) noexcept {
  detail::breaker_index& index = past.index->breakers;
  index.scanned = std::min(index.scanned, size);
  if (index.last > size) index.last = breaker_before(index, size);
}

/// The fewest tokens that follow a breaker which begins at `first` or later; all of them where there is none.
/// A breaker that is cut by the window's edge is none, so an older and shorter one may count.
inline std::uint32_t unbroken(const detail::history& past, const dry_rules& rules,
                              std::uint32_t first) noexcept {
  const detail::breaker_index& index = past.index->breakers;
  for (std::uint32_t end = index.last; end > first; end = breaker_before(index, end - 1))
    if (end >= first + breaker_length(rules, past.tokens.data(), end - 1)) return past.tokens.size() - end;
  return past.tokens.size() - first;
}

/// The length of the longest common suffix of the positions a > b, at most `most`; where b is what a is
/// linked to, the rest is known.
inline std::uint32_t common_suffix(const token_id* tokens, const detail::link* links, std::uint32_t a,
                                   std::uint32_t b, std::uint32_t most) noexcept {
  std::uint32_t length = 0;
  for (; length < most && tokens[a - length] == tokens[b - length]; ++length)
    if (links[a - length].previous == b - length + 1)
      return std::min(most, length + links[a - length].common);
  return length;
}

/// The slot of the tokens that end at a position, or the free one where they belong.
template <std::uint32_t Order>
std::uint32_t slot_of(const detail::repeat_index& index, const token_id* tokens, std::uint32_t at) noexcept {
  std::uint64_t key = static_cast<std::uint32_t>(tokens[at]);
  if constexpr (Order == 2) key |= std::uint64_t{static_cast<std::uint32_t>(tokens[at - 1])} << 32;
  key *= 0x9E3779B97F4A7C15u;
  key = (key ^ key >> 32) * 0xD6E8FEB86659FD93u;
  const std::uint32_t size = index.newest.size();
  std::uint32_t slot = maps::home(static_cast<std::uint32_t>(key >> 32), size);
  for (;;) {
    const std::uint32_t found = index.newest[slot];
    if (found == 0) return slot;
    if (tokens[found - 1] == tokens[at] && (Order == 1 || tokens[found - 2] == tokens[at - 1])) return slot;
    if (++slot == size) slot = 0;
  }
}

/// Memory for as many positions as there is for tokens. What is indexed enters a larger table in its old
/// order: whatever is undone then still came last.
template <std::uint32_t Order>
bool widen(detail::history& past) noexcept {
  detail::repeat_index& index = past.index->repeats;
  const std::size_t slots = maps::slots_for(past.tokens.capacity());
  if (!index.links.try_reserve(past.tokens.capacity())) return false;
  if (index.newest.size() >= slots) return true;
  if (!index.newest.try_reserve(slots)) return false;
  index.newest.resize(static_cast<std::uint32_t>(slots));
  std::memset(index.newest.data(), 0, slots * sizeof(std::uint32_t));
  for (std::uint32_t at = Order - 1; at < index.links.size(); ++at)
    index.newest[slot_of<Order>(index, past.tokens.data(), at)] = at + 1;
  return true;
}

/// Links the positions that are new.
template <std::uint32_t Order>
SLUICE_BODY bool follow(detail::history& past) noexcept {
  detail::repeat_index& index = past.index->repeats;
  if (index.order != Order) {
    index.order = Order;
    index.links.resize(0);
    index.newest.resize(0);
  }
  if (!widen<Order>(past)) return false;
  const token_id* tokens = past.tokens.data();
  detail::link* links = index.links.data();
  std::uint32_t at = index.links.size();
  if (Order == 2 && at == 0 && past.tokens.size() > 0) links[at++] = {};
  for (; at < past.tokens.size(); ++at) {
    std::uint32_t& newest = index.newest[slot_of<Order>(index, tokens, at)];
    const std::uint32_t previous = newest;
    newest = at + 1;
    if (previous == 0)
      links[at] = {};
    else if (at > 0 && links[at - 1].previous + 1 == previous)
      links[at] = {previous, links[at - 1].common + 1};
    else
      links[at] = {previous,
                   Order + common_suffix(tokens, links, at - Order, previous - 1 - Order, previous - Order)};
  }
  index.links.resize(at);
  return true;
}

/// Takes back the links from `size` on, the newest first.
template <std::uint32_t Order>
void unlink(detail::history& past, std::uint32_t size) noexcept {
  detail::repeat_index& index = past.index->repeats;
  for (std::uint32_t at = index.links.size(); at > size;)
    if (--at + 1 >= Order)
      index.newest[slot_of<Order>(index, past.tokens.data(), at)] = index.links[at].previous;
  if (size < index.links.size()) index.links.resize(size);
}

/// Everything that a search reads, up to the newest token.
inline bool follow_repeats(detail::history& past, const dry_rules& rules) noexcept {
  return make_index(past) && (rules.allowed == 1 ? follow<1>(past) : follow<2>(past)) &&
         (rules.breakers.empty() || follow_breakers(past, rules));
}

/// Matches of 16 tokens and more that `suffix_walk` can compare: two of them less than 3 apart are in one
/// run.
inline std::size_t most_stretches(std::size_t positions) noexcept { return positions / 3 + 1; }

/// The ends of earlier occurrences of the history's last tokens, from the newest to the oldest, each with the
/// length L of its match with the end of the history. L is kept exact below `bound`, the most that counts
/// there; bounds only fall on the way, so what is capped once stays capped.
template <std::uint32_t Order>
class suffix_walk {
 public:
  suffix_walk(const detail::history& past, std::uint32_t first, std::uint32_t limit,
              detail::repeat_scratch& scratch) noexcept
      : tokens_(past.tokens.data()),
        links_(past.index->repeats.links.data()),
        newest_(past.tokens.size() - 1),
        first_(first),
        limit_(limit),
        most_stretches_(most_stretches(past.tokens.capacity())),
        scratch_(scratch) {
    scratch_.stretches.resize(0);
    for (std::uint32_t i = 0; i < 4; ++i)
      before_[i] = newest_ >= Order + i ? tokens_[newest_ - Order - i] : 0;
  }

  std::uint32_t bound(std::uint32_t end) const noexcept { return std::min(limit_, end - first_ + 1); }

  /// The match at `end`, which has a common suffix of `common` with another end, whose own match is `length`:
  /// the smaller of the two, or longer where they are equal.
  std::uint32_t match(std::uint32_t length, std::uint32_t common, std::uint32_t end) noexcept {
    const std::uint32_t most = bound(end);
    if (end >= Order + 3) {
      const std::uint32_t short_match = near(end);
      if (short_match < Order + 4) return std::min(short_match, most);
    }
    if (length == common && length < most) return extend(length, end, most);
    return std::min(std::min(length, common), most);
  }

 private:
  /// Most matches are short: the four tokens before the first `Order` are compared without a branch.
  std::uint32_t near(std::uint32_t end) const noexcept {
    const token_id* t = tokens_ + (end - Order);
    std::uint32_t same = t[0] == before_[0], length = Order + same;
    same &= t[-1] == before_[1];
    length += same;
    same &= t[-2] == before_[2];
    length += same;
    same &= t[-3] == before_[3];
    return length + same;
  }

  /// Comparing alone would cost the square of the history where long matches overlap. So the match that
  /// reaches back the farthest is kept, as in the Z algorithm: inside it the tokens are those at the end of
  /// the history, and a match there ends where its mirror image does. Whatever else is compared reaches back
  /// farther still.
  std::uint32_t extend(std::uint32_t length, std::uint32_t end, std::uint32_t most) noexcept {
    std::uint32_t known = length;
    if (end < box_end_ && end >= box_begin_ + length) {
      const std::uint32_t mirror = end + (newest_ - box_end_);
      const auto& seen = scratch_.stretches;
      while (cursor_ < seen.size() && seen[cursor_].end > mirror) ++cursor_;
      if (cursor_ < seen.size() && seen[cursor_].end == mirror) {
        const std::uint32_t inside = end - box_begin_ + 1;
        if (seen[cursor_].length < inside) return keep(end, std::min(seen[cursor_].length, most), length);
        known = inside;
      }
    }
    if (known < most) known += common_suffix(tokens_, links_, newest_ - known, end - known, most - known);
    known = std::min(known, most);
    if (end + 1 - known < box_begin_) {
      box_end_ = end;
      box_begin_ = end + 1 - known;
      cursor_ = 0;
    }
    return keep(end, known, length);
  }

  /// Remembers a match that took long to compare. Without the memory to do so the walk is only slower.
  std::uint32_t keep(std::uint32_t end, std::uint32_t length, std::uint32_t before) noexcept {
    if (length - before >= 16) {
      auto& seen = scratch_.stretches;
      if (seen.size() < seen.capacity() || seen.try_reserve(most_stretches_)) seen.push_back({end, length});
    }
    return length;
  }

  const token_id* tokens_;
  const detail::link* links_;
  std::uint32_t newest_, first_, limit_;
  std::size_t most_stretches_;
  token_id before_[4];
  detail::repeat_scratch& scratch_;
  std::uint32_t box_end_ = 0, box_begin_ = ~std::uint32_t{0}, cursor_ = 0;
};

/// The longest match of every token that would go on with one of at least `rules.allowed` tokens.
template <std::uint32_t Order>
bool find_repeats(const detail::history& past, const dry_rules& rules, std::uint32_t first,
                  std::uint32_t limit, detail::repeat_scratch& scratch) noexcept {
  const token_id* tokens = past.tokens.data();
  const detail::link* links = past.index->repeats.links.data();
  suffix_walk<Order> walk(past, first, limit, scratch);
  token_repeat* entry = nullptr;
  const auto record = [&](std::uint32_t end, std::uint32_t length) noexcept {
    if (length < rules.allowed) return true;
    if (entry == nullptr || entry->token != tokens[end + 1])
      entry = maps::insert(scratch.longest, tokens[end + 1]);
    if (entry == nullptr) return false;
    entry->length = std::max(entry->length, length);
    return true;
  };

  const std::uint32_t oldest = first + rules.allowed - 1;
  std::uint32_t at = past.tokens.size() - 1;
  std::uint32_t length = walk.bound(at);
  while (links[at].previous > oldest) {
    const std::uint32_t end = links[at].previous - 1;
    const std::uint32_t common = links[at].common, period = at - end;
    const std::uint32_t here = walk.match(length, common, end);
    if (!record(end, here)) return false;
    if (common < 8 * period) {
      at = end;
      length = here;
      continue;
    }
    // A run: the text before `at` has this period, so the ends at - k period, k = 1 .. count, are linked to
    // one another, the same token follows them, and their common suffix with `at` is common - (k - 1) period.
    // The match is the smaller of that and `length`, which only falls; but where the two are equal it may be
    // longer. So two ends decide, and the walk goes on from the last.
    const std::uint32_t count = (common - Order) / period + 1;
    const std::uint32_t last = at - count * period;
    if (common > length && (common - length) % period == 0) {
      const std::uint32_t k = (common - length) / period + 1;
      const std::uint32_t equal = at - k * period;
      if (k < count && equal >= oldest && !record(equal, walk.match(length, length, equal))) return false;
    }
    if (last < oldest) break;
    length = walk.match(length, common - (count - 1) * period, last);
    if (!record(last, length)) return false;
    at = last;
  }
  return true;
}
/// The tokens that would continue a repetition, each with the longest match that it would continue, at least
/// `rules.allowed`; single-token breakers are left out. False where memory ran out.
SLUICE_BODY bool repeats(sequence& of, const dry_rules& rules, detail::repeat_scratch& scratch,
                         std::span<const token_repeat>& found) noexcept {
  found = {};
  detail::history& past = detail::history::of(of);
  const std::uint32_t size = past.tokens.size();
  const std::uint32_t first = window_begin(size, rules.last_n);
  if (size - first <= rules.allowed) return true;
  if (!follow_repeats(past, rules)) return false;
  const std::uint32_t limit = rules.breakers.empty() ? size - first : unbroken(past, rules, first);
  if (limit < rules.allowed) return true;

  maps::clear(scratch.longest);
  const bool complete = rules.allowed == 1 ? find_repeats<1>(past, rules, first, limit, scratch)
                                           : find_repeats<2>(past, rules, first, limit, scratch);
  if (!complete) return false;
  auto& longest = scratch.longest.entries;
  if (!rules.breakers.empty()) {
    const auto breaks = [&rules](const token_repeat& r) { return is_single_breaker(rules, r.token); };
    longest.resize(
        static_cast<std::uint32_t>(std::remove_if(longest.begin(), longest.end(), breaks) - longest.begin()));
  }
  found = {longest.data(), longest.size()};
  return true;
}

/// Reads the history ahead and gets the memory that `repeats` may need while the sequence stays within its
/// capacity and tokens are below `vocab_size`; false where there is none.
SLUICE_BODY bool prepare_repeats(sequence& of, const dry_rules& rules, detail::repeat_scratch& scratch,
                                 std::size_t vocab_size) noexcept {
  detail::history& past = detail::history::of(of);
  const std::size_t capacity = past.tokens.capacity();
  return follow_repeats(past, rules) && maps::reserve(scratch.longest, std::min(capacity, vocab_size)) &&
         scratch.stretches.try_reserve(most_stretches(capacity));
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::past
