// A parallel_for over threads that live for one call.
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

namespace tests {

struct strided_threads {
  std::size_t count = 2;

  template <class F>
  void operator()(std::size_t n, F&& f) const {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < count; ++t)
      threads.emplace_back([&f, t, n, step = count] {
        for (std::size_t i = t; i < n; i += step) f(i);
      });
  }
};

}  // namespace tests
