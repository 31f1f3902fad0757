#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <sluice/kernel/arithmetic/floats.hpp>
#include <sluice/kernel/arithmetic/rank_key.hpp>
#include <sluice/kernel/arithmetic/widen.hpp>
#include <sluice/kernel/block.hpp>
#include <sluice/kernel/kernels.hpp>
#include <sluice/logits_view.hpp>
#include <sluice/row/scratch.hpp>
#include <sluice/token_mask.hpp>
#include <sluice/workspace.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1::inline SLUICE_ISA {

SLUICE_IEEE_BEGIN

/// The tokens of a row, by blocks of 256. Dense: the caller's logits where they lie, 16-bit ones widened
/// block by block where they are read. List: logits and ids side by side, in ascending order of id. The
/// caller's logits are never written: a change copies the block first. A token is absent where its logit lies
/// below the threshold, -inf included; NaN never stands in a block.
///
/// Memory, in the workspace: 4 bytes a token for copied or widened logits, 4 for ids, 12 of scratch, and a
/// table of blocks. A list is compacted in place: what is written never overtakes what is read.
class row_blocks {
 public:
  row_blocks(sluice::workspace& memory, std::size_t vocab_size) noexcept
      : memory_(memory), kernels_(kernel::kernels(tier())), vocab_(vocab_size) {}
  row_blocks(const row_blocks&) = delete;
  row_blocks& operator=(const row_blocks&) = delete;

  // Opening (row/open.hpp).

  /// The workspace's memory for a row.
  static std::size_t bytes(std::size_t tokens, std::size_t blocks, std::size_t biases) noexcept;
  /// Gets that memory; false where there is none.
  bool lay_out(std::size_t tokens, std::size_t biases) noexcept;
  /// Reads the row once. Whether a token that the mask allows was NaN.
  bool open(const logits_view& logits, const token_mask& mask) noexcept;

  // What there is.

  std::size_t vocab_size() const noexcept { return vocab_; }
  const kernel::table& kernels() const noexcept { return kernels_; }
  sluice::workspace& memory() const noexcept { return memory_; }
  sluice::scratch scratch() const noexcept { return sluice::scratch(scratch_); }
  bool is_list() const noexcept { return !dense_; }
  /// The blocks. Logits of a dense 16-bit row stand in those that are widened alone.
  std::span<const kernel::block> table() const noexcept { return {blocks_, block_count_}; }
  std::size_t block_count() const noexcept { return block_count_; }
  /// A logit below it is an absent token.
  float threshold() const noexcept { return threshold_; }
  /// What the kernels call present: all tokens of the blocks, or those that reach the threshold.
  kernel::any_float present() const noexcept {
    if (complete_ && threshold_ == kernel::lowest) return kernel::infinite(-1);
    return threshold_;
  }
  /// Whether the maxima of the blocks must be asked for +inf.
  bool may_be_infinite() const noexcept { return !complete_ || !dense_; }
  /// Rises with every change of a logit or of what is present.
  std::uint64_t changes() const noexcept { return changes_; }

  /// The blocks, those that reach a logit widened: their logits may be read.
  const kernel::block* widened(const float& least) const noexcept {
    if (narrow_ != nullptr) widen_reaching(least);
    return blocks_;
  }
  const kernel::block& widened(const kernel::block& block) const noexcept {
    if (block.logits == nullptr) widen(blocks_[&block - blocks_]);
    return block;
  }
  /// One logit, of a block that is widened or not.
  kernel::any_float logit(const kernel::block& block, std::size_t i) const noexcept {
    if (block.logits != nullptr) return block.logits[i];
    return kernel::element(narrow_, narrow_type_, std::size_t(block.first) + i);
  }
  /// f(id, logit) for every token that is present, in ascending order of id.
  template <class F>
  void each(F&& f) const noexcept {
    kernel::each_token(widened(threshold_), block_count_, threshold_, f);
  }

  /// The block of a token that is present, widened, and its place there; null where it is absent.
  const kernel::block* place_of(token_id token, std::uint32_t& index) noexcept {
    kernel::block* block = nullptr;
    return find(token, block, index) ? block : nullptr;
  }

  bool empty() const noexcept {
    for (const kernel::block& block : table())
      if (block.max >= threshold_) return false;
    return true;
  }
  /// Blocks with a token that is present.
  std::size_t blocks_present() const noexcept { return blocks_reaching(threshold_); }
  std::size_t blocks_reaching(const float& logit) const noexcept {
    std::size_t count = 0;
    for (const kernel::block& block : table()) count += block.max >= logit;
    return count;
  }
  std::size_t size() noexcept {
    if (!size_known_) {
      const bool all = dense_ && kernel::is_infinite(present());
      size_ = all ? vocab_ : kernels_.count(widened(threshold_), block_count_, threshold_);
      size_known_ = true;
    }
    return size_;
  }
  /// -inf where nothing is present.
  const float& max() noexcept {
    if (!max_known_) {
      max_ = kernel::infinite(-1);
      for (const kernel::block& block : table())
        if (block.max >= threshold_ && block.max > max_) max_ = block.max;
      max_known_ = true;
    }
    return max_;
  }
  /// The first token in rank; `no_token` where nothing is present.
  token_id argmax() noexcept {
    const float best = max();
    for (const kernel::block& block : table()) {
      if (!(block.max >= threshold_) || block.max < best) continue;
      for (std::uint32_t i = 0; i < block.count; ++i)
        if (logit(block, i) == best) return block.id(i);
    }
    return no_token;
  }

