#pragma once

// What a round of verification takes and gives.

#include <cstddef>
#include <cstdint>
#include <span>

#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Tokens that a drafter proposes for the next positions.
struct draft {
  std::span<const token_id> tokens = {};
  /// laws[i] is the law that tokens[i] was drawn from, by `probability`, in any order; a token that it does
  /// not name has 0, of one that is named twice the first counts. Truncated where the drafter truncates; a
  /// greedy one has 1 at its token. None: the drafts have no probabilities.
  /// What `distribution` gave lives in its workspace: not the one that verifies, or a copy.
  std::span<const std::span<const candidate>> laws = {};
};

/// How drafts with laws are verified: one after the other, or as one block.
enum class verification : std::uint8_t { per_token, block };

/// What a round gave: out[0 .. count) are `accepted` drafts and, where the status is ok, one token more. No
/// rows or no room in `out` give nothing.
struct verified {
  std::size_t accepted = 0, count = 0;
  sample_status status = sample_status::ok;
};

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
