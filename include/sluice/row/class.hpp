#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include <sluice/api.hpp>
#include <sluice/history.hpp>
#include <sluice/kernel/arithmetic/elementary.hpp>
#include <sluice/kernel/arithmetic/exact_fraction.hpp>
#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/kernel/arithmetic/mass.hpp>
#include <sluice/kernel/arithmetic/rank_key.hpp>
#include <sluice/kernel/arithmetic/widen.hpp>
#include <sluice/kernel/block.hpp>
#include <sluice/kernel/kernels.hpp>
#include <sluice/kernel/lanes.hpp>
#include <sluice/random/noise_field.hpp>
#include <sluice/random/philox.hpp>
#include <sluice/repeats.hpp>
#include <sluice/truncate/select.hpp>
#include <sluice/truncate/sort.hpp>
#include <sluice/workspace.hpp>

namespace sluice::inline v1::inline SLUICE_ISA {

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

/// Rows of at least so many survivors are summed in float inside a block: there rounding errors cancel.
/// Shorter ones are cheap anyway.
inline constexpr std::size_t long_row = 4096;

struct by_distance;

/// The counts of a window: a range of token_count, in no order.
class token_counts {
 public:
  explicit token_counts(const detail::token_map<token_count>* counts) noexcept : counts_(counts) {}
  const token_count* begin() const noexcept {
    return counts_ != nullptr ? counts_->entries.begin() : nullptr;
  }
  const token_count* end() const noexcept { return counts_ != nullptr ? counts_->entries.end() : nullptr; }
  std::uint32_t of(token_id token) const noexcept {
    const token_count* const found = counts_ != nullptr ? maps::find(*counts_, token) : nullptr;
    return found != nullptr ? found->count : 0;
  }

 private:
  const detail::token_map<token_count>* counts_;
};

/// The row being sampled: what every stage is written in. Survivors are tokens with a finite logit; a token
/// that is removed is in no statistic and never comes back. The caller's logits are never written: an edit
/// copies the 256-token block that it touches. Dense rows and lists of candidates answer alike, bit for bit.
///
/// Memory, in the workspace: 4 bytes a token for copied or widened logits, 4 for ids, 12 for keys or
/// candidates, and a table of blocks. A list's logits and ids are compacted in place, block by block in
/// ascending order, so what is written never overtakes what is read.
class row {
 public:
  /// Reads the row once: maxima of blocks, NaN. `mask` (empty: none) removes what it does not allow.
  row(const logits_view& logits, const call_options& call, workspace& memory,
      truncation_engine engine) noexcept;
  row(const row&) = delete;
  row& operator=(const row&) = delete;

  // What there is.

  std::size_t vocab_size() const noexcept { return vocab_; }
  sample_status status() const noexcept { return status_; }
  bool saw_nan() const noexcept { return saw_nan_; }
  bool empty() const noexcept;
  /// The number of survivors.
  std::size_t size() noexcept;
  /// The largest logit; -inf where the row is empty.
  const float& max() noexcept;
  /// The first token in rank; `no_token` where the row is empty.
  token_id argmax() noexcept;
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
  /// The logit at which q_i equals sum q^2, q = softmax(l / t): the probability that two draws agree.
  double agreement_level(double t) noexcept;
  /// The first min(k, size) tokens in rank order. Lives until the next call of a non-const member.
  std::span<candidate> top(std::size_t k) noexcept;
  /// The tokens with m_i > fraction * M, in rank order.
  std::span<candidate> heavier_than(float fraction) noexcept;
  /// f(id, logit) for every survivor, in ascending order of id.
  template <class F>
  void each(F&& f) const noexcept {
    kernel::each_token(opened(floor_), block_count_, floor_, f);
  }

  // What came before. Where memory runs out these are empty and the call ends with that status.

  /// The tokens of the last `last_n` (-1: all) with their counts. Costs what came and went since the last
  /// call.
  token_counts window(sequence& q, int last_n, counted which = counted::all) noexcept;
  /// The tokens that would continue a repetition, with the longest match that each would continue.
  std::span<const token_repeat> repeats(sequence& q, const dry_rules& rules) noexcept;

