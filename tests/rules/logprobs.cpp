#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "by_hand.hpp"
#include "random_params.hpp"

namespace {

using sluice::logprob_of;
using sluice::token_id;
using tests::oracle::real;

struct expected_entry {
  real logprob = -tests::oracle::infinite;
  real relative = 0;  // what rounding before the draw may move it by
  real least = -tests::oracle::infinite, most = -tests::oracle::infinite;
  std::uint32_t rank = 0;
};

/// A law by id, and the ids in rank order.
struct expected_law {
  std::map<int, expected_entry> of;
  std::vector<int> ranked;
  bool near_a_cut = false;

  expected_entry at(int id) const {
    const auto found = of.find(id);
    return found != of.end() ? found->second : expected_entry{};
  }
};

enum class mutant { none, ties_by_higher_id, ranks_from_zero, absent_counts, no_temperature };

/// ln softmax(l / t) of tokens, in long double.
expected_law softmax_of(const tests::oracle::row& r, mutant fault = mutant::none) {
  expected_law result;
  if (r.size() == 0) return result;
  real sum = fault == mutant::absent_counts ? 1 : 0;
  for (const auto& t : r.tokens) sum += std::exp(real(t.logit) - real(r.max()));
  auto order = tests::oracle::ranked(r);
  if (fault == mutant::ties_by_higher_id)
    std::sort(order.begin(), order.end(),
              [](auto a, auto b) { return a.logit != b.logit ? a.logit > b.logit : a.id > b.id; });
  for (const auto& t : order) {
    result.ranked.push_back(t.id);
    const real p = real(t.logit) - real(r.max()) - std::log(sum);
    result.of[t.id] = {.logprob = p,
                       .least = p - 1e-6L,
                       .most = p + 1e-6L,
                       .rank = std::uint32_t(result.ranked.size() - (fault == mutant::ranks_from_zero))};
  }
  return result;
}

/// The parameters' edits alone.
sluice::sampling_params edits_of(const sluice::sampling_params& p) {
  sluice::sampling_params e;
  e.order = p.order;
  e.repetition_penalty = p.repetition_penalty;
  e.repetition_normalized = p.repetition_normalized;
  e.frequency_penalty = p.frequency_penalty;
  e.presence_penalty = p.presence_penalty;
  e.penalty_last_n = p.penalty_last_n;
  e.occurrence_counts_prompt = p.occurrence_counts_prompt;
  e.dry_multiplier = p.dry_multiplier;
  e.dry_base = p.dry_base;
  e.dry_allowed_length = p.dry_allowed_length;
  e.dry_penalty_last_n = p.dry_penalty_last_n;
  e.dry_sequence_breakers = p.dry_sequence_breakers;
  e.logit_bias = p.logit_bias;
  e.language_bias = p.language_bias;
  e.suppressed_tokens = p.suppressed_tokens;
  e.min_tokens = p.min_tokens;
  e.end_tokens = p.end_tokens;
  return e;
}

expected_law final_law_of(const tests::trial& t, mutant fault) {
  tests::trial other = t;
  if (fault == mutant::no_temperature) other.params.temperature = 1;
  const tests::oracle::outcome found = tests::oracle::run(other.params, other.situation());
  expected_law result;
  result.near_a_cut = found.distance < 1e-6L;
  if (found.empty()) return result;
  const tests::oracle::draw_input& d = found.input;
  const real top = d.survivors.max();
  const auto factors = d.factors();
  std::map<int, real> log_weight;
  real sum = 0;
  const bool integers = t.params.draw == sluice::draw_method::softmax;
  real best = -tests::oracle::infinite;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const auto& token = d.survivors.tokens[i];
    const real x = (real(token.logit) - top) / real(d.temperature) + std::log(factors[i]);
    log_weight[token.id] = x;
    best = std::max(best, x);
  }
  for (const auto& [id, x] : log_weight) sum += std::exp(x - best);
  for (const auto& c : found.law) {
    result.ranked.push_back(c.of.id);
    expected_entry e;
    e.rank = std::uint32_t(result.ranked.size());
    if (integers) {
      // A mass that lies near a half may be rounded either way.
      e.logprob = std::log(c.probability);
      e.least = std::log(c.probability - std::min(c.probability, c.slack) - 1e-5L * c.probability);
      e.most = std::log(c.probability + c.slack + 1e-5L * c.probability);
    } else {
      e.logprob = log_weight[c.of.id] - best - std::log(sum);
      const real slack = 1e-5L + 3e-6L * std::fabs(e.logprob);
      e.least = e.logprob - slack;
      e.most = e.logprob + slack;
    }
    result.of[c.of.id] = e;
  }
  return result;
}

