#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/config.hpp>

namespace sluice::inline v1 {

/// A vocabulary entry: its index in the row of logits.
using token_id = std::int32_t;

/// The id that stands for "no token". Never a legal answer of `sample`.
inline constexpr token_id no_token = -1;

/// Raised whenever equal inputs may draw another token than before.
inline constexpr int draw_version = 1;

/// `bias` is added to the logit of `token`; -inf bans it, +inf forces it.
struct token_bias {
  token_id token = no_token;
  float bias = 0;
};

/// A surviving token: its logit before temperature and the probability with which it is drawn.
struct candidate {
  token_id id = no_token;
  float logit = 0, probability = 0;
};

/// A token of a history window and how often it stands there (at least once).
struct token_count {
  token_id token = no_token;
  std::uint32_t count = 0;
};

enum class sample_status : std::uint8_t {
  ok,
  no_token_left,  ///< mask, bans and input left no token: all absent, or an empty row
  invalid_bias,   ///< a bias of this call is NaN
  row_too_long,   ///< 2^20 tokens or more
  out_of_memory   ///< scratch memory or the history index could not grow
};

/// What a call to `sample` found. `token` is in [0, V) when the status is ok and `no_token` otherwise.
struct sample_result {
  token_id token = no_token;
  sample_status status = sample_status::ok;
  bool saw_nan = false;  ///< a token that the mask allows was NaN on entry

  explicit operator bool() const noexcept { return status == sample_status::ok; }
};

/// What is wrong with a parameter: `field` is its name, `text` a sentence with field, range and value.
/// Converts to true where there is a problem.
struct problem {
  std::string_view field = {};
  std::string text = {};

  explicit operator bool() const noexcept { return !text.empty(); }
};

/// Element types of a row of logits.
enum class logit_type : std::uint8_t { f32, f16, bf16 };

/// How top-k, top-p and min-p combine. `sequential`: each sees the renormalised survivors of the one before.
/// `joint`: all three judge the row as it stood before top-k, and a token must pass all of them.
enum class truncation_rule : std::uint8_t { sequential, joint };

/// How a cut is found. The engines give the same token; `sort` is the reference.
enum class truncation_engine : std::uint8_t { automatic, sort, select, rejection };

/// How the token is drawn from the survivors.
enum class draw_method : std::uint8_t { gumbel, softmax };

/// Where a stage stands in the fixed order. A stage of one's own: `place(int(place::min_p) + 1)`.
enum class place : int {
  logit_bias = 100,
  repetition_penalty = 200,
  dry = 300,
  frequency_presence = 400,
  top_n_sigma = 500,
  p_less = 600,
  typical_p = 700,
  top_k = 800,
  top_p = 900,
  min_p = 1000,
  xtc = 1100,
  scatter = 1200,
  temperature = 1300,
  draw = 1400
};

namespace detail {

inline constexpr std::size_t block_size = 256;  ///< tokens of a block: the unit of noise, sums and bounds
inline constexpr std::size_t longest_row = (std::size_t{1} << 20) - 1;  ///< tokens of a row at most

}  // namespace detail

}  // namespace sluice::inline v1
