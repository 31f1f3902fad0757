#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "row_tokens.hpp"

using sluice::token_id;

TEST_CASE("every dense row of floats gives the same tokens") {
  const std::vector<token_id> expected = tokens_of(shown);
  const std::vector<float> vector(shown.begin(), shown.end());
  const float plain[] = {1, 2, -1, 0.5f};
  std::array<float, 4> writable = shown;

  CHECK(std::vector<token_id>(expected.rbegin(), expected.rend()) != expected);
  CHECK(tokens_of(vector) == expected);
  CHECK(tokens_of(plain) == expected);
  CHECK(tokens_of(writable) == expected);
  CHECK(tokens_of(std::span<const float>(shown)) == expected);
  CHECK(tokens_of(std::span<float>(writable)) == expected);
  CHECK(tokens_of(std::span<const float, 4>(shown)) == expected);
  CHECK(tokens_of(shown.data(), shown.size()) == expected);
  CHECK(tokens_of(writable.data(), writable.size()) == expected);
  CHECK(tokens_of(static_cast<const void*>(shown.data()), shown.size(), sluice::logit_type::f32) == expected);
}

TEST_CASE("16-bit rows of the same values give the same tokens") {
  const std::array<std::uint16_t, 4> half{0x3C00, 0x4000, 0xBC00, 0x3800};
  const std::array<std::uint16_t, 4> brain{0x3F80, 0x4000, 0xBF80, 0x3F00};
  const std::vector<token_id> expected = tokens_of(shown);

  CHECK(tokens_of(static_cast<const void*>(half.data()), half.size(), sluice::logit_type::f16) == expected);
  CHECK(tokens_of(static_cast<const void*>(brain.data()), brain.size(), sluice::logit_type::bf16) ==
        expected);
}

TEST_CASE("a sparse row gives the tokens of the dense row that lacks the others") {
  constexpr float absent = -std::numeric_limits<float>::infinity();
  const std::array<float, 10> dense{absent, 1, absent, absent, 2, -1, absent, absent, absent, 0.5f};
  const std::vector<token_id> ids{9, 4, 1, 5};
  const std::vector<float> values{0.5f, 2, 1, -1};

  CHECK(tokens_of(std::span<const token_id>(ids), std::span<const float>(values)) == tokens_of(dense));
}
