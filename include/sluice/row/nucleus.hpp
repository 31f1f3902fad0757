#pragma once

#include <cstddef>
#include <cstdint>

#include <sluice/kernel/rank.hpp>
#include <sluice/row.hpp>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_STRICT_BEGIN

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

  /// The last key that min_keep holds on to, at least that of the argmax.
  kernel::rank_key spared() const noexcept { return spared_; }

  bool operator()(kernel::rank_key key) const noexcept {
    if (key >= spared_) return true;
    const side found = bounds_.at(kernel::logit_of(key));
    return found != side::unknown ? found == side::inside : exactly(key);
  }

 private:
  bool exactly(kernel::rank_key key) const noexcept {
    if (need_ == 0) need_ = kernel::needed_mass(p_, row_.mass().total);
    std::uint64_t before = 0;
    const float logit = kernel::logit_of(key);
    const std::uint64_t tie = kernel::mass(double(logit) - max_);
    // Of all tokens that reach the logit, those that tie with it and rank at the key or after it do not
    // count.
    before = row_.kernels()
                 .mass(row_.blocks().data(), row_.blocks().size(), std::max(logit, row_.floor()), max_)
                 .total;
    kernel::each_token(row_.blocks().data(), row_.blocks().size(), std::max(logit, row_.floor()),
                       [&](token_id id, float other) {
                         if (other == logit && kernel::key_of(other, id) <= key) before -= tie;
                       });
    return before < need_;
  }

  row& row_;
  float p_;
  nucleus_bounds bounds_;
  double max_;
  kernel::rank_key spared_ = 0;
  mutable std::uint64_t need_ = 0;
};

SLUICE_STRICT_END

}  // namespace sluice::v1::SLUICE_ISA
