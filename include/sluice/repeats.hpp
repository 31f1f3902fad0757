#pragma once

// What would be repeated: for DRY, the tokens that followed earlier occurrences of the history's own end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include <sluice/history/breakers.hpp>
#include <sluice/history/links.hpp>
#include <sluice/sequence.hpp>

namespace sluice::inline v1::inline SLUICE_ISA::past {

/// Where the window of the last `last_n` tokens begins; negative: all tokens.
inline std::uint32_t window_begin(std::uint32_t size, int last_n) noexcept {
  const auto wanted = static_cast<std::uint32_t>(last_n);
  return last_n < 0 || wanted >= size ? 0 : size - wanted;
}

inline bool make_index(detail::history& past) noexcept {
  if (past.index == nullptr) past.index = new (std::nothrow) detail::history_index;
  return past.index != nullptr;
}

/// Everything that a search reads, up to the newest token.
inline bool follow_repeats(detail::history& past, const dry_rules& rules) noexcept {
  return make_index(past) && (rules.allowed == 1 ? follow<1>(past) : follow<2>(past)) &&
         (rules.breakers.empty() || follow_breakers(past, rules));
}

/// As many matches as `suffix_walk` remembers: those less than 3 apart are in one run.
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

  /// The end of the history has a period of `newest - end` tokens, and so has the text of `length` tokens
  /// before `end`. All of it but the last two periods is passed over; the matches that the first period held
  /// are remembered for each of the others. Returns how far to go back.
  std::uint32_t pass(std::uint32_t end, std::uint32_t length) noexcept {
    const std::uint32_t period = newest_ - end, passed = (length / period - 2) * period;
    auto& seen = scratch_.stretches;
    const std::uint32_t first = seen.size();
    if (first == 0) return passed;
    for (std::uint32_t back = period; back < passed && seen.capacity() - seen.size() >= first; back += period)
      for (std::uint32_t i = 0; i < first; ++i) {
        const detail::stretch s = seen[i];
        if (s.end == end)
          seen.push_back({end - back, length - back});
        else if (s.length < period)
          seen.push_back({s.end - back, s.length});
      }
    return passed;
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
    auto& seen = scratch_.stretches;
    if (length - before >= 8 && (seen.size() < seen.capacity() || seen.try_reserve(most_stretches_)))
      seen.push_back({end, length});
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
  token_repeat known[16] = {};  // by the token's low bits: most matches are no news
  const auto record = [&](std::uint32_t end, std::uint32_t length) noexcept {
    const token_id token = tokens[end + 1];
    token_repeat& last = known[static_cast<std::uint32_t>(token) % 16];
    if (length < rules.allowed || (last.token == token && last.length >= length)) return true;
    token_repeat* entry = maps::insert(scratch.longest, token);
    if (entry == nullptr) return false;
    entry->length = std::max(entry->length, length);
    last = *entry;
    return true;
  };

  const std::uint32_t oldest = first + rules.allowed - 1;
  const std::uint32_t newest = past.tokens.size() - 1;
  std::uint32_t at = newest;
  std::uint32_t length = walk.bound(at);
  while (links[at].previous > oldest) {
    const std::uint32_t end = links[at].previous - 1;
    const std::uint32_t common = links[at].common, period = at - end;
    const std::uint32_t here = walk.match(length, common, end);
    if (!record(end, here)) return false;
    const std::uint32_t shift = newest - end;
    if (here / 4 >= shift && here < limit) {
      // The end of the history has the period `shift`, and each end before this one stands whole periods
      // before one that was seen, with the same token after it. Its match is no longer: it ends where the
      // other's does or, by the theorem of Fine and Wilf, at the latest where the period does. So but for the
      // last periods, which meet the text before, there is no news.
      const std::uint32_t passed = walk.pass(end, here);
      at = end - passed;
      length = here - passed;
      continue;
    }
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
SLUICE_NEVER_INLINE bool repeats(sequence& of, const dry_rules& rules, detail::repeat_scratch& scratch,
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
SLUICE_NEVER_INLINE bool prepare_repeats(sequence& of, const dry_rules& rules,
                                         detail::repeat_scratch& scratch, std::size_t vocab_size) noexcept {
  detail::history& past = detail::history::of(of);
  const std::size_t capacity = past.tokens.capacity();
  return follow_repeats(past, rules) && maps::reserve(scratch.longest, std::min(capacity, vocab_size)) &&
         scratch.stretches.try_reserve(most_stretches(capacity));
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::past
