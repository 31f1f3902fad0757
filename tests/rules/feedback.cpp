// Mirostat and adaptive-p against the oracle, over generations with rewinds, copies and foreign tokens.
#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <cmath>
#include <set>
#include <vector>

#include "oracle_feedback.hpp"
#include "random_params.hpp"

namespace {

using sluice::token_id;
using tests::generator;
namespace oracle = tests::oracle;

/// The state of a sequence as the oracle's has it.
oracle::feedback state_of(const sluice::sequence& q) {
  oracle::feedback found;
  const auto& fed = sluice::detail::sequence_access::of(q).feedback;
  if (!fed) return found;
  found.has_mu = fed->mirostat.started;
  found.has_sums = fed->adaptive.started;
  found.mu = fed->mirostat.value;
  found.sum = fed->adaptive.value;
  found.weight = fed->adaptive.weight;
  return found;
}

bool alike(const oracle::feedback& a, const oracle::feedback& b) {
  const auto near_to = [](oracle::real x, oracle::real y) {
    return std::fabs(x - y) <= 1e-9L * (1 + std::fabs(y));
  };
  return a.has_mu == b.has_mu && a.has_sums == b.has_sums && (!a.has_mu || near_to(a.mu, b.mu)) &&
         (!a.has_sums || (near_to(a.sum, b.sum) && near_to(a.weight, b.weight)));
}

bool same(const oracle::feedback& a, const oracle::feedback& b) {
  return a.has_mu == b.has_mu && a.has_sums == b.has_sums && (!a.has_mu || a.mu == b.mu) &&
         (!a.has_sums || (a.sum == b.sum && a.weight == b.weight));
}

sluice::sampling_params random_feedback(generator& g, std::size_t size) {
  sluice::sampling_params p;
  if (g.chance(0.6)) {
    p.mirostat = g.between(1, 2);
    p.mirostat_tau = tests::random_float(g, 0.5, 8);
    p.mirostat_eta = tests::random_float(g, 0, 0.5);
    if (g.chance(0.5)) p.top_k = g.between(1, 5);  // is not looked at
    if (g.chance(0.5)) p.repetition_penalty = 1.5f;
  } else {
    p.adaptive_target = g.chance(0.1) ? 0.0f : tests::random_float(g, 0, 1);
    p.adaptive_decay = g.chance(0.1) ? 0.0f : tests::random_float(g, 0, 0.99);
    if (g.chance(0.5)) p.min_p = tests::random_float(g, 0, 0.2);
    if (g.chance(0.3)) p.top_p = tests::random_float(g, 0.3, 1);
    if (g.chance(0.2)) p.frequency_penalty = 0.5f;
    if (g.chance(0.2)) p.xtc_probability = 0.5f;
    if (g.chance(0.1)) p.top_k = 1;
  }
  if (g.chance(0.6)) p.temperature = tests::random_float(g, 0.3, 2);
  if (g.chance(0.05)) p.temperature = 0;
  if (g.chance(0.2)) p.dynatemp_range = 0.3f;
  if (g.chance(0.2)) p.suppressed_tokens = tests::random_ids(g, size, 2);
  if (g.chance(0.3)) p.draw = sluice::draw_method::softmax;
  return p;
}

/// The library's law, and whether it is the oracle's.
bool same_law(const oracle::outcome& expected, std::span<const sluice::candidate> found) {
  if (expected.law.size() != found.size()) return false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    // Tokens of equal or nearly equal logits may rank either way after rounding.
    const auto at = std::find_if(expected.law.begin(), expected.law.end(),
                                 [&](const oracle::chance& c) { return c.of.id == found[i].id; });
    if (at == expected.law.end() || !oracle::is_probability(*at, found[i].probability)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("generations under feedback: laws, tokens and states are the oracle's, rewinds exact") {
  generator g(90);
  std::size_t compared = 0, drawn_alike = 0;
  for (std::size_t trial = tests::scaled(400); trial > 0; --trial) {
    const std::size_t size = 1 + g.below(g.chance(0.2) ? 3'000 : 60);
    const sluice::sampling_params p = random_feedback(g, size);
    CAPTURE(trial);
    CAPTURE(p.mirostat);
    const sluice::standard_chain chain(p);
    sluice::sequence q(g.next(), g.below(1000));
    const std::uint64_t start = q.position();
    std::vector<oracle::feedback> states{{}};  // before each token, and now
    std::vector<oracle::feedback> exact{{}};
    for (int step = 0; step < 12; ++step) {
      if (states.size() > 2 && g.chance(0.15)) {
        const std::size_t back = g.below(states.size());
        q.rewind(back);
        states.resize(states.size() - back);
        exact.resize(exact.size() - back);
        REQUIRE(same(state_of(q), exact.back()));
      }
      if (g.chance(0.1)) q = sluice::sequence(q);
      const std::vector<float> logits =
          tests::make_row(g, g.chance(0.7) ? tests::shape::gaussian : g.pick(tests::all_shapes), size);
      oracle::situation given{.logits = logits};
      for (const token_id token : q.tokens()) given.past.tokens.push_back(token);
      given.now = {q.seed(), start + q.tokens().size()};
      const oracle::steered expected = oracle::steer(p, given, states.back());
      const auto law = chain.distribution(logits, q);
      const std::vector<sluice::candidate> found(law.begin(), law.end());
      const sluice::sample_result drawn = chain.sample(logits, q);
      if (expected.from.empty()) {
        REQUIRE(drawn.status == sluice::sample_status::no_token_left);
        break;
      }
      REQUIRE(drawn);
      if (expected.distance < 1e-6L) break;  // on the cut: either is right
      REQUIRE(same_law(expected.from, found));
      const oracle::drawn best = expected.from.draw(p.draw, given.now);
      if (best.distance > 1e-5L) {
        REQUIRE(drawn.token == best.id);
        ++drawn_alike;
      }
      token_id token = drawn.token;
      oracle::feedback next = expected.after.at(token);
      const double what = g.uniform();
      if (what < 0.1) {  // a foreign token
        token = static_cast<token_id>(g.below(size));
        if (token != drawn.token) next = states.back();
        q.accept(token);
      } else if (what < 0.15) {  // given, not generated
        next = states.back();
        q.accept_prompt(std::span<const token_id>(&token, 1));
      } else if (what < 0.2) {  // taken back before it is accepted: the draw is forgotten
        q.accept(token);
        q.rewind(1);
        q.accept(token);
        next = states.back();
      } else {
        q.accept(token);
      }
      REQUIRE(alike(state_of(q), next));
      states.push_back(next);
      exact.push_back(state_of(q));
      ++compared;
    }
  }
  CHECK(compared > tests::scaled(400) * 4);
  CHECK(drawn_alike > compared / 2);
}

TEST_CASE("a draw again after a rewind moves the state again") {
  sluice::sampling_params p;
  p.mirostat = 2;
  p.seed = 5;
  sluice::sampler once(p), again(p);
  const std::vector<float> row{3, 2, 1, 0};
  (void)once.next(row);
  (void)again.next(row);
  again.rewind(1);
  CHECK(same(state_of(again.sequence), {}));
  (void)again.next(row);
  CHECK(same(state_of(again.sequence), state_of(once.sequence)));
}

TEST_CASE("a chain by hand and a free order end in a feedback draw") {
  generator g(91);
  for (std::size_t i = tests::scaled(300); i > 0; --i) {
    const std::vector<float> row = tests::make_row(
        g, g.chance(0.7) ? tests::shape::gaussian : g.pick(tests::all_shapes), 1 + g.below(400));
    sluice::sampling_params p;
    p.temperature = 0.7f;
    p.adaptive_target = 0.4f;
    p.min_p = 0.02f;
    p.seed = g.next();
    sluice::sampler fixed(p);
    p.order = g.chance(0.5) ? "adaptive_p;min_p;temperature" : "mat";
    sluice::sampler free(p);
    const sluice::chain hand{sluice::min_p{.p = 0.02f}, sluice::temperature{.t = 0.7f},
                             sluice::adaptive_p{.target = 0.4f}};
    sluice::sequence q(*p.seed);
    for (int step = 0; step < 6; ++step) {
      const token_id token = fixed.next(row).token;
      CHECK(free.next(row).token == token);
      const sluice::sample_result drawn = hand.sample(row, q);
      CHECK(drawn.token == token);
      q.accept(drawn.token);
    }
    CHECK(same(state_of(q), state_of(fixed.sequence)));
  }
}

TEST_CASE("a call's own temperature stands in for the chain's") {
  generator g(92);
  for (std::size_t i = tests::scaled(8'000); i > 0; --i) {
    tests::trial t = tests::random_trial(g);
    if (g.chance(0.2)) t.params.adaptive_target = tests::random_float(g, 0, 1), t.params.xtc_marginal = false;
    if (g.chance(0.1)) t.params.mirostat = g.between(1, 2), t.params.xtc_marginal = false;
    const float own = g.chance(0.1) ? 0.0f : g.chance(0.1) ? 1.0f : tests::random_float(g, 0.2, 2.5);
    tests::trial other = t;
    const bool named =
        t.params.order.empty() || sluice::detail::parse_order(t.params.order).runs<sluice::temperature>();
    if (named) other.params.temperature = own;
    t.call_temperature = own;
    const tests::taken a = tests::take(t), b = tests::take(other);
    CHECK(a.drawn.token == b.drawn.token);
    CHECK(a.drawn.status == b.drawn.status);
    REQUIRE(a.left.size() == b.left.size());
    for (std::size_t k = 0; k < a.left.size(); ++k) {
      CHECK(a.left[k].id == b.left[k].id);
      CHECK(a.left[k].probability == b.left[k].probability);
    }
  }
}

TEST_CASE("a temperature that is no number is a status") {
  const std::vector<float> row{1, 2, 3};
  const sluice::chain plain{sluice::top_k{.k = 2}};
  const sluice::standard_chain standard(sluice::sampling_params{});
  sluice::sequence q(1);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    CHECK(plain.sample(row, q, {.temperature = bad}).status == sluice::sample_status::invalid_temperature);
    CHECK(standard.sample(row, q, {.temperature = bad}).status == sluice::sample_status::invalid_temperature);
    CHECK(standard.distribution(row, q, {.temperature = bad}).empty());
  }
  CHECK(plain.sample(row, q, {.temperature = 0.0f}).status == sluice::sample_status::ok);
}

TEST_CASE("end tokens are absent until enough was generated; a rewind is counted back") {
  const std::vector<float> row{9, 8, 1};
  sluice::sampling_params p;
  p.temperature = 0;
  p.min_tokens = 2;
  p.end_tokens = {0, 7};
  p.logit_bias = {{0, std::numeric_limits<float>::infinity()}};  // absent beats forced
  sluice::sampler s(p);
  s.accept_prompt(std::vector<token_id>{0, 0, 0});
  CHECK(s.next(row).token == 1);
  CHECK(s.next(row).token == 1);
  CHECK(s.sample(row).token == 0);
  s.rewind(1);
  CHECK(s.sample(row).token == 1);
  CHECK(s.sequence.generated() == 1);
  CHECK(s.next(std::vector<float>{5}).status == sluice::sample_status::no_token_left);
}

TEST_CASE(
    "another chain on the same sequence is a phase: it samples as if it had been there from the start") {
  generator g(93);
  for (std::size_t i = tests::scaled(300); i > 0; --i) {
    // Now and then a chain that feeds nothing back.
    const auto params = [&] { return g.chance(0.7) ? random_feedback(g, 200) : sluice::sampling_params{}; };
    const sluice::standard_chain a(params()), b(params());
    sluice::sequence q(g.next());
    for (int step = 0; step < 20; ++step) {
      const std::vector<float> row = tests::make_row(g, tests::shape::gaussian, 200);
      const sluice::standard_chain& now = step / 5 % 2 == 0 ? a : b;
      sluice::sequence alone(q);
      const token_id token = now.sample(row, alone).token;
      // Here the other phase draws first, and is not accepted: the last draw counts.
      (void)(step / 5 % 2 == 0 ? b : a).sample(row, q);
      REQUIRE(now.sample(row, q).token == token);
      alone.accept(token);
      q.accept(token);
      REQUIRE(same(state_of(q), state_of(alone)));
    }
    // What both phases moved is rewound together.
    const oracle::feedback before = state_of(q);
    const std::vector<float> row = tests::make_row(g, tests::shape::gaussian, 200);
    q.accept(a.sample(row, q).token);
    q.accept(b.sample(row, q).token);
    q.rewind(2);
    REQUIRE(same(state_of(q), before));
  }
}

TEST_CASE("min_tokens at any place of a chain in any order") {
  const std::vector<float> row{9, 8, 1};
  const sluice::custom_chain chain{sluice::top_k{.k = 2}, sluice::min_tokens{.n = 1, .end_tokens = {0}},
                                   sluice::temperature{.t = 0}};
  sluice::sequence q(1);
  // The bias comes before the cut, wherever min_tokens stands.
  const sluice::token_bias bias{.token = 2, .bias = 20};
  const auto law = chain.distribution(row, q, {.bias = {&bias, 1}});
  REQUIRE(law.size() == 1);
  CHECK(law[0].id == 2);
  CHECK(chain.sample(row, q).token == 1);
  q.accept(1);
  CHECK(chain.sample(row, q).token == 0);
}
