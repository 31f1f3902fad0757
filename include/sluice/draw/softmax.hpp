#pragma once

#include <cstdint>

#include <sluice/draw/weight.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/stage/kinds.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA::draw {

/// Inverse distribution function in the order of ids, over integer masses: the first token whose running mass
/// exceeds floor(word * M / 2^64).
inline token_id inverse_cdf(row& r, std::uint64_t word) noexcept {
  weights w(r);
  const std::uint64_t target = random::scaled(word, w.total());
  std::uint64_t running = 0;
  token_id drawn = no_token;
  r.each([&](token_id id, float logit) {
    running += w.mass(id, logit);
    if (drawn == no_token && running > target) drawn = id;
  });
  return drawn;
}

}  // namespace sluice::inline v1::inline SLUICE_ISA::draw

namespace sluice::inline v1 {

/// Draws by inverse CDF over the tempered masses, from one 64-bit random word. For comparison and rollback,
/// as the engine `sort` is. A token more than 31.2 nats below the maximum has mass 0. Cost: two passes.
struct softmax {
  static constexpr place where = place::draw;
  static constexpr stage_kind kind = stage_kind::draw;
  token_id operator()(row& r, const sequence& q) const noexcept {
    const random::words w = random::source{q.seed(), q.position()}.at(random::stream::softmax_draw, 0);
    return draw::inverse_cdf(r, std::uint64_t{w[0]} << 32 | w[1]);
  }
};

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
