// A file that sees the contract only, and makes, copies, moves and destroys samplers within its engines.
#include <array>
#include <utility>

#include "engine.hpp"

int main() {
  const std::array<float, 3> logits{0, 30, 60};
  engine first(42);
  engine second = first;
  const engine third = std::move(second);
  const bool token_is_clear = first.step(logits) == 2;
  return token_is_clear && first.position() == 1 && third.position() == 0 ? 0 : 1;
}
