#include <numeric>

#include "faults.hpp"

using namespace tests;

FAULT_CASE("penalty_last_n -1 is the whole history") {
  sluice::sampling_params p;
  p.repetition_penalty = 2;
  p.penalty_last_n = -1;
  sluice::sequence sequence(1);
  for (int token = 0; token < 100; ++token) sequence.accept(token);
  const auto survivors = left(p, std::vector<float>(101, 4.0f), sequence);
  for (int token = 0; token < 100; ++token) CHECK(logit_of(survivors, token) == 2);
  CHECK(logit_of(survivors, 100) == 4);
}

FAULT_CASE("penalty_last_n 0 is no penalty, before and after an accept") {
  sluice::sampling_params p;
  p.repetition_penalty = 2;
  p.frequency_penalty = 1;
  p.presence_penalty = 1;
  p.penalty_last_n = 0;
  sluice::sequence sequence(1);
  const std::vector<float> row{4, 4};
  for (int step = 0; step < 3; ++step) {
    const auto survivors = left(p, row, sequence);
    REQUIRE(survivors.size() == 2);
    CHECK(survivors[0].logit == 4);
    CHECK(survivors[1].logit == 4);
    sequence.accept(0);
  }
}

FAULT_CASE("a window of ten is the newest ten") {
  sluice::sampling_params p;
  p.repetition_penalty = 2;
  p.frequency_penalty = 1;
  p.penalty_last_n = 10;
  sluice::sequence sequence(1);
  for (int token = 0; token < 100; ++token) sequence.accept(token);
  const auto survivors = left(p, std::vector<float>(100, 4.0f), sequence);
  for (int token = 0; token < 90; ++token) CHECK(logit_of(survivors, token) == 4);
  for (int token = 90; token < 100; ++token) CHECK(logit_of(survivors, token) == 1);
}

FAULT_CASE("the prompt counts at the first sample, and there is no phantom token 0") {
  sluice::sampling_params p;
  p.repetition_penalty = 2;
  p.frequency_penalty = 1;
  sluice::sequence sequence(1);
  const std::vector<float> row{4, 4, 4};
  CHECK(logit_of(left(p, row, sequence), 0) == 4);
  const std::vector<sluice::token_id> prompt{2, 2};
  sequence.accept_prompt(prompt);
  const auto survivors = left(p, row, sequence);
  CHECK(logit_of(survivors, 0) == 4);
  CHECK(logit_of(survivors, 1) == 4);
  CHECK(logit_of(survivors, 2) == 0);
}

FAULT_CASE("the repetition penalty acts once on a token that stands thrice") {
  sluice::sampling_params p;
  p.repetition_penalty = 1.3f;
  const auto survivors = left(p, std::vector<float>{0, 1.3f, 0}, after({1, 1, 1}));
  CHECK(logit_of(survivors, 1) == 1);
  CHECK(logit_of(survivors, 0) == 0);
}

FAULT_CASE("a rewound history that goes on with the same last token is as if freshly built") {
  sluice::sampling_params p;
  p.frequency_penalty = 1;
  p.presence_penalty = 0.5f;
  p.penalty_last_n = 6;
  p.dry_multiplier = 1;
  p.dry_base = 2;
  p.dry_allowed_length = 1;
  const std::vector<float> row(8, 0.0f);
  const stepper chain(p);
  sluice::sequence rewound = after({1, 2, 3, 1, 2, 5, 2});
  (void)chain.sample(row, rewound);  // counts and matches are built
  rewound.rewind(2);
  rewound.accept(7);
  rewound.accept(2);
  sluice::sequence fresh = after({1, 2, 3, 1, 2, 7, 2});
  const auto found = left(p, row, rewound);
  const auto expected = left(p, row, fresh);
  const auto again = chain.left(row, rewound);
  for (int id = 0; id < 8; ++id) {
    CHECK(logit_of(found, id) == logit_of(expected, id));
    CHECK(logit_of(again, id) == logit_of(expected, id));
  }
  // Token 2 stands three times in the last six; 3 and 7 follow an earlier 2.
  CHECK(logit_of(found, 2) == -3.5f);
  CHECK(logit_of(found, 3) == -1.5f - 1.0f);
  CHECK(logit_of(found, 7) == -1.5f - 1.0f);
  CHECK(logit_of(found, 5) == 0);
}

