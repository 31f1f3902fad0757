#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/config.hpp>
#include <sluice/types.hpp>

namespace sluice::inline v1 {

/// What a request asks of the chain. Every default is neutral: the stage does no work. `check` knows the
/// ranges. A window (`…_last_n`) counts tokens back from the newest: -1 is the whole history, 0 is off.
struct sampling_params {
  std::optional<std::uint64_t> seed = {};  ///< none: one is taken from the system
  std::string order = {};                  ///< llama.cpp's names or letters; empty is the fixed order

  float temperature = 1;  ///< below 1e-5 the best token is taken
  float dynatemp_range = 0, dynatemp_exponent = 1;

  int top_k = 0;     ///< <= 0 off
  int min_keep = 0;  ///< typical-p, top-p and min-p keep at least so many
  float top_p = 1;
  float min_p = 0;
  float typical_p = 1;
  float top_n_sigma = 0;
  bool p_less = false;

  float xtc_probability = 0, xtc_threshold = 0.1f;
  bool xtc_marginal = false;  ///< the coin-free form with the same law
  std::vector<token_id> xtc_protected = {};

  float repetition_penalty = 1, frequency_penalty = 0, presence_penalty = 0;
  int penalty_last_n = -1;
  bool repetition_normalized = false;
  bool occurrence_counts_prompt = true;  ///< false: frequency and presence count generated tokens only

  float dry_multiplier = 0, dry_base = 1.75f;
  int dry_allowed_length = 2, dry_penalty_last_n = -1;
  std::vector<std::vector<token_id>> dry_sequence_breakers = {};

  float scatter_strength = 0, scatter_radius = 2.5f;
  int scatter_k = 64, scatter_steps = 1;
  bool scatter_adaptive = false;
  float scatter_strength_min = 0.02f, scatter_strength_max = 0.30f, scatter_entropy_target = 0.55f;
  float scatter_absorption = 0, scatter_collision = 1;
  int scatter_absorption_last_n = 64;

  std::vector<token_bias> logit_bias = {};
  std::vector<token_bias> language_bias = {};  ///< only where logit_bias is empty
  std::vector<token_id> suppressed_tokens = {};

  truncation_rule truncation = truncation_rule::sequential;
  truncation_engine engine = truncation_engine::automatic;
  draw_method draw = draw_method::gumbel;
};

/// The first parameter out of its range, if any. With a vocabulary size, ids are checked against it too.
SLUICE_ALWAYS_INLINE problem check(const sampling_params& params, std::size_t vocab_size = 0);

/// Sets one parameter from text: a field name of `sampling_params`, or a name that another system uses for it
/// (`temp`, `repeat_penalty`, `typ_p`, …), with `_` or `-`. An unknown name or a text that is no value of the
/// field is a problem, and `params` is unchanged; ranges are left to `check`.
///
/// Switches read true false on off yes no 1 0; `seed` a number or `random`. Lists: tokens `1,2,3`, biases
/// `15043:1.5,2:-inf`, breakers `5 9;6`; an empty text or `none` clears one.
SLUICE_ALWAYS_INLINE problem set(sampling_params& params, std::string_view name, std::string_view value);

namespace presets {

/// Greedy, every filter off.
SLUICE_ALWAYS_INLINE sampling_params cli();
/// `breakers`: the ids of "\n", ":", "\"" and "*" in the model's vocabulary.
SLUICE_ALWAYS_INLINE sampling_params server(std::vector<std::vector<token_id>> breakers);
/// What llama-server starts with.
SLUICE_ALWAYS_INLINE sampling_params llama_server();
/// Sets all the scatter parameters and no other: `subtle`, `creative`, `adaptive`, `gated` or
/// `adaptive_absorbing`.
SLUICE_ALWAYS_INLINE problem scatter(sampling_params& params, std::string_view name);

}  // namespace presets
}  // namespace sluice::inline v1
