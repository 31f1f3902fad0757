// What every test shares: how much of a full count to run, and a generator for test inputs.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numbers>

namespace tests {

/// True where SLUICE_LONG=1 asks for the full counts.
inline bool long_run() {
  const char* value = std::getenv("SLUICE_LONG");
  return value != nullptr && value[0] == '1' && value[1] == '\0';
}

/// The full count under SLUICE_LONG=1, a tenth otherwise, a hundredth in builds without NDEBUG; at least one.
inline std::size_t scaled(std::size_t full) {
  if (long_run()) return full;
#ifdef NDEBUG
  const std::size_t count = full / 10;
#else
  const std::size_t count = full / 100;
#endif
  return count == 0 ? 1 : count;
}

/// xoshiro256**, seeded by splitmix64: the same inputs with every compiler and standard library.
/// It makes test inputs only and shares nothing with the library's own numbers.
class generator {
 public:
  explicit generator(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9E3779B97F4A7C15ull;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// In [0, n), n > 0. The modulo bias is below 2^-32 for every n that a test uses.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

  /// In [low, high], both ends included.
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low) + 1));
  }

  /// In (0, 1), both ends open.
  double uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }

  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// True with probability p.
  bool chance(double p) { return uniform() < p; }

  /// Standard normal (Box and Muller).
  double gaussian() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  template <class T, std::size_t N>
  T pick(const std::array<T, N>& values) {
    return values[below(N)];
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace tests
