#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <sluice/config.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::kernel {

SLUICE_IEEE_BEGIN

/// Sums in the one order, fixed by ids alone: token i goes to lane i % 16 of block i / block_size; lanes are
/// added 0 to 15, blocks in order, in double. Tokens come in ascending order of id. Inside a block the lanes
/// are of type Real.
template <class Real, std::size_t Sums>
class lane_sums {
 public:
  void add(token_id id, const std::array<Real, Sums>& values) noexcept {
    if (const std::uint32_t block = std::uint32_t(id) / std::uint32_t(detail::block_size); block != block_) {
      close_block();
      block_ = block;
    }
    for (std::size_t s = 0; s < Sums; ++s) lanes_[s][std::uint32_t(id) % 16] += values[s];
  }

  std::array<double, Sums> total() noexcept {
    close_block();
    return total_;
  }

 private:
  void close_block() noexcept {
    for (std::size_t s = 0; s < Sums; ++s) {
      double sum = 0;
      for (Real& lane : lanes_[s]) {
        sum += double(lane);
        lane = 0;
      }
      total_[s] += sum;
    }
  }

  std::array<std::array<Real, 16>, Sums> lanes_ = {};
  std::array<double, Sums> total_ = {};
  std::uint32_t block_ = 0;
};

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA::kernel

#include <sluice/macros_back.inc>
