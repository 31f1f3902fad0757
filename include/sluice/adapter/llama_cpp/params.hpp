#pragma once

// A configuration of llama.cpp as sampling_params. Needs no llama.h.
//
// What means something else there:
//   penalty_last_n, dry_penalty_last_n   -1 is the size of the context in llama.cpp's options, 0 (off) in its
//                                        sampler functions, and the whole history in sampling_params
//   temp                                 <= 0 is greedy; here below 1e-5 is
//   seed                                 0xFFFFFFFF and -1 are a random one
//   values out of range                  mean off, or the end of the range; here they are a problem
//   the order                            typ_p stands behind top_k; in the fixed order of sluice before it

#include <algorithm>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sluice/params.hpp>
#include <sluice/params/environment.hpp>
#include <sluice/params/presets.hpp>
#include <sluice/params/set.hpp>
#include <sluice/refuse.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::llama {
namespace detail {
inline namespace SLUICE_ISA {

/// The order in which llama.cpp's programs run their samplers, scatter where the experiment puts it.
inline constexpr std::string_view usual_order =
    "penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;scatter;temperature";

inline int window(int last_n, int context_size) noexcept {
  return last_n == -1 ? std::max(context_size, 0) : std::max(last_n, 0);
}

inline void fit_params(sampling_params& p, int context_size) noexcept {
  p.penalty_last_n = window(p.penalty_last_n, context_size);
  p.dry_penalty_last_n = window(p.dry_penalty_last_n, context_size);
  p.scatter_absorption_last_n = window(p.scatter_absorption_last_n, context_size);
  p.top_p = std::clamp(p.top_p, 0.0f, 1.0f);
  p.min_p = std::clamp(p.min_p, 0.0f, 1.0f);
  p.typical_p = std::clamp(p.typical_p, FLT_MIN, 1.0f);
  p.xtc_probability = p.xtc_threshold > 0.5f ? 0 : std::clamp(p.xtc_probability, 0.0f, 1.0f);
  p.xtc_threshold = std::clamp(p.xtc_threshold, 0.0f, 1.0f);
  p.dry_allowed_length = std::max(p.dry_allowed_length, 0);
  p.min_keep = std::max(p.min_keep, 0);
  p.mirostat = std::clamp(p.mirostat, 0, 2);
  p.adaptive_target = std::min(p.adaptive_target, 1.0f);
  p.adaptive_decay = std::clamp(p.adaptive_decay, 0.0f, 0.99f);
}

inline problem set_option(sampling_params& params, std::string_view name, std::string_view value) {
  if (name == "-s") name = "seed";
  if (name == "-l") name = "logit_bias";
  while (name.starts_with('-')) name.remove_prefix(1);
  if (name == "seed" && value == "4294967295") value = "random";
  if (name == "logit_bias" || name == "logit-bias") {  // may be given again and again
    const std::vector<token_bias> before = std::exchange(params.logit_bias, {});
    problem found = sluice::set(params, name, value);
    params.logit_bias.insert(params.logit_bias.begin(), before.begin(), before.end());
    return found;
  }
  return sluice::set(params, name, value);
}

/// As letters: what llama.cpp knows and sluice does not is then told by `check`.
template <class Types>
std::string order_of(const Types& types) {
  std::string letters;
  for (const auto type : types) letters += common_sampler_type_to_chr(type);
  return letters;
}

}  // namespace SLUICE_ISA
}  // namespace detail

/// What llama.cpp's programs start with: temperature 0.8, top_k 40, top_p 0.95, min_p 0.05, windows of 64
/// tokens for penalties and of the context for DRY, and their order.
SLUICE_ALWAYS_INLINE sampling_params defaults() {
  sampling_params params = presets::llama_server();
  params.order = detail::usual_order;
  return params;
}

/// sluice::set with an option of llama.cpp's programs or a key of its requests: "--repeat-last-n", "--temp",
/// "-s", "--samplers", "--sampler-seq". logit_bias adds to what is there. Ranges and windows are left to
/// `fit`.
SLUICE_ALWAYS_INLINE problem set(sampling_params& params, std::string_view name, std::string_view value) {
  return detail::set_option(params, name, value);
}

/// Values in llama.cpp's meaning, as sampling_params mean them: windows of -1 are `context_size`, and numbers
/// out of range are off or the end of the range. NaN is left to `check`.
SLUICE_ALWAYS_INLINE void fit(sampling_params& params, std::int64_t context_size) noexcept {
  detail::fit_params(params, int(std::clamp<std::int64_t>(context_size, 0, std::numeric_limits<int>::max())));
}

/// From the sampling part of llama.cpp's own common_params, or any struct with its field names; the order
/// through its common_sampler_type_to_chr. `breakers` are its dry_sequence_breakers, which are text, as
/// `dry_breakers` makes them. Mirostat and adaptive-p are carried over where
/// the struct has them; the grammar is not. The switches of
/// `apply_environment` are; throws std::invalid_argument where one is wrong.
template <class CommonParams>
sampling_params params_from(const CommonParams& common, std::int64_t context_size,
                            std::vector<std::vector<token_id>> breakers = {}) {
  sampling_params p;
  if (common.seed != 0xFFFFFFFF) p.seed = common.seed;
  p.order = detail::order_of(common.samplers);
  p.temperature = common.temp;
  p.dynatemp_range = std::max(common.dynatemp_range, 0.0f);
  p.dynatemp_exponent = common.dynatemp_exponent;
  p.top_k = common.top_k;
  p.top_p = common.top_p;
  p.min_p = common.min_p;
  p.typical_p = common.typ_p;
  p.top_n_sigma = common.top_n_sigma;
  p.min_keep = common.min_keep;
  p.xtc_probability = common.xtc_probability;
  p.xtc_threshold = common.xtc_threshold;
  p.repetition_penalty = common.penalty_repeat;
  p.frequency_penalty = common.penalty_freq;
  p.presence_penalty = common.penalty_present;
  p.penalty_last_n = common.penalty_last_n;
  p.dry_multiplier = common.dry_multiplier;
  p.dry_base = common.dry_base;
  p.dry_allowed_length = common.dry_allowed_length;
  p.dry_penalty_last_n = common.dry_penalty_last_n;
  p.dry_sequence_breakers = std::move(breakers);
  if constexpr (requires { common.mirostat_tau; }) {
    p.mirostat = common.mirostat;
    p.mirostat_tau = common.mirostat_tau;
    p.mirostat_eta = common.mirostat_eta;
  }
  if constexpr (requires { common.adaptive_target; }) {
    p.adaptive_target = common.adaptive_target;
    p.adaptive_decay = common.adaptive_decay;
  }
  for (const auto& [token, bias] : common.logit_bias) p.logit_bias.push_back({token, bias});
  fit(p, context_size);
  if (const problem wrong = apply_environment(p)) sluice::detail::refuse(wrong);
  return p;
}

}  // namespace sluice::inline v1::llama

#include <sluice/macros_back.inc>
