#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <sluice/draw/weight.hpp>
#include <sluice/random/noise_field.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/stage/kinds.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::draw {

SLUICE_IEEE_BEGIN

/// The survivor with the largest score, (l - ref) / T plus Gumbel noise, has the law of softmax(l / T)
/// (Gumbel-max). The noise belongs to (seed, position, token) alone, so the winner among some survivors is
/// the same however they were found.
class gumbel_max {
 public:
  gumbel_max(row& r, random::source from) noexcept
      : row_(r),
        blocks_(detail::row_internals::blocks(r)),
        from_(from),
        reference_(double(r.reference())),
        inverse_(1.0 / r.temperature()),
        log_factor_(detail::row_internals::discount_probability(r) > 0 ? weights(r).log_factor() : 0) {}

  /// The winner among the survivors that rank before `limit` (0: all); 0 where there are none. Between calls
  /// the row and its scratch memory stay as they are.
  ///
  /// A block's best possible score is known without its tokens: its maximum with its smallest exponential.
  /// The block that promises most is opened first. Then, in every block that can still win, the token that
  /// has the smallest exponential is tried; then those blocks are opened whose bound the best score does not
  /// beat. The slack of 2^-30 stands inside the noise term, where rounding is monotone: bound >= score at
  /// every magnitude.
  [[gnu::noinline]] kernel::rank_key winner(kernel::rank_key limit = 0) noexcept {
    best_ = {};
    limit_ = limit;
    least_ = limit != 0 ? std::max(kernel::logit_of(limit), blocks_.threshold()) : blocks_.threshold();
    if (contenders_ == nullptr) take_minima();
    candidates all;
    open_best_block(all);
    open_contenders(all);
    return best_.key;
  }

  /// How many blocks were opened so far: all their tokens that could win were evaluated.
  std::size_t opened() const noexcept { return opened_; }

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
  /// A block that can still win, by its place in the tables below: no score in it is above `bound`.
  struct contender {
    double bound, smallest, noise;
    std::uint32_t minimum;
  };
  /// Tokens to evaluate, up to `room`; a block adds at most all of its own.
  struct candidates {
    static constexpr std::size_t room = 64;
    std::size_t count = 0;
    kernel::rank_key keys[room + detail::block_size];
    double exponentials[room + detail::block_size];  // the smallest ones of their blocks
    double scratch[room + detail::block_size];
    std::uint32_t tokens[room + detail::block_size];
  };

  double score_base(float logit) const noexcept { return (double(logit) - reference_) * inverse_; }

  void offer(token_id id, float logit, double noise) noexcept {
    const kernel::rank_key key = kernel::key_of(logit, id);
    if (key <= limit_) return;
    double score = score_base(logit) + noise;
    if (detail::row_internals::discounted(row_, id)) score += log_factor_;
    if (score > best_.score || (score == best_.score && key > best_.key)) best_ = {score, key};
  }

  std::uint32_t number(const kernel::block& block) const noexcept {
    return std::uint32_t(block.first) / std::uint32_t(detail::block_size);
  }

  /// The tables of all blocks that hold a survivor. Memory: 61 bytes a block, and one contender more, since
  /// `contenders_between` writes before it counts.
  [[gnu::noinline]] void take_minima() noexcept {
    const std::span<const kernel::block> blocks = blocks_.table();
    scratch memory = blocks_.scratch();
    contenders_ = memory.take<contender>(blocks.size() + 1);
    bounds_ = memory.take<double>(blocks.size());
    exponentials_ = memory.take<double>(blocks.size());
    numbers_ = memory.take<std::uint32_t>(blocks.size());
    table_places_ = memory.take<std::uint32_t>(blocks.size());
    noise_ = memory.take<float>(blocks.size());
    slots_ = memory.take<std::uint8_t>(blocks.size());
    for (const kernel::block& block : blocks) {
      numbers_[count_] = number(block);
      table_places_[count_] = std::uint32_t(&block - blocks.data());
      count_ += block.max >= blocks_.threshold();
    }
    blocks_.kernels().minimum_bounds(numbers_, count_, from_, noise_, slots_);
  }

  const kernel::block& block_of(std::uint32_t minimum) const noexcept {
    return blocks_.table()[table_places_[minimum]];
  }

  /// The block that promises most: its token with the smallest exponential and its best one set a score that
  /// most others cannot reach; then all its tokens are tried.
  [[gnu::noinline]] void open_best_block(candidates& all) noexcept {
    double best = -kernel::infinity;
    std::uint32_t first = 0;
    for (std::uint32_t h = 0; h < count_; ++h) {
      const float max = block_of(h).max;
      const double bound = max >= least_ ? score_base(max) + double(noise_[h]) : -kernel::infinity;
      bounds_[h] = bound;
      first = bound > best ? h : first;
      best = bound > best ? bound : best;
    }
    if (!(best > -kernel::infinity)) return;
    contenders_[0].minimum = first;
    try_minima(contenders_, 1);
    bounds_[first] = -kernel::infinity;
    collect(contenders_[0], block_of(first).max, all);
    evaluate(all);
    open(contenders_[0], all);
    evaluate(all);
  }

  /// The logit of the token that has its block's smallest exponential, if it is there.
  bool has_minimum(std::uint32_t minimum, float& logit) const noexcept {
    const kernel::block& block = block_of(minimum);
    std::size_t i = slots_[minimum];
    if (block.ids != nullptr) {
      const token_id id = block.first + token_id(i);
      for (i = 0; i < block.count && block.ids[i] < id;) ++i;
      if (i < block.count && block.ids[i] != id) return false;
    }
    if (i >= block.count) return false;
    logit = blocks_.logit(block, i);
    return logit >= least_;
  }

