// Draws the golden tokens on every tier of this machine and compares them with the list.
//   golden LIST      the first difference in a sentence, and 1
//   golden --print   the list as it is drawn now, to be put in LIST where draw_version is raised
// The list begins with the draw_version whose tokens it holds; each other line is a case. A token stands as
// its id, or as "-" and the number of its status; "?" after it: NaN was seen.
#include <cstdio>
#include <fstream>
#include <sluice/sluice.hpp>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cases.hpp"

namespace {

using sluice::instruction_tier;

std::string to_text(const sluice::sample_result& r) {
  std::string text = r ? std::to_string(r.token) : '-' + std::to_string(int(r.status));
  return r.saw_nan ? text + '?' : text;
}

std::string draw(const golden::test_case& c, std::size_t index, sluice::sequence& sequence,
                 const sluice::standard_chain& chain) {
  const golden::step s = golden::make_step(c, index);
  golden::held_row row;
  const sluice::logits_view logits = row.of(s, c.row);
  sluice::call_options call{.bias = s.bias};
  if (!s.mask.empty()) call.mask = sluice::token_mask(s.mask);
  sequence.reseed(s.seed);
  const sluice::sample_result drawn = chain.sample(logits, sequence, call);
  if (drawn) sequence.accept(drawn.token);
  if (golden::then(index) != sluice::no_token) sequence.accept(golden::then(index));
  return to_text(drawn);
}

sluice::sequence begin(const golden::test_case& c) {
  sluice::sequence sequence(0, c.start);
  sequence.accept_prompt(golden::make_prompt());
  return sequence;
}

std::string first_line() { return "draw_version: " + std::to_string(sluice::draw_version); }

void print() {
  std::printf("%s\n", first_line().c_str());
  for (const golden::test_case& c : golden::cases()) {
    const sluice::standard_chain chain(c.params);
    sluice::sequence sequence = begin(c);
    std::printf("%s:", c.name.c_str());
    for (std::size_t i = 0; i < golden::steps_a_case; ++i)
      std::printf(" %s", draw(c, i, sequence, chain).c_str());
    std::printf("\n");
  }
}

/// True where a case gives the tokens of its line; otherwise says what the first other one is.
bool same(const golden::test_case& c, const std::string& line, const char* tier) {
  if (!std::string_view(line).starts_with(c.name + ": ")) {
    std::printf("the list has no line for the case '%s' in its place\n", c.name.c_str());
    return false;
  }
  std::istringstream tokens(line.substr(c.name.size() + 1));
  const sluice::standard_chain chain(c.params);
  sluice::sequence sequence = begin(c);
  for (std::size_t i = 0; i < golden::steps_a_case; ++i) {
    std::string expected = "nothing";
    tokens >> expected;
    const std::string drawn = draw(c, i, sequence, chain);
    if (drawn == expected) continue;
    std::printf("case '%s', token %zu: the list has %s, drawn is %s (%s)\n", c.name.c_str(), i,
                expected.c_str(), drawn.c_str(), tier);
    return false;
  }
  return true;
}

int compare(const char* list) {
  struct named_tier {
    instruction_tier tier;
    const char* name;
  };
  const std::vector<golden::test_case> cases = golden::cases();
  for (const named_tier on :
       {named_tier{instruction_tier::scalar, "scalar"}, named_tier{instruction_tier::avx2, "AVX2"},
        named_tier{instruction_tier::avx512, "AVX-512"}}) {
    if (!sluice::force_tier(on.tier)) {
      std::printf("not drawn: no %s\n", on.name);
      continue;
    }
    std::ifstream lines(list);
    std::string line;
    std::getline(lines, line);
    if (line != first_line()) {
      std::printf("the list begins with '%s', the library is of '%s'\n", line.c_str(), first_line().c_str());
      return 1;
    }
    for (const golden::test_case& c : cases) {
      std::getline(lines, line);
      if (!same(c, line, on.name)) return 1;
    }
    if (std::getline(lines, line)) {
      std::printf("the list has more lines than there are cases\n");
      return 1;
    }
    std::printf("%zu tokens are those of the list (%s)\n", cases.size() * golden::steps_a_case, on.name);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: golden LIST | golden --print\n");
    return 2;
  }
  if (std::string_view(argv[1]) == "--print") return print(), 0;
  return compare(argv[1]);
}
