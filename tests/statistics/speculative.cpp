#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rows_to_draw.hpp"

// Drafts with laws: the law of what is emitted over ten rounds and more, by token and by block; how often
// drafts that share the noise are accepted.

using namespace tests::statistics;

namespace {

using sluice::token_id;
using sluice::verification;
using sluice::random::source;
using sluice::random::stream;
using tokens = std::vector<token_id>;

constexpr std::size_t vocab = 4, drafts_a_round = 3, length = 22;  // ten rounds give 15 to 25 tokens

/// Target and drafter: a row for each token before.
struct models {
  std::array<std::vector<float>, vocab> target_rows, draft_rows;
  std::array<std::vector<double>, vocab> p, q;

  /// The drafter is the target with `distance` more noise.
  models(std::uint64_t seed, double distance) {
    tests::generator g(seed);
    for (std::size_t i = 0; i < vocab; ++i) {
      for (std::size_t k = 0; k < vocab; ++k) {
        target_rows[i].push_back(static_cast<float>(g.gaussian()));
        draft_rows[i].push_back(target_rows[i][k] + static_cast<float>(distance * g.gaussian()));
      }
      p[i] = law_of({target_rows[i]});
      q[i] = law_of({draft_rows[i]});
    }
  }
};

double unit(const source& from, std::uint32_t index) {
  return (double(from.at(stream::acceptance, index)[0]) + 0.5) * 0x1p-32;
}

token_id inverse_cdf(const std::vector<double>& weights, double target) {
  token_id last = 0;
  double running = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    running += weights[i];
    last = token_id(i);
    if (running > target) break;
  }
  return last;
}

struct residual {
  std::vector<double> weights;
  double total = 0;
};

residual left_of(const std::vector<double>& p, const std::vector<double>& q, double factor) {
  residual r;
  for (std::size_t i = 0; i < p.size(); ++i) {
    r.weights.push_back(std::max(factor * p[i] - q[i], 0.0));
    r.total += r.weights.back();
  }
  return r;
}

/// What spec 7 says, and what it does not.
enum class fault { none, bare_acceptance, noise_again, not_renormalised, bare_h, coins_by_position };

class reference {
 public:
  reference(const models& m, verification how, fault f) : m_(m), how_(how), fault_(f) {}

  /// One round after `before`, at `position`; the drafts were drawn by inverse CDF from laws by `m.q`, or
  /// with the noise of the position.
  tokens round(token_id before, std::uint64_t seed, std::uint64_t position, const tokens& drafts) const {
    return how_ == verification::block ? block(before, seed, position, drafts)
                                       : per_token(before, seed, position, drafts);
  }

 private:
  tokens per_token(token_id before, std::uint64_t seed, std::uint64_t position, const tokens& drafts) const {
    tokens out;
    for (const token_id t : drafts) {
      const auto& p = m_.p[std::size_t(before)];
      const auto& q = m_.q[std::size_t(before)];
      const source here{seed, position + out.size()};
      const double u = unit(here, 0);
      const bool stands = fault_ == fault::bare_acceptance
                              ? u <= p[std::size_t(t)]
                              : p[std::size_t(t)] > 0 && u * q[std::size_t(t)] < p[std::size_t(t)];
      if (!stands) {
        out.push_back(recovered(p, q, 1, here));
        return out;
      }
      out.push_back(t);
      before = t;
    }
    out.push_back(next(before, {seed, position + out.size()}));
    return out;
  }

