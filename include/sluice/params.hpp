#pragma once

// What a request may ask for, each parameter with its range; how they are checked, set from text, and the
// presets.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/config.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// What a request asks of the chain. Every default is neutral: the stage does no work. Floats are finite; a
/// range that is narrower stands at its field. A window (`…_last_n`) counts tokens back from the newest: -1
/// is the whole history, 0 is off. Ids are at least 0, and below the vocabulary's size where `check` is told
/// it. What each stage does is told at its type, in stage/.
struct sampling_params {
  std::optional<std::uint64_t> seed = {};  ///< of a `sampler`'s sequence; none: one is taken from the system

  /// The stages in the order in which they run, by llama.cpp's names ("top_k;temperature") or letters ("kt"),
  /// each at most once; a stage that is not named does not run. Empty: the fixed order, of `place`.
  std::string order = {};

  // --- Temperature: l / T.
  float temperature = 1;        ///< below 1e-5: the best token is taken, and no filter runs
  float dynatemp_range = 0;     ///< T follows the entropy in [T - range, T + range]; <= 0 off
  float dynatemp_exponent = 1;  ///< > 0

  // --- Filters.
  int top_k = 0;          ///< the k best; <= 0 off, 1 takes the best token
  int min_keep = 0;       ///< >= 0: typical-p, top-p, min-p and XTC leave at least so many
  float top_p = 1;        ///< [0, 1]: the fewest best tokens with this mass; 1 off
  float min_p = 0;        ///< [0, 1]: at least this share of the best token's probability; 0 off
  float typical_p = 1;    ///< (0, 1]: the mass nearest to the typical surprise; 1 off
  float top_n_sigma = 0;  ///< within n deviations of the best logit; <= 0 off
  bool p_less = false;    ///< at least the probability that two draws agree
  float top_h = 0;        ///< in [0, 1]: this share of the entropy; 0 off

  float xtc_probability = 0;   ///< [0, 1]: how often the best tokens are removed; 0 off
  float xtc_threshold = 0.1f;  ///< [0, 1]: those above this probability, but the last of them; > 0.5 off
  /// The form without a coin and with the same law. Not together with scatter or `dynatemp_range` > 0.
  bool xtc_marginal = false;
  std::vector<token_id> xtc_protected = {};  ///< never removed

  // --- Penalties.
  float repetition_penalty = 1;          ///< > 0: l > 0 ? l / r : l * r for each token seen; 1 off
  float frequency_penalty = 0;           ///< l -= it * count; negative rewards
  float presence_penalty = 0;            ///< l -= it once; negative rewards
  int penalty_last_n = -1;               ///< >= -1: the window of all three
  bool repetition_normalized = false;    ///< repetition without its shift defect
  bool occurrence_counts_prompt = true;  ///< false: frequency and presence count generated tokens only

  float dry_multiplier = 0;     ///< l -= it * base^(length - allowed) for what would repeat; 0 off
  float dry_base = 1.75f;       ///< < 1 off
  int dry_allowed_length = 2;   ///< >= 0: the shortest repetition that counts; 0 counts as 1
  int dry_penalty_last_n = -1;  ///< >= -1
  std::vector<std::vector<token_id>> dry_sequence_breakers = {};  ///< of one id or more each

  // --- Scatter: the best k tokens trade mass with their neighbours in rank.
  float scatter_strength = 0;            ///< [0, 1]; 0 off, unless adaptive or absorbing
  float scatter_radius = 2.5f;           ///< in ranks; <= 0 off
  int scatter_k = 64;                    ///< <= 1024; <= 1 off
  int scatter_steps = 1;                 ///< <= 64; <= 0 off
  bool scatter_adaptive = false;         ///< the strength follows the entropy of the k tokens
  float scatter_strength_min = 0.02f;    ///< [0, 1], <= strength_max: at the highest entropy
  float scatter_strength_max = 0.30f;    ///< [0, 1]: at entropy 0
  float scatter_entropy_target = 0.55f;  ///< (0, 1), of the highest: where the strength is as given
  float scatter_absorption = 0;          ///< >= 0: p *= e^(-it * count); 0 off
  float scatter_collision = 1;           ///< [0, 1]: how often it scatters at all; 0 off
  int scatter_absorption_last_n = 64;    ///< >= -1

