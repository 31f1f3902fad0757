#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <sluice/api.hpp>
#include <sluice/row/blocks.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

namespace detail::inline SLUICE_ISA {
struct row_internals;
}

inline namespace SLUICE_ISA {

SLUICE_IEEE_BEGIN

/// Number, mean and population standard deviation of the surviving logits.
struct row_moments {
  std::size_t count = 0;
  double mean = 0, deviation = 0;
};

/// The integer masses of the survivors, m_i = round(2^44 e^(l_i - max)): their sum, and sum m_i (l_i - max).
struct row_mass {
  std::uint64_t total = 0;
  double weighted = 0;
};

/// The row being sampled: what every stage is written in. Survivors are tokens with a finite logit; a token
/// that is removed is in no statistic and never comes back. The caller's logits are never written. Dense rows
/// and lists of candidates answer alike, bit for bit.
class row {
 public:
  /// Reads the row once: maxima of blocks, NaN. What the mask of the call does not allow is absent.
  row(const logits_view& logits, const call_options& call, sluice::workspace& memory,
      truncation_engine engine) noexcept;
  row(const row&) = delete;
  row& operator=(const row&) = delete;

  // What there is (row/statistics.hpp).

  std::size_t vocab_size() const noexcept { return blocks_.vocab_size(); }
  sample_status status() const noexcept { return status_; }
  /// Whether a token that the mask allows was NaN on entry.
  bool saw_nan() const noexcept { return saw_nan_; }
  bool empty() const noexcept { return blocks_.empty(); }
  /// The number of survivors.
  std::size_t size() noexcept { return blocks_.size(); }
  /// The largest logit; -inf where the row is empty.
  const float& max() noexcept { return blocks_.max(); }
  /// The first token in rank; `no_token` where the row is empty.
  token_id argmax() noexcept { return blocks_.argmax(); }
  /// Deviations from the mean are within 2^-18 relative, typically 2^-24.
  row_moments moments() noexcept;
  row_mass mass() noexcept;
  /// Its total alone, which is cheaper.
  std::uint64_t total_mass() noexcept;
  /// sum p_i l_i.
  double expectation() noexcept;
  /// -sum p_i ln p_i, in nats.
  double entropy() noexcept;
  /// ln sum e^(l_i).
  double log_sum_exp() noexcept;
  /// The logit at which q_i equals sum q^2, q = softmax(l / t): the probability that two draws collide.
  double collision_level(double t) noexcept;
  /// The first min(k, size) tokens in rank order. Lives until the next call of a non-const member.
  std::span<candidate> top(std::size_t k) noexcept;
  /// f(id, logit) for every survivor, in ascending order of id. f must not call the row.
  template <class F>
  void each(F&& f) const noexcept {
    blocks_.each(f);
  }
  /// The scratch memory of the call, which a question to the sequence may need.
  sluice::workspace& workspace() const noexcept { return blocks_.memory(); }

  // Filters. Survivors keep their logits. By rank: cut/by_rank.hpp, by mass: cut/by_mass.hpp,
  // cut/by_distance.hpp.

  /// Keeps l >= threshold; at least what ties with the maximum, and the first min_keep in rank.
  void keep_at_least(double threshold, int min_keep = 0) noexcept;
  /// Keeps the first k in rank; k <= 0 keeps all.
  void keep_top(std::int64_t k) noexcept;
  /// Keeps the shortest prefix of the ranking with mass >= p * M, and at least min_keep tokens. p outside [0,
  /// 1] is taken to its nearer end, NaN to 0.
  void keep_mass(float p, int min_keep = 0) noexcept;
  /// The same prefix, in the order of |l - center|, equal distances by rank.
  void keep_nearest(double center, float p, int min_keep = 0) noexcept;
  /// Keeps the survivors for which f(id, logit) holds. f must not call the row. Cost: all survivors become a
  /// list.
  template <class F>
  void keep_if(F&& f) noexcept;
  void remove(token_id token) noexcept;
  /// The tokens of many candidates.
  void remove(std::span<const candidate> tokens) noexcept;

  // Edits (row/members.hpp). Results saturate at +-FLT_MAX; an absent token stays absent.

  /// l = f(double(l)) for one token, rounded once; a token that is absent or outside the row is passed over,
  /// and one for which f gives NaN stays as it is.
  template <class F>
  void edit(token_id token, F&& f) noexcept;
  /// l = f(entry, double(l)) for the tokens of many entries, each with a `token`.
  template <class Entries, class F>
  void edit(const Entries& entries, F&& f) noexcept;
  /// The row becomes these candidates with these logits, in any order; one that has no finite logit, stands
  /// outside the row, or names an id again is left out.
  void replace(std::span<candidate> candidates) noexcept;
  /// The call ends with this status.
  void fail(sample_status status) noexcept { status_ = status; }

  // What the draw reads.

  /// The draw divides by t. A stage that runs after this sees float(l / t), and the draw has t = 1.
  /// Where t is not above 0 the best token alone is kept.
  void set_temperature(double t) noexcept;
  double temperature() const noexcept { return temperature_; }
  /// The maximum after the edits and before the filters: from it the draw measures its scores.
  float reference() noexcept;

 private:
  friend detail::row_internals;

  row_blocks blocks_;
  std::span<const token_bias> call_bias_ = {};
  std::optional<float> call_temperature_ = {};
  row_mass mass_ = {};
  std::uint64_t total_as_of_ = ~std::uint64_t{0},
                weighted_as_of_ = ~std::uint64_t{0};  // changes of the blocks
  double temperature_ = 1, discount_ = 0;
  float reference_ = 0;
  bool reference_known_ = false;
  bool saw_nan_ = false;
  sample_status status_ = sample_status::ok;
  truncation_engine engine_ = truncation_engine::select;
};

}  // namespace SLUICE_ISA

