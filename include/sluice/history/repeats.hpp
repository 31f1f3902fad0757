#pragma once

// What would be repeated: for DRY, the tokens that followed earlier occurrences of the history's own end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/history/breakers.hpp>
#include <sluice/history/dry_rules.hpp>
#include <sluice/history/links.hpp>
#include <sluice/history/storage.hpp>
#include <sluice/history/token_map.hpp>
#include <sluice/history/windows.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail::inline SLUICE_ISA {

/// Brings all that a search reads up to the newest token; false where memory ran out.
template <class Count = no_count>
bool update_repeats(history& h, const dry_rules& rules, Count count = {}) noexcept {
  return h.index.make() && (rules.allowed == 1 ? update_links<1>(h, count) : update_links<2>(h, count)) &&
         (rules.breakers.empty() || update_breakers(h, rules));
}

/// As many matches as `suffix_walk` keeps: those less than 3 apart are in one run.
inline std::size_t kept_at_most(std::size_t positions) noexcept { return positions / 3 + 1; }

/// The ends of earlier occurrences of the history's last `Order` tokens, from the newest to the oldest, each
/// with the length L of its match with the end of the history. L is kept exact below `bound`, the most that
/// counts there; bounds only fall on the way, so what is capped once stays capped.
template <std::uint32_t Order, class Count>
class suffix_walk {
 public:
  suffix_walk(const history& h, std::uint32_t first, std::uint32_t limit, repeat_scratch& scratch,
              Count count) noexcept
      : tokens_(h.tokens.data()),
        links_(h.index->links.links.data()),
        newest_(h.tokens.size() - 1),
        first_(first),
        limit_(limit),
        kept_at_most_(kept_at_most(h.tokens.capacity())),
        kept_(scratch.matches),
        count_(count) {
    kept_.resize(0);
    for (std::uint32_t i = 0; i < 4; ++i)
      before_[i] = newest_ >= Order + i ? tokens_[newest_ - Order - i] : 0;
  }

  std::uint32_t bound(std::uint32_t end) const noexcept { return std::min(limit_, end - first_ + 1); }

  /// The match at `end`, which has a common suffix of `common` with another end, whose own match is `length`:
  /// the smaller of the two, or longer where they are equal.
  std::uint32_t match(std::uint32_t length, std::uint32_t common, std::uint32_t end) noexcept {
    count_(1);
    const std::uint32_t most = bound(end);
    if (end >= Order + 3) {
      const std::uint32_t first_tokens = match_of_first_tokens(end);
      if (first_tokens < Order + 4) return std::min(first_tokens, most);
    }
    if (length == common && length < most) return extend(length, end, most);
    return std::min(std::min(length, common), most);
  }

  /// The end of the history has a period of `newest - end` tokens, and so has the text of `length` tokens
  /// before `end`. All of it but the last two periods is passed over; the matches that the first period held
  /// are kept for each of the others. Returns how far to go back.
  std::uint32_t pass_periods(std::uint32_t end, std::uint32_t length) noexcept {
    const std::uint32_t period = newest_ - end, passed = (length / period - 2) * period;
    const std::uint32_t first = kept_.size();
    if (first == 0) return passed;
    for (std::uint32_t back = period; back < passed && kept_.capacity() - kept_.size() >= first;
         back += period)
      for (std::uint32_t i = 0; i < first; ++i) {
        count_(1);
        const suffix_match m = kept_[i];
        if (m.end == end)
          kept_.push_back({end - back, length - back});
        else if (m.length < period)
          kept_.push_back({m.end - back, m.length});
      }
    return passed;
  }