  // --- Feedback: in place of the plain draw.
  int mirostat = 0;            ///< [0, 2], its version; 0 off. Nothing but biases and temperature acts beside
  float mirostat_tau = 5;      ///< the surprise that it steers to, in bits
  float mirostat_eta = 0.1f;   ///< how fast
  float adaptive_target = -1;  ///< <= 1: the probability that adaptive-p steers to; < 0 off
  float adaptive_decay = 0.9f;  ///< [0, 0.99]: of the probabilities that it remembers

  // --- The end.
  int min_tokens = 0;  ///< >= 0: so many are generated before one of `end_tokens` may come
  std::vector<token_id> end_tokens = {};

  // --- Biases: before every stage. -inf bans and +inf forces; NaN is refused.
  std::vector<token_bias> logit_bias = {};
  std::vector<token_bias> language_bias = {};    ///< only where logit_bias is empty
  std::vector<token_id> suppressed_tokens = {};  ///< banned, whatever else is said

  // --- How: none of these changes the law, apart from `truncation`.
  truncation_rule truncation = truncation_rule::sequential;
  truncation_engine engine = truncation_engine::automatic;
  draw_method draw = draw_method::gumbel;
};

/// The first parameter out of its range, or none: field, range and value in a sentence. With a vocabulary
/// size, at most 2^20 - 1, ids are checked against it too; 0: it is not known.
SLUICE_ALWAYS_INLINE problem check(const sampling_params& params, std::size_t vocab_size = 0);

/// Sets one parameter from text: a field name of `sampling_params`, or a name that another system uses for it
/// (`temp`, `repeat_penalty`, `typ_p`, …), with `_` or `-`. An unknown name or a text that is no value of the
/// field is a problem, and `params` is unchanged; ranges are left to `check`.
///
/// Switches read true false on off yes no 1 0; `seed` a number or `random`. Lists: tokens `1,2,3`, biases
/// `15043:1.5,2:-inf`, breakers `5 9;6`; an empty text or `none` clears one.
SLUICE_ALWAYS_INLINE problem set(sampling_params& params, std::string_view name, std::string_view value);

/// The switches that environment variables set: SLUICE_DRAW (gumbel, softmax), SLUICE_ENGINE (automatic,
/// sort, select, rejection), SLUICE_TRUNCATION (sequential, joint). One that is absent or empty changes
/// nothing. A wrong value is a problem that names the variable, and `params` is unchanged. For programs that
/// want to be switched so: the library never reads the environment by itself. Not while another thread calls
/// setenv.
SLUICE_ALWAYS_INLINE problem apply_environment(sampling_params& params);

namespace presets {

/// Greedy, every filter off.
SLUICE_ALWAYS_INLINE sampling_params cli();
/// `breakers`: the ids of "\n", ":", "\"" and "*" in the model's vocabulary.
SLUICE_ALWAYS_INLINE sampling_params server(std::vector<std::vector<token_id>> breakers);
/// An interactive command line: the values of `server`.
SLUICE_ALWAYS_INLINE sampling_params run(std::vector<std::vector<token_id>> breakers = {});
/// What llama-server starts with.
SLUICE_ALWAYS_INLINE sampling_params llama_server();
/// Sets all the scatter parameters and no other: `subtle`, `creative`, `adaptive`, `gated` or
/// `adaptive_absorbing`.
SLUICE_ALWAYS_INLINE problem scatter(sampling_params& params, std::string_view name);

}  // namespace presets
}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
