// What is measured: lengths of rows, and tokens in the nuclei of the rows that the engines are compared on.
#pragma once

#include <array>
#include <cstddef>

namespace bench {

inline constexpr std::array<std::size_t, 4> vocabularies{32'000, 128'256, 151'936, 262'144};
inline constexpr std::array<std::size_t, 6> nucleus_sizes{1, 10, 100, 1'000, 10'000, 50'000};

}  // namespace bench
