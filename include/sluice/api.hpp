#pragma once

// The contract: what is declared here is what other programs compile against. Layouts and declarations only;
// the file that samples includes <sluice/sluice.hpp>, other headers of an engine include this one.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include <sluice/fwd.hpp>
#include <sluice/logits_view.hpp>
#include <sluice/params.hpp>
#include <sluice/sequence.hpp>
#include <sluice/token_mask.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

namespace detail {

struct standard_plan;
struct workspace_access;

/// Raw memory that grows and never shrinks; what it holds is lost when it grows.
class buffer {
 public:
  SLUICE_ALWAYS_INLINE buffer() noexcept = default;
  SLUICE_ALWAYS_INLINE buffer(buffer&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  SLUICE_ALWAYS_INLINE buffer& operator=(buffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  SLUICE_ALWAYS_INLINE ~buffer() { ::operator delete(memory_); }

  SLUICE_ALWAYS_INLINE std::byte* data() const noexcept { return static_cast<std::byte*>(memory_); }
  SLUICE_ALWAYS_INLINE std::size_t bytes() const noexcept { return bytes_; }
  /// Room for so many bytes, or false.
  SLUICE_ALWAYS_INLINE bool grow(std::size_t bytes) noexcept {
    if (bytes <= bytes_) return true;
    ::operator delete(memory_);
    memory_ = ::operator new(bytes, std::nothrow);
    bytes_ = memory_ != nullptr ? bytes : 0;
    return memory_ != nullptr;
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A plan that copies of a chain share; the last of them deletes it.
class shared_plan {
 public:
  SLUICE_ALWAYS_INLINE shared_plan() noexcept = default;
  SLUICE_ALWAYS_INLINE shared_plan(const standard_plan* plan, void (*destroy)(const standard_plan*),
                                   long* owners) noexcept
      : plan_(plan), destroy_(destroy), owners_(owners) {}
  SLUICE_ALWAYS_INLINE shared_plan(const shared_plan& other) noexcept
      : plan_(other.plan_), destroy_(other.destroy_), owners_(other.owners_) {
    if (owners_ != nullptr) __atomic_add_fetch(owners_, 1, __ATOMIC_RELAXED);
  }
  SLUICE_ALWAYS_INLINE shared_plan(shared_plan&& other) noexcept { swap(other); }
  SLUICE_ALWAYS_INLINE shared_plan& operator=(shared_plan other) noexcept {
    swap(other);
    return *this;
  }
  SLUICE_ALWAYS_INLINE ~shared_plan() {
    if (owners_ != nullptr && __atomic_sub_fetch(owners_, 1, __ATOMIC_ACQ_REL) == 0) destroy_(plan_);
  }

  SLUICE_ALWAYS_INLINE const standard_plan& operator*() const noexcept { return *plan_; }
  SLUICE_ALWAYS_INLINE const standard_plan* operator->() const noexcept { return plan_; }

 private:
  SLUICE_ALWAYS_INLINE void swap(shared_plan& other) noexcept {
    std::swap(plan_, other.plan_);
    std::swap(destroy_, other.destroy_);
    std::swap(owners_, other.owners_);
  }

  const standard_plan* plan_ = nullptr;
  void (*destroy_)(const standard_plan*) = nullptr;
  long* owners_ = nullptr;
};

}  // namespace detail

/// Scratch memory of one call at a time: at most 24 bytes a vocabulary entry (and 4,352 where there are fewer
/// than 4,096), for DRY at most 17 more a token that the sequence has room for. Grows once; then nothing
/// allocates. One a thread; a thread_local one is the default, which must not be used from the destructors of
/// static objects.
class workspace {
 public:
  std::size_t bytes() const noexcept { return row_.bytes() + repeats_.bytes(); }

 private:
  friend detail::workspace_access;
  detail::buffer row_;
  detail::repeat_scratch repeats_;
};

/// What one call adds to the chain. `mask`: the tokens that this step allows. `bias`: added for this step,
/// after the request's own; an id named twice adds up, ids outside [0, V) are ignored, NaN is `invalid_bias`.
/// `workspace`: scratch memory in place of the thread's own.
struct call_options {
  token_mask mask = {};
  std::span<const token_bias> bias = {};
  sluice::workspace* workspace = nullptr;
  sluice::trace* trace = nullptr;
};

/// The chain of `sampling_params`. Immutable: one serves any number of requests on all threads; copies share.
class standard_chain {
 public:
  /// Throws std::invalid_argument with the text of `check` (without exceptions: prints it and aborts).
  SLUICE_ALWAYS_INLINE explicit standard_chain(sampling_params params);

  /// Draws a token. Pure: without an accept between, the same token twice. Never throws; allocates nothing
  /// once the workspace has the size of the row and the sequence is prepared.
  SLUICE_ALWAYS_INLINE sample_result sample(logits_view logits, sluice::sequence& sequence,
                                            const call_options& options = {}) const noexcept;

  /// The law that `sample` draws from at this position, coins included: the survivors in rank order, `logit`
  /// before temperature, `probability` after. Empty where `sample` gives no token. Lives until the next call
  /// on the workspace.
  SLUICE_ALWAYS_INLINE std::span<const candidate> distribution(
      logits_view logits, sluice::sequence& sequence, const call_options& options = {}) const noexcept;

  /// Grows the workspace and indexes the history ahead, during prefill say; `sample` then allocates nothing.
  /// False where memory ran out.
  SLUICE_ALWAYS_INLINE bool prepare(sluice::sequence& sequence, std::size_t vocab_size,
                                    workspace* memory = nullptr) const noexcept;

  SLUICE_ALWAYS_INLINE const sampling_params& params() const noexcept;

 private:
  detail::shared_plan plan_;
};

/// Chain and sequence in one: the short door.
struct sampler {
  standard_chain chain;
  sluice::sequence sequence;

  /// Throws std::invalid_argument with the text of `check` (without exceptions: prints it and aborts).
  SLUICE_ALWAYS_INLINE explicit sampler(sampling_params params);

  /// Draws a token and accepts it; where there is none, nothing is accepted.
  SLUICE_ALWAYS_INLINE sample_result next(logits_view logits, const call_options& options = {});
  SLUICE_ALWAYS_INLINE sample_result sample(logits_view logits, const call_options& options = {}) noexcept;
  SLUICE_ALWAYS_INLINE std::span<const candidate> distribution(logits_view logits,
                                                               const call_options& options = {}) noexcept;
  SLUICE_ALWAYS_INLINE void accept(token_id token);
  SLUICE_ALWAYS_INLINE void accept(std::span<const token_id> tokens);
  SLUICE_ALWAYS_INLINE void accept(std::span<const std::int64_t> tokens);
  SLUICE_ALWAYS_INLINE void accept_prompt(std::span<const token_id> tokens);
  SLUICE_ALWAYS_INLINE void rewind(std::size_t tokens) noexcept;
};

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
