// Mirostat and adaptive-p against the oracle, over generations with rewinds, copies and foreign tokens.
#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <array>
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

TEST_CASE("a call's own temperature reaches the draw that rejects, and both ends of greedy") {
  generator g(94);
  for (int i = 0; i < 200; ++i) {
    const std::vector<float> row = tests::make_row(g, tests::shape::gaussian, 500);
    sluice::sampling_params p;
    p.top_p = 0.9f;
    p.temperature = 0.8f;
    p.draw = i % 2 == 0 ? sluice::draw_method::gumbel : sluice::draw_method::softmax;
    sluice::sampling_params hot = p;
    hot.temperature = 2.5f;
    sluice::sequence q(g.next());
    CHECK(sluice::standard_chain(p).sample(row, q, {.temperature = 2.5f}).token ==
          sluice::standard_chain(hot).sample(row, q).token);
  }
  // XTC removes the best token, but for greedy, which runs no filter.
  const std::vector<float> row{3, 2.9f, 2.8f};
  sluice::sampling_params p;
  p.xtc_probability = 1;
  p.xtc_threshold = 0.05f;
  const sluice::standard_chain warm(p);
  p.temperature = 0;
  const sluice::standard_chain cold(p);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    sluice::sequence q(seed);
    CHECK(warm.sample(row, q).token == 2);
    CHECK(warm.sample(row, q, {.temperature = 0.0f}).token == 0);
    CHECK(warm.distribution(row, q, {.temperature = 0.0f}).size() == 1);
    CHECK(cold.sample(row, q).token == 0);
    CHECK(cold.sample(row, q, {.temperature = 1.0f}).token == 2);
  }
}

TEST_CASE("a feedback draw behind top-p draws from the shaped nucleus, and moves") {
  generator g(95);
  for (int i = 0; i < 200; ++i) {
    sluice::sampling_params p;
    p.top_p = 0.6f;
    p.adaptive_target = 0.2f;
    const std::vector<float> row = tests::make_row(g, tests::shape::gaussian, 100);
    sluice::sequence q(g.next());
    const oracle::situation given{.logits = row, .now = {q.seed(), 0}};
    const oracle::steered expected = oracle::steer(p, given, {});
    const oracle::drawn best = expected.from.draw(p.draw, given.now);
    const token_id token = sluice::standard_chain(p).sample(row, q).token;
    if (best.distance > 1e-5L && expected.distance > 1e-6L) CHECK(token == best.id);
    q.accept(token);
    CHECK(alike(state_of(q), expected.after.at(token)));
  }
}

TEST_CASE("greedy under feedback: the best token, surprise 0, probability 1") {
  const std::vector<float> row{1, 3, 3, 2};
  for (const int version : {1, 2}) {
    sluice::sampling_params p;
    p.mirostat = version;
    p.temperature = 0;
    sluice::sampler s(p);
    CHECK(s.distribution(row).size() == 1);
    CHECK(s.next(row).token == 1);
    CHECK(alike(state_of(s.sequence), {.has_mu = true, .mu = 10 + oracle::real(0.1f) * 5}));
  }
  for (const bool by_rank : {false, true}) {
    sluice::sampling_params p;
    p.adaptive_target = 0.5f;
    p.adaptive_decay = 0.5f;
    by_rank ? void(p.top_k = 1) : void(p.temperature = 0);
    sluice::sampler s(p);
    const auto law = s.distribution(row);
    REQUIRE(law.size() == 1);
    CHECK(law[0].probability == 1);
    CHECK(s.next(row).token == 1);
    CHECK(alike(state_of(s.sequence), {.has_sums = true, .sum = 1.5L, .weight = 2}));
  }
}

TEST_CASE("adaptive-p of different decays takes turns: the oracle's sums, and rewinds to the bit") {
  generator g(96);
  for (int trial = 0; trial < 20; ++trial) {
    sluice::sampling_params p[3];
    const float decays[] = {0.3f, 0.9f, 0.0f};
    for (int k = 0; k < 3; ++k) {
      p[k].adaptive_target = 0.1f + 0.2f * static_cast<float>(k);
      p[k].adaptive_decay = decays[k];
    }
    const sluice::standard_chain chains[] = {sluice::standard_chain(p[0]), sluice::standard_chain(p[1]),
                                             sluice::standard_chain(p[2])};
    sluice::sequence q(g.next());
    std::vector<oracle::feedback> states{{}};
    for (int step = 0; step < 60; ++step) {
      if (g.chance(0.2)) {
        const std::size_t back = g.below(states.size());
        q.rewind(back);
        states.resize(states.size() - back);
        REQUIRE(same(state_of(q), states.back()));
      }
      const std::size_t k = g.below(3);
      const std::vector<float> row = tests::make_row(g, tests::shape::gaussian, 30);
      const oracle::situation given{.logits = row, .now = {q.seed(), q.position()}};
      const oracle::steered expected = oracle::steer(p[k], given, states.back());
      const token_id token = chains[k].sample(row, q).token;
      q.accept(token);
      REQUIRE(alike(state_of(q), expected.after.at(token)));
      states.push_back(state_of(q));
    }
  }
}

TEST_CASE("adaptive-p measures its scores from its own logits, however large those before were") {
  sluice::sampling_params p;
  p.adaptive_target = 0.5f;
  p.min_p = 0.5f;
  const sluice::standard_chain chain(p);
  const std::vector<float> row(8, 1e30f);
  std::set<token_id> drawn;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    sluice::sequence q(seed);
    drawn.insert(chain.sample(row, q).token);
  }
  CHECK(drawn.size() == row.size());
}

TEST_CASE("a draft that a plain chain verifies takes the place of a feedback draw at its position") {
  const std::vector<float> row{2};
  sluice::sampling_params p;
  p.adaptive_target = 0.5f;
  const sluice::standard_chain feedback(p), plain(sluice::sampling_params{});
  const std::array<sluice::logits_view, 2> rows{row, row};
  const token_id draft = 0;
  const std::array law{sluice::candidate{.id = 0, .probability = 1}};
  const std::array laws{std::span<const sluice::candidate>(law)};
  for (const auto how : {sluice::verification::per_token, sluice::verification::block}) {
    sluice::sequence q(1);
    REQUIRE(feedback.sample(row, q).token == 0);
    std::array<token_id, 2> out{};
    REQUIRE(sluice::verify(plain, q, rows, {.tokens = {&draft, 1}, .laws = laws}, out, {}, how).count == 2);
    CHECK(same(state_of(q), {}));
  }
}
