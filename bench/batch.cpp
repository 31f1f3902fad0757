// The usual chain over a batch of rows, beside a read of the same bytes: names are what/type/rows/threads;
// times are those of the whole batch. Medians of interleaved repetitions are worth something:
//   bench_batch --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <sluice/batch.hpp>
#include <sluice/sluice.hpp>

#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../tests/support.hpp"
#include "read.hpp"

namespace {

constexpr std::size_t vocab = 151'936;

/// Threads that live as long as it does; f(i) for i = t, t + threads ... on thread t.
class pool {
 public:
  explicit pool(std::size_t threads) {
    for (std::size_t t = 1; t < threads; ++t)
      threads_.emplace_back([this, t, threads](const std::stop_token& stop) { work(stop, t, threads); });
    count_ = threads;
  }
  ~pool() {
    for (auto& t : threads_) t.request_stop();
    wake_.notify_all();
  }

  template <class F>
  void operator()(std::size_t n, F&& f) {
    {
      const std::lock_guard lock(mutex_);
      // Each thread has a run of neighbours.
      task_ = [n, &f](std::size_t t, std::size_t threads) {
        for (std::size_t i = n * t / threads; i < n * (t + 1) / threads; ++i) f(i);
      };
      ++round_;
      left_ = threads_.size();
    }
    wake_.notify_all();
    task_(0, count_);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return left_ == 0; });
  }

 private:
  void work(const std::stop_token& stop, std::size_t t, std::size_t threads) {
    std::uint64_t seen = 0;
    for (;;) {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [&] { return round_ != seen; })) return;
      seen = round_;
      lock.unlock();
      task_(t, threads);
      lock.lock();
      if (--left_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable done_;
  std::function<void(std::size_t, std::size_t)> task_;
  std::uint64_t round_ = 0;
  std::size_t left_ = 0, count_ = 1;
  std::vector<std::jthread> threads_;  // the last to be made, the first to go
};

/// A third each of peaked, flat and wide rows.
template <class T>
std::vector<T> make_rows(std::size_t rows) {
  std::vector<T> all(rows * vocab);
  // One row of each shape is drawn; the others are its rotations.
  tests::generator g(1);
  std::vector<float> shapes[3];
  for (int s = 0; s < 3; ++s) {
    shapes[s].resize(vocab);
    for (float& l : shapes[s]) {
      double sum = 0;
      for (int k = 0; k < 12; ++k) sum += g.uniform();
      l = static_cast<float>((sum - 6) * (s == 1 ? 1 : 2.5));
    }
    if (s == 0)
      for (int k = 0; k < 8; ++k) shapes[s][g.below(vocab)] = static_cast<float>(14 + k);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<float>& shape = shapes[r % 3];
    for (std::size_t i = 0; i < vocab; ++i) {
      const float l = shape[(i + r * 9'973) % vocab];
      if constexpr (sizeof(T) == 4) {
        all[r * vocab + i] = l;
      } else {
        std::uint32_t bits;
        std::memcpy(&bits, &l, sizeof bits);
        all[r * vocab + i] = static_cast<T>(bits >> 16);
      }
    }
  }
  return all;
}

/// The bytes of a row, read as floats: what the bits are does not matter to a maximum.
float read_bytes(const void* row, std::size_t bytes) {
  return bench::read({static_cast<const float*>(row), bytes / sizeof(float)});
}

template <class T>
void add(const std::string& type_name, sluice::logit_type type, std::size_t rows, std::size_t threads) {
  static std::vector<T> all;
  const auto fill = [rows] {
    if (all.size() != rows * vocab) all = make_rows<T>(rows);
  };
  const std::string rest = "/" + type_name + "/" + std::to_string(rows) + "/" + std::to_string(threads);
  const auto rate = [rows](benchmark::State& state) {
    state.counters["rows"] = benchmark::Counter(double(rows), benchmark::Counter::kIsIterationInvariantRate);
  };
  benchmark::RegisterBenchmark(("read" + rest).c_str(),
                               [=](benchmark::State& state) {
                                 fill();
                                 pool workers(threads);
                                 for (auto _ : state) {
                                   workers(rows, [](std::size_t i) noexcept {
                                     float best = read_bytes(all.data() + i * vocab, vocab * sizeof(T));
                                     benchmark::DoNotOptimize(best);
                                   });
                                 }
                                 rate(state);
                               })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
  benchmark::RegisterBenchmark(("usual" + rest).c_str(),
                               [=](benchmark::State& state) {
                                 fill();
                                 sluice::sampling_params p;
                                 p.temperature = 0.8f;
                                 p.top_k = 40;
                                 p.top_p = 0.95f;
                                 p.min_p = 0.05f;
                                 const sluice::standard_chain chain(p);
                                 std::vector<sluice::sequence> sequences;
                                 for (std::size_t i = 0; i < rows; ++i) sequences.emplace_back(i);
                                 const sluice::logits_rows view(all.data(), rows, vocab, 0, type);
                                 std::vector<sluice::batch_item> items(rows);
                                 for (std::size_t i = 0; i < rows; ++i)
                                   items[i] = {.logits = view[i], .chain = &chain, .sequence = &sequences[i]};
                                 pool workers(threads);
                                 std::uint64_t round = 0;
                                 for (auto _ : state) {
                                   for (std::size_t i = 0; i < rows; ++i)
                                     sequences[i].reseed(round * rows + i);
                                   ++round;
                                   sluice::sample_batch(items, workers);
                                 }
                                 rate(state);
                               })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::size_t rows : {64u, 256u}) {
    for (const std::size_t threads : {1u, 2u}) {
      add<float>("f32", sluice::logit_type::f32, rows, threads);
      add<std::uint16_t>("bf16", sluice::logit_type::bf16, rows, threads);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
