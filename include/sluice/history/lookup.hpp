#pragma once

// What came next before: a draft from the history, for speculation (prompt lookup). It reads the links that
// DRY keeps, and builds them where nobody has.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/history/links.hpp>
#include <sluice/history/storage.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::detail::inline SLUICE_ISA {

/// The newest places where the longest match ends, and how many of the tokens that follow them are the same.
class followers {
 public:
  followers(const history& h, std::size_t wanted, std::uint32_t least, std::uint32_t votes) noexcept
      : tokens_(h.tokens.data()),
        size_(h.tokens.size()),
        wanted_(std::uint32_t(std::min<std::size_t>(wanted, h.tokens.size()))),
        votes_(votes),
        best_(least) {}

  /// A match of `length` tokens ends at `end`, which lies before all that were added.
  void add(std::uint32_t end, std::uint32_t length) noexcept {
    if (length < best_ || (length == best_ && decided())) return;
    if (length > best_ || places_ == 0) {
      best_ = length;
      places_ = 1;
      next_ = end + 1;
      same_ = std::min(wanted_, size_ - next_);
      return;
    }
    ++places_;
    std::uint32_t same = 0;
    while (same < same_ && tokens_[next_ + same] == tokens_[end + 1 + same]) ++same;
    same_ = same;
  }

  bool none() const noexcept { return places_ == 0; }
  /// The longest match so far, or the shortest that counts.
  std::uint32_t best() const noexcept { return best_; }
  /// Whether one more match of that length would change nothing.
  bool decided() const noexcept { return places_ >= votes_; }
  /// Whether that match is the longest, and no other is as long.
  bool is_alone(std::uint32_t end) const noexcept { return places_ == 1 && next_ == end + 1; }

  std::span<const token_id> agreed() const noexcept {
    return {tokens_ + next_, decided() ? same_ : std::size_t{0}};
  }

 private:
  const token_id* tokens_;
  std::uint32_t size_, wanted_, votes_;
  std::uint32_t best_, places_ = 0;
  std::uint32_t next_ = 0, same_ = 0;  // what follows the newest place, and how far all agree with it
};

/// Adds the earlier ends of the last `Order` tokens, from the newest to the oldest, each with the length of
/// its match with the end of the history, at most `most`; where a run or a period cannot change the answer it
/// is passed over. The lengths and the periods are those of `walk_repeats`.
template <std::uint32_t Order, class Count>
void add_matches(const history& h, std::uint32_t most, followers& found, Count count) noexcept {
  const token_id* tokens = h.tokens.data();
  const link* links = h.index->links.links.data();
  const std::uint32_t newest = h.tokens.size() - 1;
  const auto match = [&](std::uint32_t length, std::uint32_t common, std::uint32_t end) noexcept {
    count(1);
    const std::uint32_t bound = std::min(most, end + 1);
    if (length == common && length < bound)
      return length + common_suffix(tokens, links, newest - length, end - length, bound - length, count);
    return std::min({length, common, bound});
  };

  std::uint32_t at = newest, length = most;
  while (links[at].previous >= found.best() && !(found.best() == most && found.decided())) {
    const std::uint32_t end = links[at].previous - 1;
    const std::uint32_t common = links[at].common, period = at - end;
    const std::uint32_t here = match(length, common, end);
    found.add(end, here);
    const std::uint32_t shift = newest - end;
    if (here / 4 >= shift && here < most && (found.decided() || found.is_alone(end))) {
      // The end of the history has the period `shift`. Before the last two periods every end stands whole
      // periods before one that was added, and its match is no longer; whole periods before this one,
      // shorter.
      const std::uint32_t passed = (here / shift - 2) * shift;
      at = end - passed;
      length = here - passed;
      continue;
    }
    if (common < 8 * period || (here == found.best() && !found.decided())) {
      at = end;
      length = here;
      continue;
    }
    // A run: its ends at - k period, k = 1 .. count, have common suffixes common - (k - 1) period with `at`,
    // and the match is the smaller of that and `length`, which only falls; longer only where the two are
    // equal.
    const std::uint32_t ends = (common - Order) / period + 1;
    const std::uint32_t last = at - ends * period;
    if (common > length && (common - length) % period == 0) {
      const std::uint32_t k = (common - length) / period + 1;
      const std::uint32_t equal = at - k * period;
      if (k < ends) found.add(equal, match(length, length, equal));
    }
    length = match(length, common - (ends - 1) * period, last);
    found.add(last, length);
    at = last;
  }
}

/// Copies to `out` the tokens that followed the newest place where the longest suffix of the history, of
/// `least` to `most` tokens, stands earlier; while the newest `votes` such places agree. Returns how many; 0
/// where memory ran out.
template <class Count = no_count>
SLUICE_NEVER_INLINE std::size_t find_continuation(history& h, std::span<token_id> out, std::uint32_t least,
                                                  std::uint32_t most, std::uint32_t votes,
                                                  Count count = {}) noexcept {
  const std::uint32_t size = h.tokens.size();
  if (out.empty() || most < least || size <= least || !h.index.make()) return 0;
  // Links of either order serve; where DRY has some they stay as they are.
  const std::uint32_t order = h.index->links.order != 0 ? h.index->links.order : least == 1 ? 1 : 2;
  if (!(order == 1 ? update_links<1>(h, count) : update_links<2>(h, count))) return 0;
  followers found(h, out.size(), std::max(least, order), votes);
  if (order == 1) {
    add_matches<1>(h, most, found, count);
  } else if (most >= 2) {
    add_matches<2>(h, most, found, count);
  }
  if (order == 2 && least == 1 && found.none()) {
    found = followers(h, out.size(), 1, votes);
    for (std::uint32_t end = size - 1; end-- > 0 && !found.decided();) {
      count(1);
      if (h.tokens[end] == h.tokens[size - 1]) found.add(end, 1);
    }
  }
  const std::span<const token_id> agreed = found.agreed();
  std::copy(agreed.begin(), agreed.end(), out.begin());
  return agreed.size();
}

}  // namespace sluice::inline v1::detail::inline SLUICE_ISA

#include <sluice/macros_back.inc>