 private:
  /// Most matches are short: the four tokens before the last `Order` are compared without a branch. Order + 4
  /// stands for that many or more.
  std::uint32_t match_of_first_tokens(std::uint32_t end) const noexcept {
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
  /// reaches back the farthest is kept (the box), as in the Z algorithm (Gusfield 1997): inside it the tokens
  /// are those at the end of the history, and a match there ends where its mirror image does. Whatever else
  /// is compared reaches back farther still.
  std::uint32_t extend(std::uint32_t length, std::uint32_t end, std::uint32_t most) noexcept {
    std::uint32_t known = length;
    if (end < box_end_ && end >= box_begin_ + length) {
      const std::uint32_t mirror = end + (newest_ - box_end_);
      for (; cursor_ < kept_.size() && kept_[cursor_].end > mirror; ++cursor_) count_(1);
      if (cursor_ < kept_.size() && kept_[cursor_].end == mirror) {
        const std::uint32_t inside = end - box_begin_ + 1;
        if (kept_[cursor_].length < inside) return keep(end, std::min(kept_[cursor_].length, most), length);
        known = inside;
      }
    }
    if (known < most)
      known += common_suffix(tokens_, links_, newest_ - known, end - known, most - known, count_);
    known = std::min(known, most);
    if (end + 1 - known < box_begin_) {
      box_end_ = end;
      box_begin_ = end + 1 - known;
      cursor_ = 0;
    }
    return keep(end, known, length);
  }

  /// Keeps a match that took long to compare. Without the memory to do so the walk is only slower.
  std::uint32_t keep(std::uint32_t end, std::uint32_t length, std::uint32_t before) noexcept {
    if (length - before >= 8 && (kept_.size() < kept_.capacity() || kept_.try_reserve(kept_at_most_)))
      kept_.push_back({end, length});
    return length;
  }

  const token_id* tokens_;
  const link* links_;
  std::uint32_t newest_, first_, limit_;
  std::size_t kept_at_most_;
  token_id before_[4];
  array<suffix_match>& kept_;
  [[no_unique_address]] Count count_;
  std::uint32_t box_end_ = 0, box_begin_ = ~std::uint32_t{0}, cursor_ = 0;
};

/// The longest match of every token that would go on with one of at least `rules.allowed` tokens, in
/// `scratch.longest`; false where memory ran out. `first` is where the window begins, `limit` the most that
/// breakers leave of a match.
template <std::uint32_t Order, class Count>
bool walk_repeats(const history& h, const dry_rules& rules, std::uint32_t first, std::uint32_t limit,
                  repeat_scratch& scratch, Count count) noexcept {
  const token_id* tokens = h.tokens.data();
  const link* links = h.index->links.links.data();
  suffix_walk<Order, Count> walk(h, first, limit, scratch, count);
  token_repeat known[16] = {};  // by the token's low bits: most matches are no longer than one before them
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
  const std::uint32_t newest = h.tokens.size() - 1;
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
      // other's does or, by the theorem of Fine and Wilf (1965), at the latest where the period does. So only
      // the last periods, which meet the text before, can hold a longer one.
      const std::uint32_t passed = walk.pass_periods(end, here);
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
    const std::uint32_t ends = (common - Order) / period + 1;
    const std::uint32_t last = at - ends * period;
    if (common > length && (common - length) % period == 0) {
      const std::uint32_t k = (common - length) / period + 1;
      const std::uint32_t equal = at - k * period;
      if (k < ends && equal >= oldest && !record(equal, walk.match(length, length, equal))) return false;
    }
    if (last < oldest) break;
    length = walk.match(length, common - (ends - 1) * period, last);
    if (!record(last, length)) return false;
    at = last;
  }
  return true;
}

/// The tokens that would continue a repetition, each with the longest match that it would continue, at least
/// `rules.allowed`; single-token breakers are left out. False where memory ran out. Lives in `scratch`.
template <class Count = no_count>
SLUICE_NEVER_INLINE bool find_repeats(history& h, const dry_rules& rules, repeat_scratch& scratch,
                                      std::span<const token_repeat>& found, Count count = {}) noexcept {
  found = {};
  const std::uint32_t size = h.tokens.size();
  const std::uint32_t first = window_begin(size, rules.last_n);
  if (size - first <= rules.allowed) return true;
  if (!update_repeats(h, rules, count)) return false;
  const std::uint32_t limit = rules.breakers.empty() ? size - first : tokens_after_breaker(h, rules, first);
  if (limit < rules.allowed) return true;

  maps::clear(scratch.longest);
  const bool complete = rules.allowed == 1 ? walk_repeats<1>(h, rules, first, limit, scratch, count)
                                           : walk_repeats<2>(h, rules, first, limit, scratch, count);
  if (!complete) return false;
  auto& longest = scratch.longest.entries;
  if (!rules.breakers.empty()) {
    const auto breaks = [&rules](const token_repeat& r) { return is_breaker(rules, r.token); };
    longest.resize(
        static_cast<std::uint32_t>(std::remove_if(longest.begin(), longest.end(), breaks) - longest.begin()));
  }
  found = {longest.data(), longest.size()};
  return true;
}

/// Reads the history ahead and gets the memory that `find_repeats` may need while the history stays within
/// its capacity and tokens are below `vocab_size`; false where there is none.
SLUICE_NEVER_INLINE bool prepare_repeats(history& h, const dry_rules& rules, repeat_scratch& scratch,
                                         std::size_t vocab_size) noexcept {
  const std::size_t capacity = h.tokens.capacity();
  return update_repeats(h, rules) && maps::reserve(scratch.longest, std::min(capacity, vocab_size)) &&
         scratch.matches.try_reserve(kept_at_most(capacity));
}

}  // namespace sluice::inline v1::detail::inline SLUICE_ISA

#include <sluice/macros_back.inc>