  // Removing.

  /// What lies below becomes absent; the best token is not below.
  void raise_threshold(const float& least) noexcept {
    threshold_ = least;
    size_known_ = false;
    ++changes_;
  }
  /// -inf in place of the tokens with least <= l < below that `keep` lets go.
  template <class Keep>
  void remove_between(float least, float below, Keep&& keep) noexcept;
  /// The survivors with l >= least that `keep` holds on to become a list.
  template <class Keep>
  void list_kept(float least, Keep&& keep) noexcept;
  /// These keys, in the scratch memory, become a list.
  void list_keys(std::span<kernel::rank_key> keys) noexcept;
  /// f(ids, logits) writes a list into memory for `vocab_size` tokens, in ascending order of id, and says how
  /// many there are.
  template <class F>
  void list_written(F&& f) noexcept {
    list(f(ids_, logits_));
  }

  /// A number for each token of a list, in the scratch memory beyond what a draw takes.
  double* notes() const noexcept { return sluice::scratch::beyond_draw(scratch_, blocks_of_vocabulary()); }
  /// That of a token of the list; 0 where it is not there.
  double note(token_id token) const noexcept {
    for (const kernel::block& block : table()) {
      if (token < block.first || token - block.first >= token_id(detail::block_size)) continue;
      for (std::uint32_t i = 0; i < block.count; ++i)
        if (block.id(i) == token) return notes()[block.logits + i - logits_];
    }
    return 0;
  }

  // Editing (row/edit.hpp).

  /// Logits to write, and what is owed to the blocks afterwards: the maximum of a block that lost its best
  /// token is taken once, when all is written.
  class editor;

  /// Tokens below the threshold become -inf, so that an edit can neither revive nor remove one.
  void materialize_threshold() noexcept;
  /// l = f(l) for every token that is present.
  template <class F>
  void edit_all(F&& f) noexcept;

  // Marks, one a token: the tokens that xtc_marginal discounts.

  void mark(std::span<const candidate> tokens) noexcept {
    std::fill_n(marks_, (vocab_ + 31) / 32, 0u);
    for (const candidate& c : tokens) marks_[c.id / 32] |= 1u << (c.id % 32);
  }
  bool marked(token_id token) const noexcept { return (marks_[token / 32] >> (token % 32) & 1) != 0; }

 private:
  // row/open.hpp
  bool open_dense(const logits_view& logits, const token_mask& mask) noexcept;
  std::optional<std::size_t> few_allowed(const token_mask& mask) noexcept;
  bool open_allowed(const logits_view& logits, std::size_t allowed) noexcept;
  bool open_sparse(const logits_view& logits, const token_mask& mask) noexcept;
  bool list_finite(std::size_t& count, token_id id, const float& logit) noexcept;
  void remove_nan(kernel::block& block) noexcept;
  void widen(kernel::block& block) const noexcept;
  void widen_reaching(const float& least) const noexcept;
  void list(std::size_t count) noexcept;
  std::size_t blocks_of_vocabulary() const noexcept {
    return (vocab_ + detail::block_size - 1) / detail::block_size;
  }

  // row/edit.hpp
  void remove_keys(std::span<const kernel::rank_key> keys) noexcept;
  void number_blocks() noexcept;
  bool find(token_id token, kernel::block*& block, std::uint32_t& index) noexcept;
  bool find_in_list(token_id token, kernel::block*& block, std::uint32_t& index) noexcept;
  float* writable(kernel::block& block) noexcept;
  void take_max(kernel::block& block) noexcept;

  sluice::workspace& memory_;
  const kernel::table& kernels_;
  kernel::block* blocks_ = nullptr;
  std::size_t block_count_ = 0;
  float* logits_ = nullptr;  // copies, by id; or the logits of a list
  token_id* ids_ = nullptr;  // of a list
  std::byte* scratch_ = nullptr;
  std::uint32_t* marks_ = nullptr;
  std::uint32_t* places_ = nullptr;  // of a list's blocks, by number
  std::size_t vocab_ = 0, cells_ = 0;
  const void* narrow_ = nullptr;  // 16-bit logits of a dense row
  logit_type narrow_type_ = logit_type::f16;

  float threshold_ = kernel::lowest;
  float max_ = 0;
  std::size_t size_ = 0;
  std::uint64_t changes_ = 0;
  bool max_known_ = false, size_known_ = false;
  bool complete_ = false;  // no token of a block is absent, the threshold apart
  bool dense_ = true;      // block b of the table is block b of the vocabulary
  bool numbered_ = false;
};

SLUICE_IEEE_END

}  // namespace sluice::inline v1::inline SLUICE_ISA

#include <sluice/macros_back.inc>
