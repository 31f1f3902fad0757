#pragma once

// Many rows a step: each with its own parameters, sequence, mask and seed.
//
//     // Row-major, as a model leaves them.
//     const sluice::logits_rows rows(logits, requests.size(), vocab);
//     std::vector<sluice::batch_item> items;
//     for (std::size_t i = 0; i < requests.size(); ++i)
//       items.push_back({.logits = rows[i],
//                        .chain = &requests[i].chain,
//                        .sequence = &requests[i].sequence});
//     sluice::sample_batch(items, threads);  // threads: the caller's parallel_for
//     for (std::size_t i = 0; i < items.size(); ++i)
//       if (items[i].result) requests[i].sequence.accept(items[i].result.token);
//
// A row's token is the token that it gets alone: whatever batch it stands in, wherever, on any number of
// threads.

#include <cstddef>
#include <span>
#include <type_traits>

#include <sluice/api.hpp>
#include <sluice/chain/standard_chain.hpp>
#include <sluice/logits_view.hpp>
#include <sluice/serial.hpp>
#include <sluice/types.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// Rows of one buffer, row-major: row i begins i * stride elements after the first. Seen, never written; a
/// view that costs nothing to copy.
class logits_rows {
 public:
  constexpr logits_rows() noexcept = default;

  /// `stride`: elements from row to row, at least `vocab`; 0: `vocab`.
  template <logit T>
  constexpr logits_rows(const T* logits, std::size_t rows, std::size_t vocab, std::size_t stride = 0) noexcept
      : logits_rows(logits, rows, vocab, stride, logit_traits<std::remove_cv_t<T>>::type) {}

  constexpr logits_rows(const void* logits, std::size_t rows, std::size_t vocab, std::size_t stride,
                        logit_type type) noexcept
      : logits_(logits), rows_(rows), vocab_(vocab), stride_(stride == 0 ? vocab : stride), type_(type) {}

  constexpr std::size_t size() const noexcept { return rows_; }
  constexpr std::size_t vocab_size() const noexcept { return vocab_; }

  /// i < size().
  logits_view operator[](std::size_t i) const noexcept {
    const std::size_t bytes = type_ == logit_type::f32 ? 4 : 2;
    return {static_cast<const std::byte*>(logits_) + i * stride_ * bytes, vocab_, type_};
  }

 private:
  const void* logits_ = nullptr;
  std::size_t rows_ = 0, vocab_ = 0, stride_ = 0;
  logit_type type_ = logit_type::f32;
};

/// One row of a batch, and what came of it.
struct batch_item {
  logits_view logits = {};
  const standard_chain* chain = nullptr;  ///< may serve many items
  sluice::sequence* sequence = nullptr;   ///< of this item alone
  call_options options = {};              ///< a workspace that it names is of this item alone
  sample_result result = {};              ///< a status of its own; an item without chain or sequence gives
                                          ///< `no_token_left`
};

/// Samples every item as `chain->sample` would alone, and accepts nothing. parallel_for(n, f) calls f(i) once
/// for each i < n, on any threads and in any order, and returns when all are done; f does not throw. An item
/// that names no workspace uses that of the thread it runs on. The library starts no thread and holds none.
/// Cost: that of the calls. Allocates nothing once each thread's workspace has the
/// size of the rows and the sequences are prepared.
template <class ParallelFor = serial>
void sample_batch(std::span<batch_item> items, ParallelFor&& parallel_for = ParallelFor{}) {
  const auto one = [items](std::size_t i) noexcept {
    batch_item& item = items[i];
    item.result = item.chain != nullptr && item.sequence != nullptr
                      ? item.chain->sample(item.logits, *item.sequence, item.options)
                      : sample_result{.status = sample_status::no_token_left};
  };
  parallel_for(items.size(), one);
}

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