FAULT_CASE("an id outside the row is never penalised and matches in DRY like any token") {
  sluice::sampling_params p;
  p.repetition_penalty = 2;
  p.frequency_penalty = 1;
  p.dry_multiplier = 1;
  p.dry_base = 2;
  p.dry_allowed_length = 1;
  constexpr int largest = std::numeric_limits<int>::max();
  constexpr int lowest = std::numeric_limits<int>::min();
  for (const int outside : {4, 100'000, largest, -1, -7, lowest}) {
    CAPTURE(outside);
    // "outside 1" came before and was followed by 2: a match of two tokens costs 2. `outside` follows 3, no
    // match.
    const auto survivors = left(p, std::vector<float>(4, 8.0f), after({outside, 1, 2, 3, outside, 1}));
    REQUIRE(survivors.size() == 4);
    CHECK(logit_of(survivors, 0) == 8);
    CHECK(logit_of(survivors, 1) == 2);  // 8 / 2 - 2
    CHECK(logit_of(survivors, 2) == 1);  // 8 / 2 - 2 - 1
    CHECK(logit_of(survivors, 3) == 3);  // 8 / 2 - 1
    CHECK(left(p, std::vector<float>(4, 8.0f), after({outside, outside, outside})).size() == 4);
  }
}

FAULT_CASE("DRY over 600 equal tokens and a +inf makes no NaN") {
  sluice::sampling_params p;
  p.dry_multiplier = 5;
  p.dry_base = 1.75f;
  sluice::sequence sequence(1);
  for (int i = 0; i < 600; ++i) sequence.accept(3);
  std::vector<float> row(8, 1.0f);
  row[3] = 20;
  auto survivors = left(p, row, sequence);
  REQUIRE(survivors.size() == 8);
  for (const sluice::candidate& c : survivors) {
    CHECK(std::isfinite(c.logit));
    CHECK(std::isfinite(c.probability));
  }
  CHECK(survivors[7].id == 3);
  CHECK(survivors[7].probability == 0);
  for (const int infinite : {3, 5}) {
    row[static_cast<std::size_t>(infinite)] = inf;
    survivors = left(p, row, sequence);
    REQUIRE(survivors.size() == 1);
    CHECK(drawn(p, row, sequence).token == survivors[0].id);
    for (const sluice::candidate& c : survivors) CHECK(std::isfinite(c.logit));
    row[static_cast<std::size_t>(infinite)] = 1;
  }
}

FAULT_CASE("no breakers given are no breakers") {
  // Whatever a tokenizer calls newline, colon, quote and star: here no id stops a match.
  sluice::sampling_params p;
  p.dry_multiplier = 1;
  p.dry_base = 2;
  p.dry_allowed_length = 1;
  p.dry_sequence_breakers = {};
  for (int id = 0; id < 300; ++id) {
    sluice::sequence sequence = after({id, 301, 302, id, 301});
    CHECK(logit_of(left(p, std::vector<float>(303, 0.0f), sequence), 302) == -2);
  }
}

FAULT_CASE("the last token of two breakers breaks nothing alone") {
  sluice::sampling_params p;
  p.dry_multiplier = 1;
  p.dry_base = 2;
  p.dry_allowed_length = 1;
  p.dry_sequence_breakers = {{5, 9}, {6, 9}};
  const std::vector<float> row(10, 0.0f);
  CHECK(logit_of(left(p, row, after({1, 9, 2, 3, 1, 9, 2})), 3) == -4);  // three tokens match
  CHECK(logit_of(left(p, row, after({1, 9, 2, 9, 1, 9, 2})), 9) == -4);  // 9 alone can be penalised
  CHECK(logit_of(left(p, row, after({5, 9, 2, 3, 5, 9, 2})), 3) == -1);  // one token follows the breaker
  CHECK(logit_of(left(p, row, after({6, 9, 2, 3, 6, 9, 2})), 3) == -1);
}
