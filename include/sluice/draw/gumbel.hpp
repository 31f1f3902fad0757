#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <sluice/draw/weight.hpp>
#include <sluice/random.hpp>
#include <sluice/row.hpp>

namespace sluice::inline v1::inline SLUICE_ISA::draw {

SLUICE_STRICT_BEGIN

/// The survivor with the largest score, (l - ref) / T plus Gumbel noise, has the law of softmax(l / T)
/// (Gumbel-max). The noise belongs to (seed, position, token) alone, so the winner among some survivors is
/// the same however they were found.
class gumbel_max {
 public:
  gumbel_max(row& r, random::source from) noexcept
      : row_(r),
        from_(from),
        reference_(double(r.reference())),
        inverse_(1.0 / r.temperature()),
        log_factor_(r.discount_probability() > 0 ? weights(r).log_factor() : 0) {}

  /// The winner among the survivors that rank before `limit` (0: all); 0 where there are none.
  /// A block's best possible score is known without its tokens: its maximum with its smallest exponential.
  /// Blocks are opened best first, until the best score found beats every bound that is left. The slack of
  /// 2^-30 stands inside the noise term, where rounding is monotone: bound >= score at every magnitude.
  kernel::rank_key winner(kernel::rank_key limit = 0) noexcept {
    best_ = {};
    const float least = limit != 0 ? kernel::logit_of(limit) : row_.floor();
    auto* const doors = reinterpret_cast<door*>(row_.scratch());
    std::size_t count = 0;
    for (const kernel::block& block : row_.blocks()) {
      if (!(block.max >= row_.floor()) || block.max < least) continue;
      const auto number = std::uint32_t(block.first) / std::uint32_t(random::block_size);
      const random::head head = random::noise_head(from_, number);
      const double noise = random::gumbel(head.smallest);
      doors[count++] = {height(block.max) + (noise + slack), head.smallest, &block, head.place};
      try_smallest(block, head.place, noise, limit);
    }
    const auto lower = [](const door& a, const door& b) { return a.bound < b.bound; };
    std::make_heap(doors, doors + count, lower);
    for (; count != 0 && doors[0].bound >= best_.score; --count) {
      open(doors[0], limit);
      std::pop_heap(doors, doors + count, lower);
    }
    return best_.key;
  }

  /// The definition: every survivor's score. The reference that `winner` is tested against.
  kernel::rank_key full_winner(kernel::rank_key limit = 0) noexcept {
    best_ = {};
    row_.each(
        [&](token_id id, float logit) { offer(id, logit, random::noise(from_, std::uint32_t(id)), limit); });
    return best_.key;
  }

 private:
  static constexpr double slack = 0x1p-30;

  struct scored {
    double score = -kernel::infinity;
    kernel::rank_key key = 0;
  };
  struct door {
    double bound, smallest;
    const kernel::block* block;
    std::uint32_t place;
  };
  static_assert(sizeof(door) <= 32);

  double height(float logit) const noexcept { return (double(logit) - reference_) * inverse_; }

  void offer(token_id id, float logit, double noise, kernel::rank_key limit) noexcept {
    const kernel::rank_key key = kernel::key_of(logit, id);
    if (key <= limit) return;
    double score = height(logit) + noise;
    if (row_.discounted(id)) score += log_factor_;
    if (score > best_.score || (score == best_.score && key > best_.key)) best_ = {score, key};
  }

  /// The token that has its block's smallest exponential, if it is there.
  void try_smallest(const kernel::block& block, std::uint32_t place, double noise,
                    kernel::rank_key limit) noexcept {
    std::size_t i = place;
    if (block.ids != nullptr) {
      const token_id id = block.first + token_id(place);
      i = std::size_t(std::lower_bound(block.ids, block.ids + block.count, id) - block.ids);
      if (i < block.count && block.ids[i] != id) return;
    }
    if (i < block.count && block.logits[i] >= row_.floor()) offer(block.id(i), block.logits[i], noise, limit);
  }

  void open(const door& d, kernel::rank_key limit) noexcept {
    const double noise_bound = random::gumbel(d.smallest) + slack;
    for (std::uint32_t i = 0; i < d.block->count; ++i) {
      const float logit = d.block->logits[i];
      if (!(logit >= row_.floor()) || !(height(logit) + noise_bound >= best_.score)) continue;
      const token_id id = d.block->id(i);
      if (std::uint32_t(id - d.block->first) == d.place) continue;
      offer(id, logit, random::gumbel(d.smallest + random::noise_tail(from_, std::uint32_t(id))), limit);
    }
  }

  row& row_;
  random::source from_;
  double reference_, inverse_, log_factor_;
  scored best_;
};

SLUICE_STRICT_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::draw

namespace sluice::inline v1 {

/// Draws by Gumbel-max: the survivor with the largest score (l - ref) / T + g(token), where g is independent
/// standard Gumbel noise, a pure function of (seed, position, token), and ref the row's maximum before the
/// filters. The default. Equal scores fall to the token that ranks first.
/// Cost: one noise value for each 256 tokens, and the blocks that can still win.
struct gumbel {
  static constexpr place where = place::draw;
  token_id operator()(row& r, const sequence& q) const noexcept {
    return kernel::id_of(draw::gumbel_max(r, {q.seed(), q.position()}).winner());
  }
};

}  // namespace sluice::inline v1