  /// The blocks with low <= bound < high; how many.
  std::size_t contenders_between(double low, double high, contender* out) const noexcept {
    std::size_t count = 0;
    for (std::uint32_t h = 0; h < count_; ++h) {
      out[count].minimum = h;
      count += (bounds_[h] >= low) & (bounds_[h] < high);
    }
    return count;
  }

  /// The exact noise of the smallest exponentials of some blocks; the tokens that have them are tried.
  void try_minima(contender* contenders, std::size_t count) noexcept {
    for (std::size_t d = 0; d < count; ++d) numbers_[d] = number(block_of(contenders[d].minimum));
    blocks_.kernels().minima(numbers_, count, from_, exponentials_);
    for (std::size_t d = 0; d < count; ++d) contenders[d].smallest = exponentials_[d];
    blocks_.kernels().gumbels(exponentials_, count, exponentials_);
    for (std::size_t d = 0; d < count; ++d) {
      contender& at = contenders[d];
      const kernel::block& block = block_of(at.minimum);
      at.noise = exponentials_[d];
      at.bound = score_base(block.max) + (at.noise + slack);
      float logit = 0;
      if (at.bound >= best_.score && has_minimum(at.minimum, logit))
        offer(block.first + token_id(slots_[at.minimum]), logit, at.noise);
    }
  }

  /// Blocks with a bound in the upper half first: they rule out many of the others. Every token that can win
  /// is evaluated, more and more of them together, since a higher score leaves fewer.
  [[gnu::noinline]] void open_contenders(candidates& all) noexcept {
    double top = best_.score;
    for (std::size_t h = 0; h < count_; ++h) top = bounds_[h] > top ? bounds_[h] : top;
    const double middle = best_.score > -kernel::infinity ? 0.5 * (best_.score + top) : -kernel::infinity;
    std::size_t count = contenders_between(middle, kernel::infinity, contenders_);
    try_minima(contenders_, count);
    const std::size_t more = contenders_between(best_.score, middle, contenders_ + count);
    try_minima(contenders_ + count, more);
    count += more;
    std::size_t enough = 4;
    for (std::size_t d = 0; d < count; ++d) {
      if (!(contenders_[d].bound >= best_.score)) continue;
      open(contenders_[d], all);
      if (all.count < enough) continue;
      evaluate(all);
      enough = std::min(2 * enough, candidates::room);
    }
    evaluate(all);
  }

  /// The tokens of a block that can win, but the one with the smallest exponential.
  void open(const contender& at, candidates& all) noexcept {
    ++opened_;
    const kernel::block& block = block_of(at.minimum);
    // The lowest logit that can win, rounded down generously; each token's own bound then decides.
    const double reach = (best_.score - (at.noise + slack)) / inverse_ + reference_;
    float least = least_;
    if (const double low =
            reach - ((reach < 0 ? -reach : reach) + (reference_ < 0 ? -reference_ : reference_)) * 1e-6;
        low > double(least))
      least = low < double(block.max) ? float(low) : block.max;
    collect(at, least, all);
  }

  void collect(const contender& at, float least, candidates& all) noexcept {
    const kernel::block& block = block_of(at.minimum);
    kernel::rank_key* const keys = all.keys + all.count;
    const std::size_t count =
        blocks_.kernels().collect(&blocks_.widened(block), 1, least, kernel::infinite(1), keys);
    for (std::size_t i = 0; i < count; ++i) {
      const kernel::rank_key key = keys[i];
      const token_id id = kernel::id_of(key);
      if (key <= limit_ || !(score_base(kernel::logit_of(key)) + (at.noise + slack) >= best_.score) ||
          std::uint32_t(id - block.first) == slots_[at.minimum])
        continue;
      all.keys[all.count] = key;
      all.tokens[all.count] = std::uint32_t(id);
      all.exponentials[all.count++] = at.smallest;
    }
  }

  void evaluate(candidates& all) noexcept {
    blocks_.kernels().excesses(all.tokens, all.count, from_, all.scratch);
    for (std::size_t i = 0; i < all.count; ++i) all.exponentials[i] += all.scratch[i];
    blocks_.kernels().gumbels(all.exponentials, all.count, all.scratch);
    for (std::size_t i = 0; i < all.count; ++i)
      offer(kernel::id_of(all.keys[i]), kernel::logit_of(all.keys[i]), all.scratch[i]);
    all.count = 0;
  }

  row& row_;
  const row_blocks& blocks_;
  random::source from_;
  double reference_, inverse_, log_factor_;
  scored best_;
  kernel::rank_key limit_ = 0;
  float least_ = kernel::lowest;
  // Of each block with a survivor: its number, its place in the row's table, bounds on its noise and on its
  // scores, and the slot of the token that has its smallest exponential.
  std::uint32_t* numbers_ = nullptr;
  std::uint32_t* table_places_ = nullptr;
  float* noise_ = nullptr;
  double* bounds_ = nullptr;
  std::uint8_t* slots_ = nullptr;
  contender* contenders_ = nullptr;
  double* exponentials_ = nullptr;
  std::size_t count_ = 0, opened_ = 0;
};

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::draw

namespace sluice::inline v1 {

/// Draws by Gumbel-max: the survivor with the largest score (l - ref) / T + g(token), where g is independent
/// standard Gumbel noise, a pure function of (seed, position, token), and ref the row's maximum before the
/// filters. The default. Equal scores fall to the token that ranks first.
/// Cost: one noise value for each 256 tokens, and the blocks that can still win.
struct gumbel {
  static constexpr place where = place::draw;
  static constexpr stage_kind kind = stage_kind::draw;
  token_id operator()(row& r, const sequence& q) const noexcept {
    return kernel::id_of(draw::gumbel_max(r, {q.seed(), q.position()}).winner());
  }
};

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