expected_law expected(const tests::trial& t, logprob_of of, mutant fault = mutant::none) {
  if (of == logprob_of::raw) return softmax_of(tests::oracle::enter(t.logits, {}, {}), fault);
  if (of == logprob_of::final_law) return final_law_of(t, fault);
  tests::trial edits = t;
  edits.params = edits_of(t.params);
  const tests::oracle::outcome found = tests::oracle::run(edits.params, edits.situation());
  expected_law result = found.empty() ? expected_law{} : softmax_of(found.input.survivors, fault);
  // A penalty rounds its result, of whatever size.
  for (auto& [id, e] : result.of) {
    e.least -= 1e-6L * std::max<real>(10, std::fabs(e.logprob));
    e.most += 1e-6L * std::max<real>(10, std::fabs(e.logprob));
  }
  return result;
}

/// The first fault, or an empty text. `least` and `most` are widened by the rounding to float.
std::string fault_of(const expected_law& law, std::span<const token_id> asked, std::size_t best,
                     std::span<const sluice::token_logprob> found) {
  const std::size_t listed = std::min(best, law.ranked.size());
  if (found.size() != asked.size() + listed)
    return std::to_string(found.size()) + " entries for " + std::to_string(asked.size() + listed);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const token_id id = i < asked.size() ? asked[i] : law.ranked[i - asked.size()];
    const std::string name = "entry " + std::to_string(i) + ", token " + std::to_string(found[i].id);
    if (found[i].id != id) return name + " stands for " + std::to_string(id);
    const expected_entry e = law.at(id);
    if (found[i].rank != e.rank)
      return name + " has rank " + std::to_string(found[i].rank) + ", not " + std::to_string(e.rank);
    const real p = found[i].logprob, rounding = std::isinf(p) ? 0 : 6e-8L * std::fabs(p);
    if (!(p >= e.least - rounding && p <= e.most + rounding))
      return name + " has ln p " + std::to_string(found[i].logprob) + ", not " +
             std::to_string(static_cast<double>(e.logprob));
  }
  return {};
}

sluice::sequence sequence_of(const tests::trial& t) {
  sluice::sequence q(t.seed, t.start);
  q.accept_prompt(std::span<const token_id>(t.prompt));
  q.accept(std::span<const token_id>(t.generated));
  return q;
}

sluice::call_options options_of(const tests::trial& t) {
  sluice::call_options call;
  if (!t.mask.empty()) call.mask = sluice::token_mask(t.mask);
  call.bias = t.call_bias;
  call.temperature = t.call_temperature;
  return call;
}

/// Ids of the row and outside it, some twice.
std::vector<token_id> random_asked(tests::generator& g, std::size_t size) {
  std::vector<token_id> asked;
  for (std::size_t n = g.chance(0.03) ? 300 : g.below(6); n > 0; --n)
    asked.push_back(
        g.chance(0.1) ? g.pick(std::array<token_id, 4>{-1, std::numeric_limits<token_id>::min(),
                                                       std::numeric_limits<token_id>::max(), token_id(size)})
                      : token_id(g.below(size)));
  if (!asked.empty() && g.chance(0.3)) asked.push_back(asked[0]);
  return asked;
}