  // Filters. Survivors keep their logits.

  /// Keeps l >= threshold; at least the first max(min_keep, 1) in rank.
  void keep_at_least(double threshold, int min_keep = 0) noexcept;
  /// Keeps the first k in rank; k <= 0 keeps all.
  void keep_top(std::int64_t k) noexcept;
  /// Keeps the shortest prefix of the ranking with mass >= p * M, and at least min_keep tokens. p outside [0,
  /// 1] is taken to its nearer end, NaN to 0.
  void keep_mass(float p, int min_keep = 0) noexcept;
  /// The same prefix, in the order of |l - center|, equal distances by rank.
  void keep_nearest(double center, float p, int min_keep = 0) noexcept;
  /// Keeps the tokens at or above a rank key.
  void keep_from(kernel::rank_key last) noexcept;
  /// The last key that `keep_mass` would keep.
  kernel::rank_key mass_cut(float p, int min_keep) noexcept;
  /// The last key that `keep_top` would keep, k in 1..size.
  kernel::rank_key top_cut(std::size_t k) noexcept;
  /// The last key that `keep_at_least` would keep.
  kernel::rank_key threshold_cut(double threshold, int min_keep) noexcept;
  void remove(token_id token) noexcept;

  // Edits. Results saturate at +-FLT_MAX; an absent token stays absent.

  /// l = f(double(l)) for one token, rounded once; a token that is absent or outside the row is passed over,
  /// and one for which f gives NaN stays as it is.
  template <class F>
  void edit(token_id token, F&& f) noexcept;
  /// l = f(entry, double(l)) for the tokens of many entries, each with a `token`.
  template <class Entries, class F>
  void edit(const Entries& entries, F&& f) noexcept;
  /// Adds `request`, then the call's own biases, summed in float in written order; -inf beats +inf. Where a
  /// +inf is left, the others are removed and the +inf tokens get logit 0.
  void add_biases(std::span<const token_bias> request) noexcept;
  bool has_call_bias() const noexcept { return !call_bias_.empty(); }
  /// The row becomes these candidates with these logits.
  void replace(std::span<candidate> candidates) noexcept;
  /// The draw divides by t. A stage that runs after this sees float(l / t), and the draw has t = 1.
  /// Where t is not above 0 the best token alone is kept.
  void temper(double t) noexcept {
    if (t > 0) {
      temperature_ = t;
    } else {
      keep_top(1);
    }
  }
  void settle_temperature() noexcept;
  /// Marks tokens that XTC would remove with this probability; the draw weighs them by `xtc_marginal`'s
  /// factor.
  void discount(std::span<const candidate> removable, double probability) noexcept;
  void fail(sample_status status) noexcept { status_ = status; }

  // What the draw needs.

  double temperature() const noexcept { return temperature_; }
  /// The maximum after the edits and before the filters.
  float reference() noexcept;
  /// The probability of `discount`, 0 where nothing is marked.
  double discount_probability() const noexcept { return discount_; }
  bool discounted(token_id token) const noexcept {
    return discount_ > 0 && (marks_[token / 32] >> (token % 32) & 1) != 0;
  }
  std::span<const kernel::block> blocks() const noexcept { return {blocks_, block_count_}; }
  /// The blocks, those that reach a logit widened: their logits may be read. So may those of the block given.
  kernel::block* opened(const float& least) const noexcept {
    if (narrow_ != nullptr) widen(least);
    return blocks_;
  }
  const kernel::block& opened(const kernel::block& block) const noexcept {
    if (block.logits == nullptr) widen(blocks_[&block - blocks_]);
    return block;
  }
  /// One logit, of a block that is opened or not.
  kernel::any_float logit(const kernel::block& block, std::size_t i) const noexcept {
    if (block.logits != nullptr) return block.logits[i];
    return kernel::element(narrow_, narrow_type_, std::size_t(block.first) + i);
  }
  /// A logit below it is an absent token.
  float floor() const noexcept { return floor_; }
  /// What the kernels call present: all tokens of the blocks, or those that reach the floor.
  kernel::any_float present() const noexcept {
    if (whole_ && floor_ == kernel::lowest) return kernel::infinite(-1);
    return floor_;
  }
  /// Memory for 12 bytes a token, or 64 bytes a block and 64 more.
  std::byte* scratch() const noexcept { return scratch_; }
  const kernel::table& kernels() const noexcept { return kernels_; }

