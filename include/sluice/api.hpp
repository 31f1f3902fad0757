#pragma once

// The contract: what is declared here is what other programs compile against. Layouts and declarations only;
// the file that samples includes <sluice/sluice.hpp>, other headers of an engine include this one.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <sluice/fwd.hpp>
#include <sluice/logits_view.hpp>
#include <sluice/params.hpp>
#include <sluice/sequence.hpp>
#include <sluice/token_mask.hpp>
#include <sluice/types.hpp>

namespace sluice::inline v1 {

namespace detail {

struct standard_plan;
struct workspace_access;

/// Raw memory that grows and never shrinks; what it holds is lost when it grows.
class buffer {
 public:
  buffer() noexcept = default;
  buffer(buffer&& other) noexcept : memory_(std::move(other.memory_)), bytes_(other.bytes_) {
    other.bytes_ = 0;
  }
  buffer& operator=(buffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    bytes_ = other.bytes_;
    other.bytes_ = 0;
    return *this;
  }

  std::byte* data() const noexcept { return memory_.get(); }
  std::size_t bytes() const noexcept { return bytes_; }
  bool grow(std::size_t bytes) noexcept;

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace detail

/// Scratch memory of one call at a time: at most 24 bytes a vocabulary entry. Grows once; then nothing
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
  SLUICE_DOOR explicit standard_chain(sampling_params params);

  /// Draws a token. Pure: without an accept between, the same token twice. Never throws; allocates nothing
  /// once the workspace has the size of the row and the sequence is prepared.
  SLUICE_DOOR sample_result sample(logits_view logits, sluice::sequence& sequence,
                                   const call_options& options = {}) const noexcept;

  /// The law that `sample` draws from at this position, coins included: the survivors in rank order, `logit`
  /// before temperature, `probability` after. Empty where `sample` gives no token. Lives until the next call
  /// on the workspace.
  SLUICE_DOOR std::span<const candidate> distribution(logits_view logits, sluice::sequence& sequence,
                                                      const call_options& options = {}) const noexcept;

  /// Grows the workspace and indexes the history ahead, during prefill say; `sample` then allocates nothing.
  /// False where memory ran out.
  SLUICE_DOOR bool prepare(sluice::sequence& sequence, std::size_t vocab_size,
                           workspace* memory = nullptr) const noexcept;

  SLUICE_DOOR const sampling_params& params() const noexcept;

 private:
  std::shared_ptr<const detail::standard_plan> plan_;
};

/// Chain and sequence in one: the short door.
struct sampler {
  standard_chain chain;
  sluice::sequence sequence;

  /// Throws std::invalid_argument with the text of `check` (without exceptions: prints it and aborts).
  SLUICE_DOOR explicit sampler(sampling_params params);

  /// Draws a token and accepts it; where there is none, nothing is accepted.
  SLUICE_DOOR sample_result next(logits_view logits, const call_options& options = {});
  SLUICE_DOOR sample_result sample(logits_view logits, const call_options& options = {}) noexcept;
  SLUICE_DOOR std::span<const candidate> distribution(logits_view logits,
                                                      const call_options& options = {}) noexcept;
  SLUICE_DOOR void accept(token_id token);
  SLUICE_DOOR void accept(std::span<const token_id> tokens);
  SLUICE_DOOR void accept(std::span<const std::int64_t> tokens);
  SLUICE_DOOR void accept_prompt(std::span<const token_id> tokens);
  SLUICE_DOOR void rewind(std::size_t tokens) noexcept;
};

}  // namespace sluice::inline v1