constexpr std::array all_laws{logprob_of::raw, logprob_of::edited, logprob_of::final_law};

/// A trial with NaN and +inf here and there.
tests::trial random_asked_trial(tests::generator& g) {
  tests::trial t = tests::random_trial(g);
  if (g.chance(0.2)) t.logits[g.below(t.logits.size())] = tests::not_a_number;
  if (g.chance(0.05)) t.logits[g.below(t.logits.size())] = tests::plus_infinity;
  return t;
}

bool same(std::span<const sluice::token_logprob> a, std::span<const sluice::token_logprob> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.id == y.id && x.rank == y.rank &&
           std::bit_cast<std::uint32_t>(x.logprob) == std::bit_cast<std::uint32_t>(y.logprob);
  });
}

std::vector<sluice::token_logprob> copy_of(std::span<const sluice::token_logprob> entries) {
  return {entries.begin(), entries.end()};
}

std::size_t faults_with(mutant fault, logprob_of of) {
  tests::generator g(81);
  std::size_t faults = 0;
  for (int i = 0; i < 60; ++i) {
    tests::trial t = tests::random_trial(g);
    t.logits = tests::make_row(g, tests::shape::ties, 50);
    t.mask.clear();
    t.params = {.temperature = 0.5f};
    const sluice::standard_chain chain(t.params);
    sluice::sequence q = sequence_of(t);
    const token_id asked[] = {token_id(g.below(50)), 7};
    const auto found =
        sluice::logprobs(chain, t.logits, q, {.of = of, .best = 3, .tokens = asked}, options_of(t));
    faults += !fault_of(expected(t, of, fault), asked, 3, found).empty();
  }
  return faults;
}

}  // namespace

