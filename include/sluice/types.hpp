#pragma once

// The small values that pass between a program and the library.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/config.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// A vocabulary entry: its index in the row of logits. A row of V logits has the tokens [0, V).
using token_id = std::int32_t;

/// The id that stands for "no token". Never a legal answer of `sample`.
inline constexpr token_id no_token = -1;

/// The version of what a seed means: raised whenever equal inputs may draw another token than before. Store
/// it beside a seed that must draw the same tokens again.
inline constexpr int draw_version = 1;

/// `bias` is added to the logit of `token`: -inf bans it, +inf forces it, NaN is a problem.
struct token_bias {
  token_id token = no_token;
  float bias = 0;
};

/// A surviving token: its logit before temperature, and the probability in [0, 1] with which it is drawn.
struct candidate {
  token_id id = no_token;
  float logit = 0, probability = 0;
};

/// A token of a history window and how often it stands there (at least once).
struct token_count {
  token_id token = no_token;
  std::uint32_t count = 0;
};

/// A token that would continue a repetition: `length` tokens at the end of the history stood before it once.
struct token_repeat {
  token_id token = no_token;
  std::uint32_t length = 0;
};

/// Which tokens of a window count: all, or those that were accepted and not given as prompt.
enum class counted : std::uint8_t { all, generated };

/// Why a call gave no token.
enum class sample_status : std::uint8_t {
  ok,                  ///< it gave one
  no_token_left,       ///< mask, bans and input left no token: all absent, or an empty row
  invalid_bias,        ///< a bias of this call is NaN
  row_too_long,        ///< 2^20 tokens or more
  out_of_memory,       ///< scratch memory or the history index could not grow
  invalid_temperature  ///< the temperature of this call is NaN or infinite
};

/// What a call to `sample` found. `token` is in [0, V) when the status is ok and `no_token` otherwise.
struct sample_result {
  token_id token = no_token;
  sample_status status = sample_status::ok;
  bool saw_nan = false;  ///< a token that the mask allows was NaN on entry

  explicit operator bool() const noexcept { return status == sample_status::ok; }
};

/// What is wrong with a parameter: `field` is its name, `text` a sentence with field, range and value.
/// Converts to true where there is a problem, so `if (const problem p = check(params))` reads as it should.
struct problem {
  std::string_view field = {};
  std::string text = {};

  explicit operator bool() const noexcept { return !text.empty(); }
};

/// Element types of a row of logits. The 16-bit ones are widened where they are read, without rounding.
enum class logit_type : std::uint8_t { f32, f16, bf16 };

/// How top-k, top-p and min-p combine. `sequential`: each sees the renormalised survivors of the one before,
/// as in llama.cpp, vLLM and transformers. `joint`: all three judge the row as it stood before top-k, and a
/// token must pass all of them. Only top-p keeps other tokens under the two.
enum class truncation_rule : std::uint8_t { sequential, joint };

/// How a cut is found. The engines give the same token at other speeds; one that a chain cannot use gives way
/// to `select`. `sort`: rank everything, the reference. `select`: bounds by block, then quickselect.
/// `rejection`: draw, and test whether what was drawn survives. `automatic`: the fastest known.
enum class truncation_engine : std::uint8_t { automatic, sort, select, rejection };

/// How the token is drawn from the survivors: the same law, other tokens for a seed. `gumbel`: the largest
/// sum of logit and noise, which costs a few blocks of the row. `softmax`: inverse CDF in id order, for
/// comparison.
enum class draw_method : std::uint8_t { gumbel, softmax };

/// Where a stage stands in the fixed order, ascending; mask, min_tokens and biases come first. A stage of
/// one's own stands between: `place(int(place::min_p) + 1)`.
enum class place : int {
  min_tokens = 50,
  logit_bias = 100,
  repetition_penalty = 200,
  dry = 300,
  frequency_presence = 400,
  top_n_sigma = 500,
  p_less = 600,
  top_h = 650,
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

#include <sluice/macros_back.inc>
