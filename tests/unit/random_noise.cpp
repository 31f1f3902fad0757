#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <array>

namespace {

using sluice::random::block_minimum;
using sluice::random::noise;
using sluice::random::noise_excess;
using sluice::random::noise_minimum;

}  // namespace

// To regenerate: the formulas of the noise field in any IEEE 754 doubles, +, -, *, / one by one; LN is
// fdlibm's logarithm.
TEST_CASE("the noise of a token is the same bits everywhere") {
  struct golden {
    std::uint64_t seed, position;
    std::uint32_t token;
    double noise;
  };
  constexpr std::array values{
      golden{0, 0, 0, 0x1.0b3fd20d97a24p-3},
      golden{42, 0, 0, -0x1.2eea3d9b4cd2cp-2},
      golden{42, 0, 1, -0x1.68117ed6bd110p-1},
      golden{42, 0, 17, 0x1.b948f4da6f6abp-4},
      golden{42, 0, 64, 0x1.39c199c8f3f05p+1},
      golden{42, 0, 255, -0x1.1defe8310b367p-1},
      golden{42, 0, 256, -0x1.5a1fa5c6ae9b6p-3},
      golden{42, 0, 131071, 0x1.516be8e1110e5p+0},
      golden{42, 1, 0, -0x1.bcac53d6258c7p-2},
      golden{0x100000000, 0, 0, -0x1.df5def8110ea3p-4},
      golden{0, 0x100000000, 0, -0x1.56873a956b228p-3},
      golden{0x0123456789abcdef, 0xfedcba9876543210, 300, 0x1.dfd47bdc9b462p-2},
  };
  for (const golden& g : values) {
    CAPTURE(g.seed);
    CAPTURE(g.position);
    CAPTURE(g.token);
    CHECK(noise({g.seed, g.position}, g.token) == g.noise);
  }
}

TEST_CASE("a block knows its smallest exponential and where it stands") {
  CHECK(noise_minimum({42, 0}, 0).slot == 18);
  CHECK(noise_minimum({42, 0}, 0).exponential == 0x1.f533e62b84a43p-10);
  CHECK(noise_minimum({42, 0}, 1).slot == 131);
  CHECK(noise_minimum({42, 0}, 1).exponential == 0x1.94ed48cf43558p-15);
  CHECK(noise_minimum({42, 0}, 2).slot == 154);
  CHECK(noise_minimum({42, 0}, 2).exponential == 0x1.87d3b1e10f5aep-11);
}

TEST_CASE("the token at a block's place has the smallest exponential alone") {
  CHECK(noise({42, 0}, 18) == 0x1.909deb20c5735p+2);
  CHECK(noise({42, 0}, 256 + 131) == 0x1.3e09a7bc24be8p+3);
  CHECK(noise({42, 0}, 512 + 154) == 0x1.ccbc069cbd732p+2);
}

TEST_CASE("every other token of a block lies above the smallest by its tail") {
  const block_minimum least = noise_minimum({42, 0}, 0);
  for (std::uint32_t token = 0; token < 256; ++token) {
    if (token == least.slot) continue;
    CHECK(noise_excess({42, 0}, token) > 0);
    CHECK(noise({42, 0}, token) == sluice::random::gumbel(least.exponential + noise_excess({42, 0}, token)));
  }
}

TEST_CASE("noise is finite at both ends of a word and reaches 42 nats") {
  CHECK(sluice::random::gumbel(-sluice::kernel::ln_normal(1 - 0x1p-53) / 256) ==
        doctest::Approx(42.282).epsilon(1e-4));
  CHECK(sluice::random::gumbel(-sluice::kernel::ln_normal(0x1p-53) / 256 -
                               sluice::kernel::ln_normal(0x1p-33)) ==
        doctest::Approx(-3.13625).epsilon(1e-4));
}