  tokens block(token_id before, std::uint64_t seed, std::uint64_t position, const tokens& drafts) const {
    double c = 1, c_of_best = 1;
    std::size_t best = 0;
    const token_id first = before;
    for (std::size_t i = 1; i <= drafts.size(); ++i) {
      const auto t = std::size_t(drafts[i - 1]);
      c = std::min(1.0, c * m_.p[std::size_t(before)][t] / m_.q[std::size_t(before)][t]);
      before = token_id(t);
      double h = c;
      if (i < drafts.size() && fault_ != fault::bare_h) {
        const double z = left_of(m_.p[t], m_.q[t], c).total;
        h = z + (1 - c) > 0 ? z / (z + (1 - c)) : 1;
      }
      const double u = fault_ == fault::coins_by_position ? unit({seed, position + i - 1}, 0)
                                                          : unit({seed, position}, std::uint32_t(i));
      if (u <= h) {
        best = i;
        c_of_best = c;
      }
    }
    tokens out(drafts.begin(), drafts.begin() + std::ptrdiff_t(best));
    const auto last = std::size_t(best == 0 ? first : out.back());
    const source here{seed, position + best};
    out.push_back(best == drafts.size() ? next(token_id(last), here)
                                        : recovered(m_.p[last], m_.q[last], c_of_best, here));
    return out;
  }

  token_id recovered(const std::vector<double>& p, const std::vector<double>& q, double factor,
                     const source& here) const {
    residual left = left_of(p, q, factor);
    if (!(left.total > 0)) left = {p, 1};
    if (fault_ == fault::noise_again) {
      std::vector<float> row;
      for (const double w : left.weights) row.push_back(w > 0 ? float(std::log(w)) : tests::minus_infinity);
      return drawn(row, here);
    }
    const auto w = here.at(stream::recovery, 0);
    const double u = double((std::uint64_t{w[0]} << 32 | w[1]) >> 11) * 0x1p-53;
    return inverse_cdf(left.weights, u * (fault_ == fault::not_renormalised ? 1 : left.total));
  }

  token_id next(token_id before, const source& here) const {
    return drawn(m_.target_rows[std::size_t(before)], here);
  }

 public:
  /// As the library draws.
  static token_id drawn(const std::vector<float>& row, const source& here) {
    static const sluice::standard_chain chain{sluice::sampling_params{}};
    sluice::sequence q(here.seed, here.position);
    return chain.sample(row, q).token;
  }

 private:
  const models& m_;
  verification how_;
  fault fault_;
};

/// The same round by the library. Candidates come in another order for each position.
tokens library_round(const models& m, verification how, sluice::sequence& q, token_id before,
                     const tokens& drafts) {
  static const sluice::standard_chain chain{sluice::sampling_params{}};
  std::array<std::vector<sluice::candidate>, drafts_a_round> laws;
  std::array<std::span<const sluice::candidate>, drafts_a_round> views;
  std::array<sluice::logits_view, drafts_a_round + 1> rows;
  rows[0] = m.target_rows[std::size_t(before)];
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    for (std::size_t k = 0; k < vocab; ++k) {
      const std::size_t id = (k + i + q.position()) % vocab;
      laws[i].push_back({.id = token_id(id), .probability = float(m.q[std::size_t(before)][id])});
    }
    views[i] = laws[i];
    before = drafts[i];
    rows[i + 1] = m.target_rows[std::size_t(before)];
  }
  std::array<token_id, drafts_a_round + 1> out{};
  const sluice::verified v = sluice::verify(chain, q, rows, {drafts, views}, out, {}, how);
  REQUIRE(v.status == sluice::sample_status::ok);
  return {out.begin(), out.begin() + std::ptrdiff_t(v.count)};
}

enum class drafter { fresh, shares_noise };

tokens drawn_drafts(const models& m, drafter kind, token_id before, std::uint64_t seed,
                    std::uint64_t position, tests::generator& g) {
  tokens drafts;
  for (std::size_t i = 0; i < drafts_a_round; ++i) {
    const auto from = std::size_t(before);
    before = kind == drafter::fresh ? inverse_cdf(m.q[from], g.uniform())
                                    : reference::drawn(m.draft_rows[from], {seed, position + i});
    drafts.push_back(before);
  }
  return drafts;
}