TEST_CASE("log-probabilities and ranks of all three laws are the oracle's, whatever row and parameters") {
  tests::generator g(80);
  std::size_t compared = 0, near = 0;
  for (std::size_t i = tests::scaled(6'000); i > 0; --i) {
    const tests::trial t = random_asked_trial(g);
    const sluice::standard_chain chain(t.params);
    sluice::sequence q = sequence_of(t);
    const std::vector<token_id> asked = random_asked(g, t.logits.size());
    const std::size_t best = g.chance(0.1) ? t.logits.size() + 5 : g.below(8);
    for (const logprob_of of : all_laws) {
      const auto found =
          sluice::logprobs(chain, t.logits, q, {.of = of, .best = best, .tokens = asked}, options_of(t));
      const expected_law law = expected(t, of);
      if (law.near_a_cut) {
        ++near;
        continue;
      }
      ++compared;
      CAPTURE(int(of));
      const std::string fault = fault_of(law, asked, best, found);
      if (!fault.empty()) FAIL_CHECK(fault << " of " << tests::to_text(t));
    }
  }
  CHECK(compared > 20 * near);
}

TEST_CASE("faults in ranks, in what is absent and in the temperature are told") {
  for (const logprob_of of : all_laws) CHECK(faults_with(mutant::none, of) == 0);
  CHECK(faults_with(mutant::ties_by_higher_id, logprob_of::raw) > 50);
  CHECK(faults_with(mutant::ranks_from_zero, logprob_of::edited) > 50);
  CHECK(faults_with(mutant::absent_counts, logprob_of::raw) > 50);
  CHECK(faults_with(mutant::no_temperature, logprob_of::final_law) > 50);
}

TEST_CASE("dense rows, lists, masks of few tokens and 16-bit rows have the same bits on every tier") {
  tests::generator g(82);
  const sluice::instruction_tier now = sluice::tier();
  for (std::size_t i = tests::scaled(1'000); i > 0; --i) {
    tests::trial t = tests::random_trial(g);
    for (float& l : t.logits)  // that bf16 holds
      l = std::bit_cast<float>(std::bit_cast<std::uint32_t>(l) & 0xffff0000u);
    std::vector<std::uint16_t> narrow;
    std::vector<token_id> ids;
    std::vector<float> values;
    for (std::size_t k = t.logits.size(); k-- > 0;) {
      ids.push_back(token_id(k));
      values.push_back(t.logits[k]);
    }
    for (const float l : t.logits) narrow.push_back(std::uint16_t(std::bit_cast<std::uint32_t>(l) >> 16));
    const sluice::standard_chain chain(t.params);
    sluice::sequence q = sequence_of(t);
    const std::vector<token_id> asked = random_asked(g, t.logits.size());
    for (const logprob_of of : all_laws) {
      const sluice::logprob_request request{.of = of, .best = g.below(6), .tokens = asked};
      const auto dense = copy_of(sluice::logprobs(chain, t.logits, q, request, options_of(t)));
      CHECK(same(dense, sluice::logprobs(chain, {ids, values}, q, request, options_of(t))));
      CHECK(same(dense, sluice::logprobs(chain, {narrow.data(), narrow.size(), sluice::logit_type::bf16}, q,
                                         request, options_of(t))));
      for (const auto tier : {sluice::instruction_tier::scalar, sluice::instruction_tier::avx2})
        if (sluice::force_tier(tier))
          CHECK(same(dense, sluice::logprobs(chain, t.logits, q, request, options_of(t))));
      sluice::force_tier(now);
    }
  }
}

TEST_CASE("a long row is within 1e-6 of long double, with one token deep below and many near it") {
  tests::generator g(83);
  const sluice::standard_chain chain({});
  sluice::sequence q(1);
  for (const double gap : {0.1, 3.0, 10.0, 20.0, 30.0}) {
    std::vector<float> row(400'000);
    for (float& l : row) l = -float(gap) + 0.1f * float(g.gaussian());
    row[77'777] = 0.3f;
    real sum = 0;
    for (const float l : row) sum += std::exp(real(l));
    const token_id asked[] = {77'777, 5};
    const auto found = sluice::logprobs(chain, row, q, {.tokens = asked});
    REQUIRE(found.size() == 2);
    for (const auto& t : found) {
      const real p = real(row[std::size_t(t.id)]) - std::log(sum);
      CHECK(std::fabs(real(t.logprob) - p) < 1e-6L + 6e-8L * std::fabs(p));
      std::uint32_t rank = 1;
      for (std::size_t k = 0; k < row.size(); ++k)
        rank += row[k] > row[std::size_t(t.id)] || (row[k] == row[std::size_t(t.id)] && token_id(k) < t.id);
      CHECK(t.rank == rank);
    }
  }
}

TEST_CASE("a survivor 200 nats down has -200 under gumbel, and -inf with its rank under softmax") {
  const std::vector<float> row{-200, 0};
  sluice::sequence q(1);
  const sluice::logprob_request all{.of = logprob_of::final_law, .best = 9};
  const auto by_gumbel = sluice::logprobs(sluice::standard_chain({}), row, q, all);
  REQUIRE(by_gumbel.size() == 2);
  CHECK(by_gumbel[1].id == 0);
  CHECK(by_gumbel[1].logprob == -200);
  CHECK(by_gumbel[1].rank == 2);
  const sluice::standard_chain softmax({.draw = sluice::draw_method::softmax});
  const auto by_softmax = sluice::logprobs(softmax, row, q, all);
  REQUIRE(by_softmax.size() == 2);
  CHECK(by_softmax[0].logprob == 0);
  CHECK(by_softmax[1].logprob == tests::minus_infinity);
  CHECK(by_softmax[1].rank == 2);
}

TEST_CASE("greedy: one token with probability 1; +inf tokens share the law; raw sees neither mask nor bias") {
  const std::vector<float> row{1, 3, 2};
  sluice::sequence q(1);
  const auto greedy = sluice::logprobs(sluice::standard_chain({.temperature = 0}), row, q,
                                       {.of = logprob_of::final_law, .best = 5});
  REQUIRE(greedy.size() == 1);
  CHECK(greedy[0].id == 1);
  CHECK(greedy[0].logprob == 0);
  CHECK(greedy[0].rank == 1);
  const std::vector<float> forced{1, tests::plus_infinity, tests::not_a_number, tests::plus_infinity};
  const token_id asked[] = {0, 2};
  for (const logprob_of of : all_laws) {
    const auto found =
        sluice::logprobs(sluice::standard_chain({}), forced, q, {.of = of, .best = 5, .tokens = asked});
    REQUIRE(found.size() == 4);
    CHECK(found[0].rank == 0);
    CHECK(found[1].rank == 0);
    CHECK(found[2].id == 1);
    CHECK(found[3].id == 3);
    CHECK(found[3].logprob == doctest::Approx(-std::log(2.0)));
  }
  const std::uint32_t words[] = {4};
  const sluice::token_bias bias[] = {{2, -5}};
  const sluice::call_options call{.mask = sluice::token_mask(words), .bias = bias};
  const auto raw = copy_of(sluice::logprobs(sluice::standard_chain({}), row, q, {.best = 3}, call));
  CHECK(same(raw, sluice::logprobs(sluice::standard_chain({}), row, q, {.best = 3})));
  CHECK(sluice::logprobs(sluice::standard_chain({}), row, q, {.of = logprob_of::edited, .best = 3}, call)
            .size() == 1);
}

TEST_CASE("where a call gives no token: absent entries, or none") {
  const std::vector<float> none{tests::minus_infinity, tests::not_a_number}, row{1, 2};
  const token_id asked[] = {0, 1};
  const sluice::standard_chain chain({});
  sluice::sequence q(1);
  for (const logprob_of of : all_laws) {
    const auto found = sluice::logprobs(chain, none, q, {.of = of, .best = 3, .tokens = asked});
    REQUIRE(found.size() == 2);
    CHECK(found[1].id == 1);
    CHECK(found[1].rank == 0);
    CHECK(found[1].logprob == tests::minus_infinity);
    CHECK(sluice::logprobs(chain, std::vector<float>{}, q, {.of = of, .tokens = asked}).size() == 2);
    CHECK(sluice::logprobs(chain, row, q, {.of = of}).empty());
    const std::vector<float> long_row(std::size_t{1} << 20);
    CHECK(sluice::logprobs(chain, long_row, q, {.of = of, .best = 1}).empty());
    const sluice::token_bias nan[] = {{0, tests::not_a_number}};
    CHECK(sluice::logprobs(chain, row, q, {.of = of, .best = 1}, {.bias = nan}).size() ==
          (of == logprob_of::raw ? 1 : 0));
    CHECK(sluice::logprobs(chain, row, q, {.of = of, .best = 1}, {.temperature = tests::plus_infinity})
              .size() == (of == logprob_of::final_law ? 0 : 1));
  }
}

TEST_CASE("a chain by hand has the log-probabilities of the standard one") {
  tests::generator g(84);
  for (int i = 0; i < 50; ++i) {
    tests::trial t = tests::random_trial(g);
    t.params.truncation = sluice::truncation_rule::sequential;
    t.params.draw = sluice::draw_method::gumbel;
    t.params.order.clear();
    const std::vector<token_id> asked = random_asked(g, t.logits.size());
    sluice::sequence q = sequence_of(t);
    for (const logprob_of of : all_laws) {
      const sluice::logprob_request request{.of = of, .best = 4, .tokens = asked};
      const auto standard =
          copy_of(sluice::logprobs(sluice::standard_chain(t.params), t.logits, q, request, options_of(t)));
      CHECK(same(standard,
                 sluice::logprobs(tests::chain_by_hand(t.params), t.logits, q, request, options_of(t))));
    }
  }
}

TEST_CASE("a record tells what was kept and ln p of the token, and changes no token") {
  tests::generator g(85);
  std::size_t drawn = 0;
  for (std::size_t i = tests::scaled(8'000); i > 0; --i) {
    tests::trial t = random_asked_trial(g);
    if (g.chance(0.1)) t.params.temperature = 0;
    if (g.chance(0.1)) t.call_temperature = g.pick(std::array{0.0f, 0.7f, tests::not_a_number});
    if (g.chance(0.1)) t.params.mirostat = 1 + int(g.below(2));
    if (g.chance(0.1) && !t.params.xtc_marginal) t.params.adaptive_target = 0.3f;
    if (sluice::check(t.params)) continue;
    const sluice::standard_chain chain(t.params);
    sluice::sequence q = sequence_of(t);
    sluice::call_options call = options_of(t);
    const sluice::sample_result alone = chain.sample(t.logits, q, call);
    std::vector<token_id> kept(t.logits.size(), -7), law;
    sluice::sample_record record{.kept = kept, .kept_count = 99, .logprob = 99};
    call.record = &record;
    const sluice::sample_result recorded = chain.sample(t.logits, q, call);
    CHECK(recorded.token == alone.token);
    CHECK(recorded.status == alone.status);
    CHECK(recorded.saw_nan == alone.saw_nan);
    CHECK(record.kept.data() == kept.data());
    for (const sluice::candidate& c : chain.distribution(t.logits, q, call)) law.push_back(c.id);
    std::sort(law.begin(), law.end());
    REQUIRE(record.kept_count == law.size());
    CHECK(std::equal(law.begin(), law.end(), kept.begin()));
    CHECK(std::all_of(kept.begin() + std::ptrdiff_t(law.size()), kept.end(),
                      [](token_id id) { return id == -7; }));
    if (!alone) {
      CHECK(record.logprob == 0);
      continue;
    }
    ++drawn;
    const token_id asked[] = {alone.token};
    const auto found =
        sluice::logprobs(chain, t.logits, q, {.of = logprob_of::final_law, .tokens = asked}, call);
    REQUIRE(found.size() == 1);
    CHECK(std::bit_cast<std::uint32_t>(found[0].logprob) == std::bit_cast<std::uint32_t>(record.logprob));
    CHECK(std::isfinite(record.logprob));
    // As many as fit.
    const std::size_t room = g.below(law.size());
    std::fill(kept.begin(), kept.end(), -7);
    record.kept = std::span(kept).first(room);
    chain.sample(t.logits, q, call);
    CHECK(record.kept_count == law.size());
    CHECK(std::equal(law.begin(), law.begin() + std::ptrdiff_t(room), kept.begin()));
    CHECK(kept[room] == -7);
  }
  CHECK(drawn > tests::scaled(8'000) / 2);
}

TEST_CASE("a record of a nucleus that rejection would serve, of long rows and of chains by hand") {
  tests::generator g(86);
  for (const auto engine : {sluice::truncation_engine::automatic, sluice::truncation_engine::rejection}) {
    std::vector<float> row(20'000);
    for (float& l : row) l = float(2 * g.gaussian());
    const sluice::standard_chain chain(
        {.temperature = 1.3f, .top_p = 0.9f, .min_p = 0.001f, .engine = engine});
    const sluice::chain by_hand{sluice::top_p{.p = 0.9f}, sluice::min_p{.p = 0.001f},
                                sluice::temperature{.t = 1.3f}};
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      sluice::sequence q(seed);
      sluice::sample_record record, other;
      const auto alone = chain.sample(row, q);
      CHECK(chain.sample(row, q, {.record = &record}).token == alone.token);
      CHECK(by_hand.sample(row, q, {.record = &other}).token == alone.token);
      CHECK(record.kept_count > 10);
      CHECK(record.kept_count == chain.distribution(row, q).size());
      CHECK(record.kept_count == other.kept_count);
      CHECK(record.logprob == other.logprob);
    }
  }
}