namespace detail::inline SLUICE_ISA {

/// What cuts, draws, the chain and the listed stages may do with a row, and a stage of one's own may not.
struct row_internals {
  static row_blocks& blocks(row& r) noexcept { return r.blocks_; }
  static truncation_engine engine(const row& r) noexcept { return r.engine_; }
  /// Adds the request's biases, then the call's own, summed in float in written order; -inf beats +inf. Where
  /// a +inf is left, the others are removed and the +inf tokens get logit 0.
  static void add_biases(row& r, std::span<const token_bias> request) noexcept;
  /// These tokens are absent, as if the mask did not allow them: before the biases.
  static void forbid(row& r, std::span<const token_id> tokens) noexcept;
  /// The call's own temperature, for the stages that read one in place of the chain's.
  static void set_temperature_of_call(row& r, std::optional<float> t) noexcept { r.call_temperature_ = t; }
  static float temperature_of(const row& r, float chains) noexcept {
    return r.call_temperature_.value_or(chains);
  }
  /// l = f(l, note) for every survivor, all finite; the survivors become a list, and the draw has t = 1. The
  /// notes stay while the row is drawn from.
  template <class F>
  static void reshape(row& r, F&& f) noexcept;
  /// The note of a survivor, after `reshape`.
  static double noted(row& r, token_id token) noexcept { return r.blocks_.note(token); }
  /// Writes float(l / t) where a temperature was set.
  static void apply_temperature(row& r) noexcept;
  /// Marks tokens that XTC would remove with this probability; the draw weighs them by `xtc_marginal`'s
  /// factor.
  static void discount(row& r, std::span<const candidate> removable, double probability) noexcept;
  /// That probability, 0 where nothing is marked.
  static double discount_probability(const row& r) noexcept { return r.discount_; }
  static bool discounted(const row& r, token_id token) noexcept {
    return r.discount_ > 0 && r.blocks_.marked(token);
  }

 private:
  static void add_sorted_biases(row& r, std::span<const token_bias> request) noexcept;
  static void keep_forced(row& r) noexcept;
};

}  // namespace detail::inline SLUICE_ISA

SLUICE_IEEE_END

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
