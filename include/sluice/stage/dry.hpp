#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/row/members.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/stage/concepts.hpp>
#include <sluice/stage/parameter.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

SLUICE_IEEE_BEGIN

/// DRY, don't repeat yourself (p-e-w, text-generation-webui #5677): a token that would continue a repetition
/// of length L >= allowed_length loses multiplier * base^(L - allowed_length). L is the longest common suffix
/// of the history and an earlier part of it that this token followed; it does not reach past a sequence
/// breaker (one or more ids), nor out of the window. A token that is a breaker by itself is never penalised.
/// multiplier 0, base < 1 or last_n 0 is off; last_n -1 is the whole history; allowed_length 0 counts as 1.
/// The exponent is at most floor(88.7228391 / ln base). Absent tokens and ids outside the row are passed
/// over. Cost: the occurrences of the history's last two tokens; runs and periods are jumped over.
struct dry {
  static constexpr place where = place::dry;
  static constexpr stage_kind kind = stage_kind::edit;
  static constexpr stage_name name = {"dry", 'd'};
  float multiplier = 0;
  float base = 1.75f;
  int allowed_length = 2;
  int last_n = -1;
  std::vector<std::vector<token_id>> sequence_breakers = {};

  static constexpr auto parameters = std::tuple{
      parameter{"dry_multiplier", &dry::multiplier, &sampling_params::dry_multiplier},
      parameter{"dry_base", &dry::base, &sampling_params::dry_base},
      parameter{"dry_allowed_length", &dry::allowed_length, &sampling_params::dry_allowed_length,
                detail::from_zero},
      parameter{"dry_penalty_last_n", &dry::last_n, &sampling_params::dry_penalty_last_n, detail::any_window},
      parameter{"dry_sequence_breakers", &dry::sequence_breakers, &sampling_params::dry_sequence_breakers}};
  dry_rules rules = {};  ///< built from the four fields above

  void build() { rules = make_dry_rules(allowed_length, last_n, sequence_breakers); }
  bool active() const noexcept { return multiplier != 0 && base >= 1 && last_n != 0; }
  void operator()(row& r, sequence& q) const noexcept {
    const auto repeats = q.repeats(rules, r.workspace());
    if (!repeats) return r.fail(sample_status::out_of_memory);
    r.edit(*repeats, [this](const token_repeat& repeat, double l) {
      return l - double(multiplier) * raised(repeat.length - rules.allowed);
    });
  }
  bool prepare(sequence& q, workspace& memory, std::size_t vocab_size) const noexcept {
    return q.prepare_repeats(rules, memory, vocab_size);
  }

 private:
  /// base^exponent by repeated squaring, within the finite floats.
  double raised(std::uint32_t exponent) const noexcept {
    if (base > 1.000001f) {
      const double most = 88.7228391 / kernel::ln(double(base));
      if (double(exponent) > most) exponent = std::uint32_t(most);
    }
    double result = 1, square = double(base);
    for (; exponent != 0; exponent >>= 1, square *= square)
      if (exponent & 1) result *= square;
    return result;
  }
};
static_assert(history_stage<dry>);

SLUICE_IEEE_END

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
