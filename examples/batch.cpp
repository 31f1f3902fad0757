// A batch of rows on threads of the program's own: sluice starts none. Three ways to give it some, a few
// lines each: std::jthreads that live as long as their owner, OpenMP, oneTBB. Each row is then held against
// the same row sampled alone.

#include <sluice/sluice.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#if EXAMPLE_HAS_TBB
#include <tbb/parallel_for.h>
#endif

namespace {

/// Threads that wait for work. One batch at a time.
class thread_pool {
 public:
  explicit thread_pool(std::size_t threads) {
    for (std::size_t t = 0; t < threads; ++t)
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  ~thread_pool() = default;  // the threads are told to stop, and waited for

  /// What sample_batch asks for: f(i) once for each i < n, on any threads; back when all are done.
  template <class F>
  void operator()(std::size_t n, F&& f) {
    std::unique_lock lock(mutex_);
    run_ = std::ref(f);
    next_ = 0;
    count_ = left_ = n;
    wake_.notify_all();
    done_.wait(lock, [this] { return left_ == 0; });
  }

 private:
  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, stop, [this] { return next_ < count_; })) {
      const std::size_t i = next_++;
      lock.unlock();
      run_(i);
      lock.lock();
      if (--left_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable done_;
  std::function<void(std::size_t)> run_;
  std::size_t next_ = 0, count_ = 0, left_ = 0;
  std::vector<std::jthread> threads_;  // last, so that they go first
};

#if EXAMPLE_HAS_OPENMP
struct open_mp {
  template <class F>
  void operator()(std::size_t n, F&& f) const {
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < n; ++i) f(i);
  }
};
#endif

#if EXAMPLE_HAS_TBB
struct one_tbb {
  template <class F>
  void operator()(std::size_t n, F&& f) const {
    tbb::parallel_for(std::size_t{0}, n, f);
  }
};
#endif

constexpr std::size_t requests = 32, vocab = 32'000;

/// The requests of a server: their sequences, and the model's rows in one buffer.
struct step {
  std::vector<sluice::standard_chain> chains;
  std::vector<sluice::sequence> sequences;
  std::vector<float> logits = std::vector<float>(requests * vocab);

  step() {
    for (std::size_t i = 0; i < requests; ++i) {
      sluice::sampling_params params;
      params.temperature = 0.5f + 0.05f * static_cast<float>(i);
      params.top_k = 40;
      params.min_p = 0.02f;
      chains.emplace_back(params);
      sequences.emplace_back(sluice::derive_seed(42, i));
    }
    std::uint32_t state = 1;
    for (float& l : logits) l = static_cast<float>((state = state * 1'664'525 + 1'013'904'223) >> 16) * 2e-4f;
  }
};

template <class ParallelFor>
bool sample_with(const char* name, step& s, ParallelFor&& parallel_for) {
  const sluice::logits_rows rows(s.logits.data(), requests, vocab);
  std::vector<sluice::batch_item> items;
  for (std::size_t i = 0; i < requests; ++i)
    items.push_back({.logits = rows[i], .chain = &s.chains[i], .sequence = &s.sequences[i]});

  sluice::sample_batch(items, parallel_for);

  std::size_t same = 0;
  for (std::size_t i = 0; i < requests; ++i)
    same += items[i].result.token == s.chains[i].sample(rows[i], s.sequences[i]).token;
  std::printf("%-9s %zu of %zu rows have the token that they have alone\n", name, same, requests);
  return same == requests;
}

}  // namespace

int main() {
  step s;
  thread_pool pool(4);
  bool same = sample_with("serial", s, sluice::serial{});
  same &= sample_with("jthreads", s, pool);
#if EXAMPLE_HAS_OPENMP
  same &= sample_with("OpenMP", s, open_mp{});
#else
  std::puts("OpenMP    not found when this was built");
#endif
#if EXAMPLE_HAS_TBB
  same &= sample_with("oneTBB", s, one_tbb{});
#else
  std::puts("oneTBB    not found when this was built (on Debian: libtbb-dev)");
#endif
  return same ? 0 : 1;
}
