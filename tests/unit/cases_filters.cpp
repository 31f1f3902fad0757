#include <doctest/doctest.h>

#include <cmath>

#include "cases_table.hpp"
#include "oracle_feedback.hpp"
#include "step.hpp"

namespace {

using tests::table_row;
using parameters = std::map<std::string, float>;

/// Moves a parameter into its field; a parameter that nobody takes is an error of the table.
float take(const table_row& row, parameters& given, const std::string& name) {
  const auto found = given.find(name);
  if (found == given.end()) row.refuse("needs " + name);
  const float value = found->second;
  given.erase(found);
  return value;
}

void set_stage(const table_row& row, sluice::sampling_params& p, const std::string& stage, parameters given) {
  if (stage == "temperature")
    p.temperature = take(row, given, "t");
  else if (stage == "top_k")
    p.top_k = static_cast<int>(take(row, given, "k"));
  else if (stage == "top_p")
    p.top_p = take(row, given, "p");
  else if (stage == "min_p")
    p.min_p = take(row, given, "p");
  else if (stage == "typical_p")
    p.typical_p = take(row, given, "p");
  else if (stage == "top_n_sigma")
    p.top_n_sigma = take(row, given, "n");
  else if (stage == "p_less")
    p.p_less = true;
  else if (stage == "xtc" || stage == "xtc_marginal") {
    p.xtc_probability = take(row, given, "probability");
    p.xtc_threshold = take(row, given, "threshold");
    p.xtc_marginal = stage == "xtc_marginal";
  } else if (stage == "adaptive_p") {
    p.adaptive_target = take(row, given, "target");
    p.adaptive_decay = take(row, given, "decay");
  } else if (stage == "mirostat_v2") {
    p.mirostat = 2;
    p.mirostat_tau = take(row, given, "mu") / 2;
  } else {
    row.refuse("names " + stage + ", which is no stage");
  }
  if (!given.empty()) row.refuse("has " + given.begin()->first + ", which " + stage + " does not know");
}

/// One stage runs in the fixed order, several in the order that the row names them in.
sluice::sampling_params to_params(const table_row& row) {
  sluice::sampling_params p;
  const std::vector<std::string> stages = tests::words(row.cells[0]);
  const std::vector<std::string> given = tests::split(row.cells[1], ';');
  if (stages.size() != given.size()) row.refuse("has parameters for another number of stages");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    set_stage(row, p, stages[i], tests::to_parameters(row, given[i]));
    if (stages.size() > 1) p.order += (i == 0 ? "" : ";") + (stages[i] == "typical_p" ? "typ_p" : stages[i]);
  }
  return p;
}

/// Probabilities by id; what `keep:` names has -1: any probability but none.
std::vector<double> to_expected(const table_row& row, std::size_t size) {
  const std::string& text = row.cells[3];
  if (!tests::starts_with(text, "keep:")) {
    const std::vector<double> expected = tests::to_numbers(row, text);
    if (expected.size() != size) row.refuse("expects another number of tokens than it has");
    return expected;
  }
  std::vector<double> expected(size, 0.0);
  for (const int id : tests::to_tokens(row, text.substr(5))) expected.at(static_cast<std::size_t>(id)) = -1;
  return expected;
}

std::vector<double> oracle_by_id(const sluice::sampling_params& p, const std::vector<float>& logits) {
  std::vector<double> result(logits.size(), 0.0);
  const tests::oracle::situation given{.logits = logits};
  const bool feedback = p.mirostat != 0 || p.adaptive_target >= 0;
  const auto found = feedback ? tests::oracle::steer(p, given, {}).from : tests::oracle::run(p, given);
  for (const tests::oracle::chance& c : found.law)
    result.at(static_cast<std::size_t>(c.of.id)) = static_cast<double>(c.probability);
  return result;
}

void check_all(const std::vector<double>& found, const std::vector<double>& expected) {
  for (std::size_t id = 0; id < expected.size(); ++id) {
    CAPTURE(id);
    if (expected[id] < 0)
      CHECK(found[id] > 0);
    else
      CHECK(std::abs(found[id] - expected[id]) <= 1e-5);
    if (expected[id] == 0) CHECK(found[id] == 0);
  }
}

}  // namespace

TEST_CASE(
    "every filter case gives the survivors and probabilities of its source, with every engine and draw") {
  const tests::table cases = tests::read_table("filters.tsv", 4);
  CHECK(cases.now.size() == 71);
  CHECK(cases.later.empty());
  for (const table_row& row : cases.now) {
    CAPTURE(row.where);
    CAPTURE(row.cells[0]);
    CAPTURE(row.cells[1]);
    CAPTURE(row.cells[2]);
    sluice::sampling_params p = to_params(row);
    const std::vector<float> logits = tests::to_logits(row, row.cells[2]);
    const std::vector<double> expected = to_expected(row, logits.size());
    check_all(oracle_by_id(p, logits), expected);  // what the rules are checked against stands the same test
    for (const auto engine : {sluice::truncation_engine::automatic, sluice::truncation_engine::sort,
                              sluice::truncation_engine::select, sluice::truncation_engine::rejection}) {
      for (const auto draw : {sluice::draw_method::gumbel, sluice::draw_method::softmax}) {
        p.engine = engine;
        p.draw = draw;
        REQUIRE_FALSE(tests::check(p));
        check_all(tests::by_id(tests::left(p, logits), logits.size()), expected);
      }
    }
  }
}