 private:
  using rank_key = kernel::rank_key;

  // Opening (row/open.hpp).
  bool lay_out(std::size_t tokens, std::size_t blocks, std::size_t biases) noexcept;
  void open_dense(const logits_view& logits, const token_mask& mask) noexcept;
  std::optional<std::size_t> few_allowed(const token_mask& mask) noexcept;
  void open_allowed(const logits_view& logits, std::size_t allowed) noexcept;
  void open_sparse(const logits_view& logits, const token_mask& mask) noexcept;
  void drop_nan(kernel::block& block) noexcept;
  void widen(kernel::block& block) const noexcept;
  void widen(const float& least) const noexcept;
  void forget_sums() noexcept { max_known_ = total_known_ = weighted_known_ = false; }
  void list(std::size_t count) noexcept;

  // Finding and changing (row/edit.hpp).
  void number_blocks() noexcept;
  bool find(token_id token, kernel::block*& block, std::uint32_t& index) noexcept;
  float* writable(kernel::block& block) noexcept;
  kernel::any_float max_of(const float* logits, std::size_t count) const noexcept;
  void write(kernel::block& block, std::uint32_t index, const float& logit) noexcept;
  void solidify() noexcept;

  // Removing (row/filter.hpp, row/cut_by_mass.hpp, row/keep_nearest.hpp).
  template <class Keep>
  void compact(float least, Keep&& keep) noexcept;
  template <class Keep>
  void erase(Keep&& keep) noexcept;
  template <class Keep>
  void drop(float least, float below, Keep&& keep) noexcept;
  void adopt(std::span<rank_key> keys) noexcept;
  template <class Before>
  rank_key cut(std::span<rank_key> keys, std::uint64_t need, Before before) noexcept;
  template <class Before>
  rank_key cut_by_mass(Before before, float p, int min_keep) noexcept;
  bool cuts_plainly(float p) const noexcept;
  std::span<const kernel::block> sample(std::size_t stride) noexcept;
  std::uint64_t mass_between(float low, float past) noexcept;
  void keep_within(const by_distance& before, rank_key last) noexcept;
  float top_threshold(std::size_t k) const noexcept;
  std::span<rank_key> top_keys(std::size_t k) noexcept;
  std::span<rank_key> keys(float least) const noexcept;
  std::span<candidate> ranked(std::span<rank_key> keys) const noexcept;

  kernel::block* blocks_ = nullptr;
  std::size_t block_count_ = 0;
  float* logits_ = nullptr;  // copies, by id; or the logits of a list
  token_id* ids_ = nullptr;  // of a list
  std::byte* scratch_ = nullptr;
  std::uint32_t* marks_ = nullptr;
  std::uint32_t* places_ = nullptr;  // of a list's blocks, by number
  std::size_t vocab_ = 0, room_ = 0;
  workspace& memory_;
  std::span<const token_bias> call_bias_ = {};

  float floor_ = kernel::lowest;
  float max_ = 0, reference_ = 0;
  std::size_t size_ = 0;
  row_mass mass_ = {};
  bool max_known_ = false, size_known_ = false, reference_known_ = false;
  bool total_known_ = false, weighted_known_ = false;
  bool whole_ = false;  // no token of a block is absent, the floor apart
  const kernel::table& kernels_;
  const void* narrow_ = nullptr;  // 16-bit logits of a dense row
  logit_type narrow_type_ = logit_type::f16;
  bool numbered_ = false;
  bool dense_ = true;  // block b of the table is block b of the vocabulary
  bool saw_nan_ = false;
  sample_status status_ = sample_status::ok;
  truncation_engine engine_ = truncation_engine::select;
  double temperature_ = 1, discount_ = 0;
};

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA
