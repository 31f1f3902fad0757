#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <sluice/draw/weight.hpp>
#include <sluice/random/noise_field.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/row.hpp>

namespace sluice::inline v1::inline SLUICE_ISA::draw {

SLUICE_IEEE_BEGIN

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
    least_ = limit != 0 ? std::max(kernel::logit_of(limit), row_.floor()) : row_.floor();
    if (doors_ == nullptr) take_heads();
    candidates all;
    open_best(all);
    open_others(all);
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
  /// A block that can still win, by its place among the heads: its score is at most `bound`.
  struct door {
    double bound, smallest, noise;
    std::uint32_t head;
  };
  /// Tokens to evaluate, up to `room`; a block adds at most 256.
  struct candidates {
    static constexpr std::size_t room = 64;
    std::size_t count = 0;
    kernel::rank_key keys[room + detail::block_size];
    double exponentials[room + detail::block_size];  // the smallest ones of their blocks
    double scratch[room + detail::block_size];
    std::uint32_t tokens[room + detail::block_size];
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
    return std::uint32_t(block.first) / std::uint32_t(detail::block_size);
  }

  /// Heads of all blocks that hold a survivor. Memory: 61 bytes a block, and one door more, since make_doors
  /// writes before it counts.
  [[gnu::noinline]] void take_heads() noexcept {
    const std::span<const kernel::block> blocks = row_.blocks();
    doors_ = reinterpret_cast<door*>(row_.scratch());
    bounds_ = reinterpret_cast<double*>(doors_ + blocks.size() + 1);
    exponentials_ = bounds_ + blocks.size();
    numbers_ = reinterpret_cast<std::uint32_t*>(exponentials_ + blocks.size());
    blocks_ = numbers_ + blocks.size();
    noise_ = reinterpret_cast<float*>(blocks_ + blocks.size());
    places_ = reinterpret_cast<std::uint8_t*>(noise_ + blocks.size());
    for (const kernel::block& block : blocks) {
      numbers_[count_] = number(block);
      blocks_[count_] = std::uint32_t(&block - blocks.data());
      count_ += block.max >= row_.floor();
    }
    row_.kernels().minimum_bounds(numbers_, count_, from_, noise_, places_);
  }

  const kernel::block& block_of(std::uint32_t head) const noexcept { return row_.blocks()[blocks_[head]]; }

  /// The block that promises most: its token with the smallest exponential and its best one set a score that
  /// most others cannot reach; then all its tokens are tried.
  [[gnu::noinline]] void open_best(candidates& all) noexcept {
    double best = -kernel::infinity;
    std::uint32_t first = 0;
    for (std::uint32_t h = 0; h < count_; ++h) {
      const float max = block_of(h).max;
      const double bound = max >= least_ ? height(max) + double(noise_[h]) : -kernel::infinity;
      bounds_[h] = bound;
      first = bound > best ? h : first;
      best = bound > best ? bound : best;
    }
    if (!(best > -kernel::infinity)) return;
    doors_[0].head = first;
    settle(doors_, 1);
    bounds_[first] = -kernel::infinity;
    collect(doors_[0], block_of(first).max, all);
    evaluate(all);
    open(doors_[0], all);
    evaluate(all);
  }

  /// The logit of the token that has its block's smallest exponential, if it is there.
  bool has_smallest(std::uint32_t head, float& logit) const noexcept {
    const kernel::block& block = block_of(head);
    std::size_t i = places_[head];
    if (block.ids != nullptr) {
      const token_id id = block.first + token_id(i);
      for (i = 0; i < block.count && block.ids[i] < id;) ++i;
      if (i < block.count && block.ids[i] != id) return false;
    }
    if (i >= block.count) return false;
    logit = row_.logit(block, i);
    return logit >= least_;
  }

  /// Doors for the heads with low <= bound < high; how many.
  std::size_t make_doors(double low, double high, door* out) const noexcept {
    std::size_t count = 0;
    for (std::uint32_t h = 0; h < count_; ++h) {
      out[count].head = h;
      count += (bounds_[h] >= low) & (bounds_[h] < high);
    }
    return count;
  }

