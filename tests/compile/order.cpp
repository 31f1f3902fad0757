// A chain by hand, given by the test.
#include <sluice/sluice.hpp>

int main() {
  using namespace sluice;
  [[maybe_unused]] const auto by_hand = CHAIN;
}
