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
  ///
  /// A block's best possible score is known without its tokens: its maximum with its smallest exponential. So
  /// the token that has that exponential is tried first in the block that promises most; then blocks are
  /// opened best first, until the best score found beats every bound that is left. The slack of 2^-30 stands
  /// inside the noise term, where rounding is monotone: bound >= score at every magnitude.
  [[gnu::noinline]] kernel::rank_key winner(kernel::rank_key limit = 0) noexcept {
    best_ = {};
    limit_ = limit;
    least_ = limit != 0 ? std::max(kernel::logit_of(limit), row_.floor()) : row_.floor();
    look_at_heads();
    const std::size_t promising = rank_doors();
    for (std::size_t d = 0; d < promising && doors_[d].bound >= best_.score; ++d) open(doors_[d].block);
    return best_.key;
  }

  /// The definition: every survivor's score. The reference that `winner` is tested against.
  kernel::rank_key full_winner(kernel::rank_key limit = 0) noexcept {
    best_ = {};
    limit_ = limit;
    row_.each([&](token_id id, float logit) { offer(id, logit, random::noise(from_, std::uint32_t(id))); });
    return best_.key;
  }

 private:
  static constexpr double slack = 0x1p-30;

  struct scored {
    double score = -kernel::infinity;
    kernel::rank_key key = 0;
  };
  struct door {
    double bound;
    const kernel::block* block;
  };

  double height(float logit) const noexcept { return (double(logit) - reference_) * inverse_; }

  void offer(token_id id, float logit, double noise) noexcept {
    const kernel::rank_key key = kernel::key_of(logit, id);
    if (key <= limit_) return;
    double score = height(logit) + noise;
    if (row_.discounted(id)) score += log_factor_;
    if (score > best_.score || (score == best_.score && key > best_.key)) best_ = {score, key};
  }

  std::uint32_t number(const kernel::block& block) const noexcept {
    return std::uint32_t(block.first) / std::uint32_t(random::block_size);
  }

  /// Rough heads of all blocks that hold a survivor, and the best token among those with a smallest
  /// exponential. Memory a block: number, bound, place (9 bytes), and later its door (16).
  [[gnu::noinline]] void look_at_heads() noexcept {
    const std::span<const kernel::block> blocks = row_.blocks();
    doors_ = reinterpret_cast<door*>(row_.scratch());
    numbers_ = reinterpret_cast<std::uint32_t*>(doors_ + blocks.size());
    bounds_ = reinterpret_cast<float*>(numbers_ + blocks.size());
    places_ = reinterpret_cast<std::uint8_t*>(bounds_ + blocks.size());
    count_ = 0;
    for (const kernel::block& block : blocks) {
      if (!(block.max >= least_)) continue;
      doors_[count_].block = &block;
      numbers_[count_++] = number(block);
    }
    row_.kernels().heads(numbers_, count_, from_, bounds_, places_);
    double best = -kernel::infinity;
    std::size_t first = count_;
    for (std::size_t d = 0; d < count_; ++d) {
      const kernel::block& block = *doors_[d].block;
      const double noise = double(bounds_[d]);
      doors_[d].bound = height(block.max) + noise;
      if (doors_[d].bound < best) continue;
      float logit = 0;
      if (!smallest(block, places_[d], logit)) continue;
      if (const double promise = height(logit) + noise; promise > best) {
        best = promise;
        first = d;
      }
    }
    if (first == count_) return;
    const kernel::block& block = *doors_[first].block;
    float logit = 0;
    smallest(block, places_[first], logit);
    offer(block.first + places_[first], logit,
          random::gumbel(random::noise_head(from_, numbers_[first]).smallest));
  }

  /// The logit of the token that has its block's smallest exponential, if it is there.
  bool smallest(const kernel::block& block, std::uint32_t place, float& logit) const noexcept {
    std::size_t i = place;
    if (block.ids != nullptr) {
      const token_id id = block.first + token_id(place);
      for (i = 0; i < block.count && block.ids[i] < id;) ++i;
      if (i < block.count && block.ids[i] != id) return false;
    }
    if (i >= block.count || !(block.logits[i] >= least_)) return false;
    logit = block.logits[i];
    return true;
  }

  /// The doors that can still win come first, in the order of their bounds; how many.
  [[gnu::noinline]] std::size_t rank_doors() noexcept {
    std::size_t promising = 0;
    for (std::size_t d = 0; d < count_; ++d)
      if (doors_[d].bound >= best_.score) std::swap(doors_[promising++], doors_[d]);
    std::sort(doors_, doors_ + promising, [](const door& a, const door& b) { return a.bound > b.bound; });
    return promising;
  }

  /// Every token of a block that can win, by exact noise.
  [[gnu::noinline]] void open(const kernel::block* block) noexcept {
    const random::head head = random::noise_head(from_, number(*block));
    const double noise = random::gumbel(head.smallest);
    if (!(height(block->max) + (noise + slack) >= best_.score)) return;
    // The lowest logit that can win, rounded down generously; each token's own bound then decides.
    const double reach = (best_.score - (noise + slack)) / inverse_ + reference_;
    float least = least_;
    if (const double low =
            reach - ((reach < 0 ? -reach : reach) + (reference_ < 0 ? -reference_ : reference_)) * 1e-6;
        low > double(least))
      least = low < double(block->max) ? float(low) : block->max;
    auto* const keys = reinterpret_cast<kernel::rank_key*>(row_.block_scratch());
    const std::size_t count = row_.kernels().collect(block, 1, least, kernel::infinite(1), keys);
    for (std::size_t i = 0; i < count; ++i) {
      const float logit = kernel::logit_of(keys[i]);
      const token_id id = kernel::id_of(keys[i]);
      if (!(height(logit) + (noise + slack) >= best_.score)) continue;
      const bool is_smallest = std::uint32_t(id - block->first) == head.place;
      offer(
          id, logit,
          is_smallest ? noise : random::gumbel(head.smallest + random::noise_tail(from_, std::uint32_t(id))));
    }
  }

  row& row_;
  random::source from_;
  double reference_, inverse_, log_factor_;
  scored best_;
  kernel::rank_key limit_ = 0;
  float least_ = kernel::lowest;
  door* doors_ = nullptr;
  std::uint32_t* numbers_ = nullptr;
  float* bounds_ = nullptr;
  std::uint8_t* places_ = nullptr;
  std::size_t count_ = 0;
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
