#pragma once

#include <cstddef>
#include <cstdint>

#include <sluice/kernel/arithmetic/exact_fraction.hpp>
#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/kernel/arithmetic/rank_key.hpp>
#include <sluice/row.hpp>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

/// Whether a token is in the nucleus of mass p of a row as it stands: fewer than min_keep tokens rank before
/// it, or their mass is below the needed one. Cheap bounds decide nearly always; an undecided token pays the
/// exact masses.
class nucleus_test {
 public:
  nucleus_test(row& r, float p, int min_keep) noexcept
      : row_(r), p_(p), bounds_(r, p), max_(double(r.max())) {
    const std::size_t least = min_keep > 1 ? std::min(std::size_t(min_keep), r.size()) : 1;
    spared_ = least > 1 ? r.top_cut(least) : kernel::key_of(r.max(), r.argmax());
  }

  /// A key that is cheap to test and lies deep: where few blocks reach.
  kernel::rank_key probe() const noexcept {
    float best[few] = {};  // descending
    std::size_t count = 0;
    for (const kernel::block& block : row_.blocks()) {
      if (!(block.max >= row_.floor()) || (count == few && !(block.max > best[few - 1]))) continue;
      std::size_t at = count < few ? count++ : few - 1;
      for (; at > 0 && best[at - 1] < block.max; --at) best[at] = best[at - 1];
      best[at] = block.max;
    }
    return count == few ? kernel::key_of(best[few - 1], 0) : 0;
  }

  /// The last key that min_keep holds on to, at least that of the argmax.
  kernel::rank_key spared() const noexcept { return spared_; }

  bool operator()(kernel::rank_key key) const noexcept {
    if (key >= spared_) return true;
    const float logit = kernel::logit_of(key);
    std::size_t reaching = 0;
    for (const kernel::block& block : row_.blocks()) reaching += block.max >= logit;
    const side found = reaching <= few ? closely(key) : bounds_.at(logit);
    return found != side::unknown ? found == side::inside : before(key) < need();
  }

 private:
  static constexpr std::size_t few = 16;

  std::uint64_t need() const noexcept {
    if (need_ == 0) need_ = kernel::needed_mass(p_, row_.total_mass());
    return need_;
  }

  /// The mass of the tokens that rank before a key.
  std::uint64_t before(kernel::rank_key key) const noexcept {
    const kernel::table& kernels = row_.kernels();
    const kernel::block* const blocks = row_.opened(kernel::logit_of(key));
    const std::size_t count = row_.blocks().size();
    const float logit = kernel::logit_of(key), above = kernel::next_up(logit);
    std::uint64_t mass = kernels.mass(blocks, count, above, max_).total;
    if (kernels.count(blocks, count, logit) - kernels.count(blocks, count, above) == 1) return mass;
    kernel::each_token(blocks, count, logit, [&](token_id id, float other) {
      if (other == logit && kernel::key_of(other, id) > key) mass += kernel::mass(double(logit) - max_);
    });
    return mass;
  }

  /// Where few blocks hold all that ranks before the key: their masses exactly, the others' roughly, which
  /// hardly counts beside them.
  side closely(kernel::rank_key key) const noexcept {
    const float logit = kernel::logit_of(key);
    std::uint64_t near = 0;
    for (const kernel::block& block : row_.blocks())
      if (block.max >= logit) near += row_.kernels().mass(&row_.opened(block), 1, row_.present(), max_).total;
    constexpr double slack = 1e-9;
    const double passed = double(before(key)), p = double(p_), exact = double(near);
    if (passed < p * exact * (1 - slack)) return side::inside;
    rough_masses& rough = bounds_.masses();
    const double far = (rough.total() - rough.from(logit).visited) * kernel::mass_one;
    const double error = rough.total() * (kernel::mass_one * rough_error);
    if (passed < p * (exact + (far - error) / (rough_spread * rough_slack)) * (1 - slack))
      return side::inside;
    if (passed > p * (exact + (far + error) * rough_slack) * (1 + slack)) return side::outside;
    return side::unknown;
  }

  row& row_;
  float p_;
  mutable nucleus_bounds bounds_;
  double max_;
  kernel::rank_key spared_ = 0;
  mutable std::uint64_t need_ = 0;
};

SLUICE_IEEE_END

}  // namespace sluice::v1::SLUICE_ISA