/// Counts of neighbouring tokens at each place of many generations from token 0, each of `length` tokens in
/// rounds; whether they have the target's law. `round(sequence, before, drafts)` accepts into the sequence
/// what it gives.
template <class Round>
bool has_law(const models& m, drafter kind, std::size_t generations, std::uint64_t seed, Round round) {
  std::vector<std::vector<std::size_t>> pairs(length, std::vector<std::size_t>(vocab * vocab, 0));
  std::vector<std::size_t> triples(vocab * vocab * vocab, 0);  // of the last places
  tests::generator g(seed);
  for (std::size_t n = 0; n < generations; ++n) {
    sluice::sequence q(g.next());
    tokens all{0};
    while (all.size() <= length) {
      const tokens drafts = drawn_drafts(m, kind, all.back(), q.seed(), q.position(), g);
      for (const token_id t : round(q, all.back(), drafts)) all.push_back(t);
    }
    for (std::size_t i = 0; i < length; ++i)
      ++pairs[i][std::size_t(all[i]) * vocab + std::size_t(all[i + 1])];
    const std::size_t end = length - 2;
    ++triples[(std::size_t(all[end]) * vocab + std::size_t(all[end + 1])) * vocab +
              std::size_t(all[end + 2])];
  }
  std::vector<double> now(vocab, 0);
  now[0] = 1;
  bool fit = true;
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<double> law, next(vocab, 0), three;
    for (std::size_t a = 0; a < vocab; ++a)
      for (std::size_t b = 0; b < vocab; ++b) {
        law.push_back(now[a] * m.p[a][b]);
        next[b] += law.back();
        if (i + 2 == length)
          for (std::size_t c = 0; c < vocab; ++c) three.push_back(law.back() * m.p[b][c]);
      }
    fit = fit && fits(pairs[i], law);
    if (i + 2 == length) fit = fit && fits(triples, three);
    now = next;
  }
  return fit;
}