  /// The exact noise of the smallest exponentials behind some doors; their tokens are tried.
  void settle(door* doors, std::size_t count) noexcept {
    for (std::size_t d = 0; d < count; ++d) numbers_[d] = number(block_of(doors[d].head));
    row_.kernels().minima(numbers_, count, from_, exponentials_);
    for (std::size_t d = 0; d < count; ++d) doors[d].smallest = exponentials_[d];
    row_.kernels().gumbels(exponentials_, count, exponentials_);
    for (std::size_t d = 0; d < count; ++d) {
      door& at = doors[d];
      const kernel::block& block = block_of(at.head);
      at.noise = exponentials_[d];
      at.bound = height(block.max) + (at.noise + slack);
      float logit = 0;
      if (at.bound >= best_.score && has_smallest(at.head, logit))
        offer(block.first + token_id(places_[at.head]), logit, at.noise);
    }
  }

  /// Doors with a bound in the upper half first: they close many of the others. Every token that can win is
  /// evaluated, more and more of them together, since a higher score leaves fewer.
  [[gnu::noinline]] void open_others(candidates& all) noexcept {
    double top = best_.score;
    for (std::size_t h = 0; h < count_; ++h) top = bounds_[h] > top ? bounds_[h] : top;
    const double middle = best_.score > -kernel::infinity ? 0.5 * (best_.score + top) : -kernel::infinity;
    std::size_t count = make_doors(middle, kernel::infinity, doors_);
    settle(doors_, count);
    const std::size_t more = make_doors(best_.score, middle, doors_ + count);
    settle(doors_ + count, more);
    count += more;
    std::size_t enough = 4;
    for (std::size_t d = 0; d < count; ++d) {
      if (!(doors_[d].bound >= best_.score)) continue;
      open(doors_[d], all);
      if (all.count < enough) continue;
      evaluate(all);
      enough = std::min(2 * enough, candidates::room);
    }
    evaluate(all);
  }

  /// The tokens of a block that can win, but the one with the smallest exponential.
  void open(const door& at, candidates& all) noexcept {
    ++opened_;
    const kernel::block& block = block_of(at.head);
    // The lowest logit that can win, rounded down generously; each token's own bound then decides.
    const double reach = (best_.score - (at.noise + slack)) / inverse_ + reference_;
    float least = least_;
    if (const double low =
            reach - ((reach < 0 ? -reach : reach) + (reference_ < 0 ? -reference_ : reference_)) * 1e-6;
        low > double(least))
      least = low < double(block.max) ? float(low) : block.max;
    collect(at, least, all);
  }

  void collect(const door& at, float least, candidates& all) noexcept {
    const kernel::block& block = block_of(at.head);
    kernel::rank_key* const keys = all.keys + all.count;
    const std::size_t count =
        row_.kernels().collect(&row_.opened(block), 1, least, kernel::infinite(1), keys);
    for (std::size_t i = 0; i < count; ++i) {
      const kernel::rank_key key = keys[i];
      const token_id id = kernel::id_of(key);
      if (key <= limit_ || !(height(kernel::logit_of(key)) + (at.noise + slack) >= best_.score) ||
          std::uint32_t(id - block.first) == places_[at.head])
        continue;
      all.keys[all.count] = key;
      all.tokens[all.count] = std::uint32_t(id);
      all.exponentials[all.count++] = at.smallest;
    }
  }

  void evaluate(candidates& all) noexcept {
    row_.kernels().excesses(all.tokens, all.count, from_, all.scratch);
    for (std::size_t i = 0; i < all.count; ++i) all.exponentials[i] += all.scratch[i];
    row_.kernels().gumbels(all.exponentials, all.count, all.scratch);
    for (std::size_t i = 0; i < all.count; ++i)
      offer(kernel::id_of(all.keys[i]), kernel::logit_of(all.keys[i]), all.scratch[i]);
    all.count = 0;
  }

  row& row_;
  random::source from_;
  double reference_, inverse_, log_factor_;
  scored best_;
  kernel::rank_key limit_ = 0;
  float least_ = kernel::lowest;
  // Of the heads: blocks by number and by place in the row's table, bounds on their noise and on their
  // scores, and the places of the tokens with the smallest exponentials.
  std::uint32_t* numbers_ = nullptr;
  std::uint32_t* blocks_ = nullptr;
  float* noise_ = nullptr;
  double* bounds_ = nullptr;
  std::uint8_t* places_ = nullptr;
  door* doors_ = nullptr;
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
  token_id operator()(row& r, const sequence& q) const noexcept {
    return kernel::id_of(draw::gumbel_max(r, {q.seed(), q.position()}).winner());
  }
};

}  // namespace sluice::inline v1
