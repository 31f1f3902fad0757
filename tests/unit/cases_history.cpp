#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "cases_table.hpp"
#include "oracle_chain.hpp"
#include "step.hpp"

namespace {

using tests::table_row;

struct by_id {
  std::vector<double> logit, probability;
};

/// What the chain makes of the row after the history; every token is expected to be left.
by_id distribution_after(const sluice::sampling_params& p, const std::vector<int>& history,
                         const std::vector<float>& logits) {
  sluice::sequence sequence(1);
  sequence.accept(std::span<const sluice::token_id>(history));
  const auto distribution = tests::left(p, logits, sequence);
  REQUIRE(distribution.size() == logits.size());
  by_id result{std::vector<double>(logits.size()), std::vector<double>(logits.size())};
  for (const sluice::candidate& c : distribution) {
    result.logit.at(static_cast<std::size_t>(c.id)) = double(c.logit);
    result.probability.at(static_cast<std::size_t>(c.id)) = double(c.probability);
  }
  return result;
}

/// The same by the definitions: what the rules are checked against stands the same test.
by_id oracle_after(const sluice::sampling_params& p, const std::vector<int>& history,
                   const std::vector<float>& logits) {
  by_id result{std::vector<double>(logits.size()), std::vector<double>(logits.size())};
  for (const tests::oracle::chance& c :
       tests::oracle::run(p, {.logits = logits, .past = {history, {}}}).law) {
    result.logit.at(static_cast<std::size_t>(c.of.id)) = double(c.of.logit);
    result.probability.at(static_cast<std::size_t>(c.of.id)) = static_cast<double>(c.probability);
  }
  return result;
}

sluice::sampling_params to_penalties(const table_row& row) {
  sluice::sampling_params p;
  for (const std::string& stage : tests::split(row.cells[0], '+'))
    if (stage != "repetition" && stage != "repetition_normalized" && stage != "frequency_presence")
      row.refuse("names " + stage + ", which is no penalty");
  p.repetition_normalized = row.cells[0] == "repetition_normalized";
  for (const auto& [name, value] : tests::to_parameters(row, row.cells[1])) {
    if (name == "r")
      p.repetition_penalty = value;
    else if (name == "f")
      p.frequency_penalty = value;
    else if (name == "p")
      p.presence_penalty = value;
    else if (name == "last_n")
      p.penalty_last_n = static_cast<int>(value);
    else
      row.refuse("has " + name + ", which is no parameter");
  }
  return p;
}

void check_all(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t id = 0; id < found.size(); ++id) {
    CAPTURE(id);
    CHECK(std::abs(found[id] - expected[id]) <= 1e-5);
  }
}

}  // namespace

TEST_CASE("every penalty case gives the logits and probabilities of its source") {
  const tests::table cases = tests::read_table("penalties.tsv", 5);
  CHECK(cases.now.size() == 15);
  CHECK(cases.later.empty());
  for (const table_row& row : cases.now) {
    CAPTURE(row.where);
    const std::vector<float> logits = tests::to_logits(row, row.cells[3]);
    const sluice::sampling_params p = to_penalties(row);
    const std::vector<int> history = tests::to_tokens(row, row.cells[2]);
    const std::string& expected = row.cells[4];
    for (const by_id& found : {distribution_after(p, history, logits), oracle_after(p, history, logits)}) {
      if (tests::starts_with(expected, "logits:"))
        check_all(found.logit, tests::to_numbers(row, expected.substr(7)));
      else if (tests::starts_with(expected, "p0="))
        CHECK(std::abs(found.probability[0] - tests::to_number(row, expected.substr(3))) <= 1e-5);
      else
        check_all(found.probability, tests::to_numbers(row, expected));
    }
  }
}

TEST_CASE("every DRY case penalises the tokens of its source and leaves all others bit-identical") {
  const tests::table cases = tests::read_table("dry.tsv", 4);
  CHECK(cases.now.size() == 16);
  CHECK(cases.later.empty());
  for (const table_row& row : cases.now) {
    CAPTURE(row.where);
    const std::vector<double> numbers = tests::to_numbers(row, row.cells[0]);
    if (numbers.size() != 4) row.refuse("has another number of parameters than four");
    sluice::sampling_params p;
    p.dry_multiplier = static_cast<float>(numbers[0]);
    p.dry_base = static_cast<float>(numbers[1]);
    p.dry_allowed_length = static_cast<int>(numbers[2]);
    p.dry_penalty_last_n = static_cast<int>(numbers[3]);
    for (const std::string& breaker : tests::split(row.cells[1], ';'))
      if (!breaker.empty()) p.dry_sequence_breakers.push_back(tests::to_tokens(row, breaker));

    std::vector<double> expected(16, 0.0);
    for (const std::string& penalty : tests::words(row.cells[3])) {
      const std::vector<std::string> parts = tests::split(penalty, ':');
      if (parts.size() != 2) row.refuse("has " + penalty + ", which is no penalty");
      expected.at(static_cast<std::size_t>(tests::to_number(row, parts[0]))) =
          -tests::to_number(row, parts[1]);
    }
    const std::vector<int> history = tests::to_tokens(row, row.cells[2]);
    const std::vector<float> zeros(expected.size(), 0.0f);
    for (const by_id& found : {distribution_after(p, history, zeros), oracle_after(p, history, zeros)}) {
      check_all(found.logit, expected);
      for (std::size_t id = 0; id < expected.size(); ++id)
        if (expected[id] == 0) CHECK(found.logit[id] == 0);
    }
  }
}