bool library_has_law(const models& m, verification how, drafter kind, std::uint64_t seed) {
  return has_law(m, kind, tests::scaled(200'000), seed,
                 [&](sluice::sequence& q, token_id before, const tokens& drafts) {
                   return library_round(m, how, q, before, drafts);
                 });
}

bool reference_has_law(const models& m, verification how, fault f, drafter kind, std::uint64_t seed) {
  const reference by(m, how, f);
  return has_law(m, kind, tests::scaled(200'000), seed,
                 [&](sluice::sequence& q, token_id before, const tokens& drafts) {
                   const tokens out = by.round(before, q.seed(), q.position(), drafts);
                   q.accept(out);
                   return out;
                 });
}

}  // namespace

TEST_CASE("drafts with laws: over ten rounds and more the law is the target's, by token and by block") {
  for (const double distance : {0.5, 1.5}) {
    const models m(101, distance);
    CHECK(library_has_law(m, verification::per_token, drafter::fresh, 1));
    CHECK(library_has_law(m, verification::per_token, drafter::shares_noise, 2));
    CHECK(library_has_law(m, verification::block, drafter::fresh, 3));
  }
}

TEST_CASE("drafts with laws: the tokens are those of the definition") {
  tests::generator g(102);
  std::size_t accepted[2] = {0, 0};
  for (const verification how : {verification::per_token, verification::block})
    for (std::size_t i = tests::scaled(100'000); i > 0; --i) {
      static const models near_to(103, 0.4), far_from(104, 2);
      const models& m = i % 2 == 0 ? near_to : far_from;
      const std::uint64_t seed = g.next(), position = g.next() >> g.below(64);
      const auto before = token_id(g.below(vocab));
      const tokens drafts = drawn_drafts(m, drafter::fresh, before, seed, position, g);
      sluice::sequence q(seed, position);
      const tokens out = library_round(m, how, q, before, drafts);
      REQUIRE(out == reference(m, how, fault::none).round(before, seed, position, drafts));
      REQUIRE(tokens(q.tokens().begin(), q.tokens().end()) == out);
      accepted[how == verification::block] += out.size() - 1;
    }
  CHECK(accepted[1] > accepted[0]);  // a block is never worse
}

TEST_CASE("the law over rounds tells each fault") {
  const models m(101, 1.5);
  using enum fault;
  CHECK(reference_has_law(m, verification::per_token, none, drafter::fresh, 11));
  CHECK(reference_has_law(m, verification::block, none, drafter::fresh, 12));
  CHECK_FALSE(reference_has_law(m, verification::per_token, bare_acceptance, drafter::fresh, 13));
  CHECK_FALSE(reference_has_law(m, verification::per_token, noise_again, drafter::shares_noise, 14));
  CHECK_FALSE(reference_has_law(m, verification::per_token, not_renormalised, drafter::fresh, 15));
  CHECK_FALSE(reference_has_law(m, verification::block, not_renormalised, drafter::fresh, 16));
  CHECK_FALSE(reference_has_law(m, verification::block, bare_h, drafter::fresh, 17));
  CHECK_FALSE(reference_has_law(m, verification::block, coins_by_position, drafter::fresh, 18));
}

namespace {

/// Every stage whose law follows from the tokens before: penalties, DRY, XTC and scatter with their coins.
sluice::sampling_params full_chain() {
  sluice::sampling_params p;
  p.temperature = 0.9f;
  p.top_k = 5;
  p.min_p = 0.02f;
  p.repetition_penalty = 1.2f;
  p.frequency_penalty = 0.3f;
  p.dry_multiplier = 0.8f;
  p.dry_allowed_length = 1;
  p.xtc_probability = 0.4f;
  p.xtc_threshold = 0.15f;
  p.scatter_strength = 0.3f;
  p.scatter_collision = 0.5f;
  return p;
}

constexpr std::size_t tokens_counted = 3, full_vocab = 6;

/// Counts of the first three tokens; `round` is given the sequence and accepts into it.
template <class Round>
std::vector<std::size_t> counts_of_first(std::size_t generations, std::uint64_t seed, Round round) {
  std::vector<std::size_t> counts(full_vocab * full_vocab * full_vocab, 0);
  tests::generator g(seed);
  for (std::size_t n = 0; n < generations; ++n) {
    sluice::sequence q(g.next());
    q.accept_prompt(tokens{1, 2, 1});
    while (q.generated() < tokens_counted) round(q, g);
    const auto t = q.tokens().subspan(3);
    ++counts[std::size_t((t[0] * 6 + t[1]) * 6 + t[2])];
  }
  return counts;
}

/// Verified drafts of a crude drafter; `honest` hands over the law that they were drawn from.
std::vector<std::size_t> counts_verified(const sluice::sampling_params& params, verification how, bool honest,
                                         std::uint64_t seed) {
  const sluice::standard_chain chain(params);
  const std::vector<float> row{1.0f, 0.8f, 0.3f, 0.0f, -0.4f, -1.0f};
  const std::vector<double> q_law{0.1, 0.4, 0.1, 0.2, 0.1, 0.1}, other{0.3, 0.2, 0.2, 0.1, 0.1, 0.1};
  std::vector<sluice::candidate> named;
  for (int i = 5; i >= 0; --i)
    named.push_back({.id = i, .probability = float((honest ? q_law : other)[std::size_t(i)])});
  const std::vector<std::span<const sluice::candidate>> laws(2, named);
  const std::vector<sluice::logits_view> rows(3, row);
  return counts_of_first(tests::scaled(300'000), seed, [&](sluice::sequence& q, tests::generator& g) {
    const tokens drafts{inverse_cdf(q_law, g.uniform()), inverse_cdf(q_law, g.uniform())};
    std::array<token_id, 3> out{};
    REQUIRE(sluice::verify(chain, q, rows, {drafts, laws}, out, {}, how).status == sluice::sample_status::ok);
  });
}

std::vector<std::size_t> counts_plain(const sluice::sampling_params& params, std::uint64_t seed) {
  const sluice::standard_chain chain(params);
  const std::vector<float> row{1.0f, 0.8f, 0.3f, 0.0f, -0.4f, -1.0f};
  return counts_of_first(tests::scaled(300'000), seed, [&](sluice::sequence& q, tests::generator&) {
    q.accept(chain.sample(row, q).token);
  });
}

}  // namespace

TEST_CASE("drafts with laws: the full chain and the feedback samplers have the law of plain decoding") {
  sluice::sampling_params softmax = full_chain();
  softmax.draw = sluice::draw_method::softmax;
  const std::array<sluice::sampling_params, 4> settings{
      full_chain(),
      softmax,
      {.mirostat = 2, .mirostat_tau = 1.5f, .mirostat_eta = 0.5f},
      {.adaptive_target = 0.3f, .adaptive_decay = 0.5f}};
  std::uint64_t seed = 200;
  for (const sluice::sampling_params& params : settings) {
    const std::vector<std::size_t> expected = counts_plain(params, ++seed);
    for (const auto how : {verification::per_token, verification::block}) {
      CHECK(same_law(expected, counts_verified(params, how, true, ++seed)));
      CHECK_FALSE(same_law(expected, counts_verified(params, how, false, ++seed)));
    }
  }
}

namespace {

/// How often drafts of one position are accepted, by law and by count.
struct agreement {
  double distance = 0, largest = 0, of_best = 0;  // TV, max p, p of the drafter's best token
  double best = 0, shared = 0, ratio = 0;         // measured: argmax drafts, shared noise, ratio test
};

agreement measure(const std::vector<float>& target, const std::vector<float>& draft, std::size_t draws,
                  std::uint64_t seed) {
  const std::vector<double> p = law_of({target}), q = law_of({draft});
  const auto best = token_id(std::max_element(draft.begin(), draft.end()) - draft.begin());
  agreement a;
  for (std::size_t i = 0; i < p.size(); ++i) a.distance += std::max(p[i] - q[i], 0.0);
  a.largest = *std::max_element(p.begin(), p.end());
  a.of_best = p[std::size_t(best)];
  const sluice::standard_chain chain{sluice::sampling_params{}};
  std::vector<sluice::candidate> law;
  for (std::size_t i = 0; i < q.size(); ++i) law.push_back({.id = token_id(i), .probability = float(q[i])});
  const std::array<std::span<const sluice::candidate>, 1> laws{law};
  const std::vector<sluice::logits_view> rows(2, target);
  tests::generator g(seed);
  for (std::size_t n = 0; n < draws; ++n) {
    const auto accepted = [&](token_id token, std::span<const std::span<const sluice::candidate>> with) {
      sluice::sequence s(seed, n);
      std::array<token_id, 2> out{};
      return double(sluice::verify(chain, s, rows, {{&token, 1}, with}, out).accepted);
    };
    sluice::sequence s(seed, n);
    a.best += accepted(best, {});
    a.shared += accepted(chain.sample(draft, s).token, {});
    a.ratio += accepted(inverse_cdf(q, g.uniform()), laws);
  }
  for (double* const share : {&a.best, &a.shared, &a.ratio}) *share /= double(draws);
  return a;
}

}  // namespace

TEST_CASE("a drafter that shares the noise is accepted with probability at least (1 - TV) / (1 + TV)") {
  tests::generator g(301);
  const std::size_t draws = tests::scaled(20'000);
  const double error = 5 / (2 * std::sqrt(double(draws)));  // five standard deviations at most
  for (std::size_t i = 0; i < 40; ++i) {
    const std::size_t size = 2 + g.below(60);
    std::vector<float> target, draft;
    const double scale = g.uniform(0.2, 3), distance = g.uniform(0, 2);
    for (std::size_t k = 0; k < size; ++k) {
      target.push_back(static_cast<float>(scale * g.gaussian()));
      draft.push_back(target.back() + static_cast<float>(distance * g.gaussian()));
    }
    const agreement a = measure(target, draft, draws, g.next());
    CAPTURE(a.distance);
    CHECK(a.shared >= (1 - a.distance) / (1 + a.distance) - error);
    CHECK(a.shared <= 1 - a.distance + error);  // no coupling does better
    CHECK(std::fabs(a.best - a.of_best) <= error);
    CHECK(a.of_best <= a.largest);
    CHECK(std::fabs(a.ratio - (1 - a.distance)) <= error);
  }
}
