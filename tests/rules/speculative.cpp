#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <sluice/sluice.hpp>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"

// Verification: the stream is that of plain decoding, and what was rejected is nowhere.

namespace {

using tokens = std::vector<int>;

tokens tokens_of(const sluice::sequence& q) { return {q.tokens().begin(), q.tokens().end()}; }

/// What the model's row depends on.
tokens end_of(const sluice::sequence& q) {
  const auto all = q.tokens();
  const auto end = all.last(std::min<std::size_t>(all.size(), 2));
  return {end.begin(), end.end()};
}

/// A model whose row follows from the last two tokens, with a mask of its own for each row if it is a
/// grammar.
class model {
 public:
  model(std::uint64_t seed, std::size_t vocab, bool grammar = false) : vocab_(vocab), grammar_(grammar) {
    tests::generator g(seed);
    for (std::size_t i = 0; i < states; ++i) {
      std::vector<float> row(vocab);
      for (float& l : row) l = static_cast<float>(2.5 * g.gaussian());
      rows_.push_back(row);
      std::vector<std::uint32_t> mask((vocab + 31) / 32);
      for (std::uint32_t& word : mask) word = static_cast<std::uint32_t>(g.next() & g.next());
      mask[0] |= 1u << (i % 7);
      masks_.push_back(mask);
    }
  }

  std::size_t vocab() const { return vocab_; }
  sluice::logits_view row(const tokens& before) const { return rows_[state(before)]; }
  sluice::call_options options(const tokens& before) const {
    sluice::call_options call;
    if (grammar_) call.mask = sluice::token_mask(masks_[state(before)]);
    return call;
  }

 private:
  static constexpr std::size_t states = 61;
  static std::size_t state(const tokens& before) {
    const std::size_t n = before.size();
    return n < 2 ? n : std::size_t(before[n - 1] * 7 + before[n - 2] * 3) % states;
  }

  std::size_t vocab_;
  bool grammar_;
  std::vector<std::vector<float>> rows_;
  std::vector<std::vector<std::uint32_t>> masks_;
};

/// What the model gives for the drafts after the tokens so far.
struct step {
  step(const model& m, tokens before, std::span<const int> drafts) {
    for (std::size_t i = 0; i <= drafts.size(); ++i) {
      rows.push_back(m.row(before));
      options.push_back(m.options(before));
      if (i < drafts.size()) before.push_back(drafts[i]);
    }
  }
  std::vector<sluice::logits_view> rows;
  std::vector<sluice::call_options> options;
};

/// What may be asked of two sequences has one answer, also of what no token tells: the indexes and what draws
/// feed back.
bool same(sluice::sequence& a, sluice::sequence& b) {
  if (tokens_of(a) != tokens_of(b) || a.position() != b.position() || a.seed() != b.seed()) return false;
  if (a.uniform(3) != b.uniform(3) || a.generated() != b.generated()) return false;
  const auto counts = [](sluice::sequence& q, int last_n, sluice::counted which) {
    std::map<int, std::uint32_t> result;
    for (const auto& [token, count] : q.window(last_n, which)) result[token] = count;
    return result;
  };
  for (const int last_n : {-1, 7})
    for (const auto which : {sluice::counted::all, sluice::counted::generated})
      if (counts(a, last_n, which) != counts(b, last_n, which)) return false;
  const sluice::dry_rules rules = sluice::make_dry_rules(2, -1, {});
  sluice::workspace memory;
  const auto repeats = [&](sluice::sequence& q) {
    std::map<int, std::uint32_t> result;
    const auto found = q.repeats(rules, memory);
    for (const auto& [token, length] : *found) result[token] = length;
    return result;
  };
  if (repeats(a) != repeats(b)) return false;
  const auto value = [](sluice::sequence& q, sluice::detail::feedback_kind kind) {
    const auto now = sluice::detail::feedback_of(sluice::detail::sequence_access::of(q), kind, -1, -2);
    return std::array{now.value, now.weight};
  };
  using kind = sluice::detail::feedback_kind;
  return value(a, kind::mirostat) == value(b, kind::mirostat) &&
         value(a, kind::adaptive_p) == value(b, kind::adaptive_p);
}

/// Decodes `count` tokens one by one.
tokens plain(const sluice::standard_chain& chain, const model& m, sluice::sequence& q, std::size_t count) {
  tokens stream;
  while (stream.size() < count) {
    const auto drawn = chain.sample(m.row(end_of(q)), q, m.options(end_of(q)));
    REQUIRE(drawn);
    q.accept(drawn.token);
    stream.push_back(drawn.token);
  }
  return stream;
}

/// Drafts of all kinds: what plain decoding gives, with slips; what the history says; what a drafter with the
/// sequence's seed draws from a row a little off; anything.
tokens drafts_of_any_kind(tests::generator& g, const model& m, sluice::sequence& q, const tokens& truth,
                          const sluice::standard_chain& drafter) {
  tokens drafts(g.below(7));
  switch (g.below(4)) {
    case 0:
      for (std::size_t i = 0; i < drafts.size(); ++i)
        drafts[i] = i < truth.size() && !g.chance(0.2) ? truth[i] : int(g.below(m.vocab()));
      break;
    case 1:
      drafts.resize(sluice::draft_from_history(q, drafts, {.min_match = g.between(1, 3)}));
      break;
    case 2: {
      sluice::sequence other(q.seed(), q.position());
      tokens before = end_of(q);
      for (int& draft : drafts) {
        draft = drafter.sample(m.row(before), other).token;
        other.accept(draft);
        before.push_back(draft);
      }
      break;
    }
    default:
      for (int& draft : drafts) draft = g.between(-2, int(m.vocab()) + 1);
  }
  return drafts;
}

/// The stream of verified drafts beside plain decoding, `count` tokens after a prompt.
void compare_streams(const sluice::sampling_params& params, const model& m, std::size_t count,
                     std::uint64_t seed) {
  tests::generator g(seed);
  const sluice::standard_chain chain(params);
  const sluice::standard_chain drafter(sluice::sampling_params{.temperature = params.temperature});
  sluice::sequence one_by_one(seed, 5), q(seed, 5);
  const tokens prompt{1, 2, 3, 1, 2, 4, 1, 2};
  one_by_one.accept_prompt(prompt);
  q.accept_prompt(prompt);
  sluice::sequence beginning = q;
  const tokens stream = plain(chain, m, one_by_one, count);
  std::size_t done = 0, accepted = 0, rejected = 0;
  for (std::size_t round = 0; done + 10 < count; ++round) {
    const auto from = stream.begin() + std::ptrdiff_t(done);
    const tokens truth(from, from + 8);
    const tokens drafts = drafts_of_any_kind(g, m, q, truth, drafter);
    const step next(m, end_of(q), drafts);
    tokens out(8, -5);
    const sluice::verified v = sluice::verify(chain, q, next.rows, {drafts}, out, next.options);
    REQUIRE(v.status == sluice::sample_status::ok);
    REQUIRE(v.count == v.accepted + 1);
    REQUIRE(v.count <= drafts.size() + 1);
    for (std::size_t i = 0; i < v.count; ++i) REQUIRE(out[i] == truth[i]);
    for (std::size_t i = 0; i < v.accepted; ++i) REQUIRE(out[i] == drafts[i]);
    if (v.accepted < drafts.size()) REQUIRE(drafts[v.accepted] != out[v.accepted]);
    for (std::size_t i = v.count; i < out.size(); ++i) REQUIRE(out[i] == -5);
    done += v.count;
    accepted += v.accepted;
    rejected += drafts.size() - v.accepted;
    if (round % (tests::long_run() ? 500 : 100) == 0) {
      // Not only the tokens: what the sequence knows is what it knew there when it was decoded one by one.
      sluice::sequence again = one_by_one;
      again.rewind(count - done);
      REQUIRE(same(again, q));
    }
  }
  CHECK(accepted > count / 5);
  CHECK(rejected > count / 20);
}

sluice::sampling_params full_chain() {
  sluice::sampling_params p;
  p.temperature = 0.9f;
  p.top_k = 40;
  p.top_p = 0.95f;
  p.min_p = 0.02f;
  p.repetition_penalty = 1.1f;
  p.frequency_penalty = 0.1f;
  p.presence_penalty = 0.05f;
  p.penalty_last_n = 64;
  p.dry_multiplier = 0.8f;
  p.dry_penalty_last_n = 500;
  p.dry_sequence_breakers = {{5}, {6, 7}};
  p.xtc_probability = 0.3f;
  p.xtc_threshold = 0.15f;
  p.scatter_strength = 0.2f;
  p.scatter_absorption = 0.05f;
  p.logit_bias = {{3, 1.0f}, {9, -2.0f}};
  return p;
}

}  // namespace

TEST_CASE("drafts without probabilities: the stream is that of plain decoding, whatever drafts") {
  const std::size_t count = tests::scaled(100'000);
  const model free(1, 80), grammar(2, 80, true);
  SUBCASE("the full chain") { compare_streams(full_chain(), free, count, 11); }
  SUBCASE("the full chain, DRY with matches of one token") {
    sluice::sampling_params p = full_chain();
    p.dry_allowed_length = 1;
    compare_streams(p, free, count, 12);
  }
  SUBCASE("masks that follow the tokens") { compare_streams(full_chain(), grammar, count, 13); }
  SUBCASE("adaptive-p") { compare_streams({.min_p = 0.02f, .adaptive_target = 0.4f}, grammar, count, 14); }
  SUBCASE("mirostat v2") {
    compare_streams({.temperature = 1.1f, .mirostat = 2, .mirostat_tau = 3}, free, count, 15);
  }
  SUBCASE("mirostat v1") {
    compare_streams({.mirostat = 1, .mirostat_tau = 3, .mirostat_eta = 0.2f}, grammar, count / 4, 16);
  }
  SUBCASE("the softmax draw") {
    sluice::sampling_params p = full_chain();
    p.draw = sluice::draw_method::softmax;
    compare_streams(p, grammar, count / 4, 17);
  }
  SUBCASE("greedy") { compare_streams({.temperature = 0, .repetition_penalty = 1.3f}, free, count / 4, 18); }
}

namespace {

using law = std::vector<sluice::candidate>;

law law_of(std::initializer_list<std::pair<int, float>> entries) {
  law result;
  for (const auto& [id, p] : entries) result.push_back({.id = id, .probability = p});
  return result;
}

struct answer {
  tokens out;
  sluice::verified result;
};

answer verified_by(const sluice::standard_chain& chain, sluice::sequence& q,
                   std::span<const sluice::logits_view> rows, const sluice::draft& drafted, std::size_t room,
                   std::span<const sluice::call_options> options = {},
                   sluice::verification how = sluice::verification::per_token) {
  answer a;
  a.out.resize(room, -5);
  a.result = sluice::verify(chain, q, rows, drafted, a.out, options, how);
  a.out.resize(a.result.count);
  return a;
}

constexpr std::array both{sluice::verification::per_token, sluice::verification::block};

/// A law of a few random tokens, in any order, and one of them drawn.
std::pair<law, int> random_draft(tests::generator& g, std::size_t vocab) {
  law q;
  double sum = 0;
  std::vector<double> weights;
  for (std::size_t i = 1 + g.below(6); i > 0; --i) {
    q.push_back({.id = int(g.below(vocab))});
    weights.push_back(g.uniform());
    sum += weights.back();
  }
  double u = g.uniform() * sum;
  int token = q[0].id;
  for (std::size_t i = 0; i < q.size(); ++i) {
    q[i].probability = static_cast<float>(weights[i] / sum);
    if (u >= 0) token = q[i].id;
    u -= weights[i];
  }
  return {q, token};
}

}  // namespace

TEST_CASE("the shortest of rows, drafts, laws, room and options counts") {
  const model m(3, 40);
  const sluice::standard_chain chain(sluice::sampling_params{.temperature = 1});
  sluice::sequence begin(4);
  begin.accept_prompt(tokens{1, 2});
  sluice::sequence decoded = begin;
  const tokens truth = plain(chain, m, decoded, 6);
  const step next(m, end_of(begin), std::span(truth).first(5));
  const auto counts = [&](std::size_t rows, std::size_t drafts, std::size_t room, std::size_t options) {
    sluice::sequence q = begin;
    const answer a = verified_by(chain, q, std::span(next.rows).first(rows), {std::span(truth).first(drafts)},
                                 room, std::span(next.options).first(options));
    CHECK(a.result.status == sluice::sample_status::ok);
    CHECK(a.out == tokens(truth.begin(), truth.begin() + std::ptrdiff_t(a.out.size())));
    CHECK(a.result.accepted + 1 == std::max<std::size_t>(a.result.count, 1));
    CHECK(q.tokens().size() == 2 + a.out.size());
    return a.result.count;
  };
  CHECK(counts(6, 5, 6, 0) == 6);
  CHECK(counts(6, 5, 9, 1) == 6);
  CHECK(counts(6, 5, 9, 6) == 6);
  CHECK(counts(6, 5, 9, 3) == 3);
  CHECK(counts(6, 2, 9, 0) == 3);
  CHECK(counts(6, 0, 9, 0) == 1);
  CHECK(counts(4, 5, 9, 0) == 4);
  CHECK(counts(6, 5, 2, 0) == 2);
  CHECK(counts(6, 5, 1, 0) == 1);
  CHECK(counts(6, 5, 0, 0) == 0);
  CHECK(counts(0, 5, 6, 0) == 0);
  for (const auto how : both) {
    sluice::sequence q = begin;
    const law certain = law_of({{truth[0], 1e-9f}});
    const std::array<std::span<const sluice::candidate>, 1> laws{certain};
    CHECK(verified_by(chain, q, next.rows, {truth, laws}, 9, {}, how).result.count == 2);
  }
}

TEST_CASE("options: one for all rows, or one a row") {
  const std::vector<float> flat(40, 0.0f);
  const std::vector<sluice::logits_view> rows(4, flat);
  const sluice::standard_chain chain(sluice::sampling_params{});
  const auto masks = [] {
    std::vector<std::array<std::uint32_t, 2>> m;
    for (std::uint32_t i = 0; i < 4; ++i) m.push_back({1u << (7 * i + 3), 0});
    return m;
  }();
  std::vector<sluice::call_options> each;
  for (const auto& m : masks) each.push_back({.mask = sluice::token_mask(m)});
  sluice::sequence q(1);
  CHECK(verified_by(chain, q, rows, {tokens{3, 10, 17}}, 9, each).out == tokens{3, 10, 17, 24});
  CHECK(verified_by(chain, q, rows, {tokens{3, 3, 17}}, 9, std::span(each).first(1)).out == tokens{3, 3, 3});
}

TEST_CASE("a status ends the round, and what was accepted before it stays") {
  const std::vector<float> flat(40, 0.0f), none(40, -std::numeric_limits<float>::infinity());
  const sluice::standard_chain chain(sluice::sampling_params{});
  const std::array<std::uint32_t, 2> three{1u << 3, 0};
  const sluice::call_options call{.mask = sluice::token_mask(three)};
  const law certain = law_of({{3, 1}});
  const std::vector<std::span<const sluice::candidate>> laws(3, certain);
  const sluice::token_bias bad{.token = 1, .bias = std::numeric_limits<float>::quiet_NaN()};
  for (const bool with_laws : {false, true})
    for (const auto how : both)
      for (std::size_t fails = 0; fails < 4; ++fails) {
        std::vector<sluice::logits_view> rows(4, flat);
        rows[fails] = none;
        sluice::sequence q(1);
        const tokens drafts{3, 3, 3};
        const answer a =
            verified_by(chain, q, rows, {drafts, with_laws ? laws : decltype(laws){}}, 9, {&call, 1}, how);
        CHECK(a.result.status == sluice::sample_status::no_token_left);
        CHECK(a.result.accepted == fails);
        CHECK(a.out == tokens(fails, 3));
        CHECK(tokens_of(q) == a.out);
        std::vector<sluice::call_options> options(4, call);
        options[fails].bias = {&bad, 1};
        sluice::sequence other(1);
        const answer b = verified_by(chain, other, std::vector<sluice::logits_view>(4, flat),
                                     {drafts, with_laws ? laws : decltype(laws){}}, 9, options, how);
        CHECK(b.result.status == sluice::sample_status::invalid_bias);
        CHECK(tokens_of(other) == tokens(fails, 3));
      }
}

TEST_CASE("with laws: p = q = 0 is rejected, q = 0 is accepted where p is not, the rest is p's") {
  const std::vector<float> flat(40, 0.0f);
  const std::vector<sluice::logits_view> rows(2, flat);
  const sluice::standard_chain chain(sluice::sampling_params{});
  const std::array<std::uint32_t, 2> allowed{(1u << 3) | (1u << 5), 0};
  const sluice::call_options call{.mask = sluice::token_mask(allowed)};
  const auto verified = [&](const law& q, int token, std::uint64_t seed, sluice::verification how) {
    const std::array<std::span<const sluice::candidate>, 1> laws{q};
    sluice::sequence s(seed);
    return verified_by(chain, s, rows, {tokens{token}, laws}, 9, {&call, 1}, how);
  };
  for (const auto how : both)
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      for (const int token : {7, -1, 39, 40, 1'000'000, -2'000'000'000}) {
        const answer a = verified(law_of({{5, 1}}), token, seed, how);
        CHECK(a.result.accepted == 0);
        CHECK(a.out == tokens{3});  // p - q: all of p's mass that q has not
      }
      CHECK(verified(law_of({{5, 1}}), 3, seed, how).result.accepted == 1);
      CHECK(verified({}, 3, seed, how).result.accepted == 1);
      CHECK(verified(law_of({{3, 0.25f}}), 3, seed, how).result.accepted == 1);
      // Not a number, negative and repeated entries: none, none, the first.
      CHECK(verified(law_of({{3, std::numeric_limits<float>::quiet_NaN()}}), 3, seed, how).result.accepted ==
            1);
      CHECK(verified(law_of({{3, -1.0f}}), 3, seed, how).result.accepted == 1);
      CHECK(verified(law_of({{3, 0.5f}, {3, 1e30f}}), 3, seed, how).result.accepted == 1);
      CHECK(verified(law_of({{5, 1}, {5, 0}, {-4, 1}, {99, 1}}), 7, seed, how).out == tokens{3});
      // Nothing is left of p: it draws from p.
      const answer a = verified(law_of({{3, 1}, {5, 1}}), 7, seed, how);
      CHECK(a.result.accepted == 0);
      CHECK((a.out == tokens{3} || a.out == tokens{5}));
    }
}

TEST_CASE("with laws: rejected drafts leave no trace, and mu, S and W move by what was emitted") {
  tests::generator g(61);
  const model m(4, 60, true);
  std::array<sluice::sampling_params, 4> settings{full_chain(),
                                                  {.temperature = 1.2f, .mirostat = 2, .mirostat_tau = 3},
                                                  {.mirostat = 1, .mirostat_tau = 3},
                                                  {.min_p = 0.01f, .adaptive_target = 0.3f}};
  for (const sluice::sampling_params& params : settings)
    for (const auto how : both) {
      const sluice::standard_chain chain(params);
      sluice::sequence q(9, 3), record(9, 3);
      std::size_t accepted = 0, emitted = 0;
      for (std::size_t round = tests::scaled(3'000); round > 0; --round) {
        tokens drafts;
        std::vector<law> laws;
        for (std::size_t i = g.below(6); i > 0; --i) {
          auto [of, token] = random_draft(g, m.vocab());
          if (g.chance(0.7)) {
            // Near to what the target says, so that some stand.
            sluice::sequence other = record;
            for (const int d : drafts) other.accept(d);
            const tokens end = end_of(other);
            const auto target = chain.distribution(m.row(end), other, m.options(end));
            of.assign(target.begin(), target.end());
            token = of[g.below(std::min<std::size_t>(of.size(), 3))].id;
          }
          drafts.push_back(token);
          laws.push_back(of);
        }
        const std::vector<std::span<const sluice::candidate>> views(laws.begin(), laws.end());
        const step next(m, end_of(q), drafts);
        const answer a = verified_by(chain, q, next.rows, {drafts, views}, 8, next.options, how);
        REQUIRE(a.result.status == sluice::sample_status::ok);
        REQUIRE(a.result.count == a.result.accepted + 1);
        for (std::size_t i = 0; i < a.out.size(); ++i) {
          // By hand: the row as far as the draw, then this token in place of the one that is drawn.
          const auto& plan = sluice::detail::chain_access::plan_of(chain);
          const sluice::detail::planned planned(plan.plan, plan.stages);
          sluice::workspace memory;
          sluice::call_options call = next.options[i];
          sluice::detail::target_row row(planned, next.rows[i], record, call);
          REQUIRE(row.count_as_drawn(a.out[i]));
          const auto law = row.law();
          REQUIRE(law.of(a.out[i]) > 0);
          record.accept(a.out[i]);
        }
        if (round % 10 == 0) REQUIRE(same(record, q));
        accepted += a.result.accepted;
        emitted += a.out.size();
      }
      CHECK(same(record, q));
      CHECK(accepted > emitted / 10);
    }
}

TEST_CASE("with laws: a record tells what was kept and how probable the token was that took its row") {
  tests::generator g(63);
  const model m(6, 60, true);
  const sluice::standard_chain chain(full_chain());
  std::size_t replaced = 0;
  for (const auto how : both)
    for (std::size_t round = tests::scaled(2'000); round > 0; --round) {
      sluice::sequence q(g.next());
      q.accept_prompt(tokens{1, 2});
      tokens drafts;
      std::vector<law> laws;
      for (std::size_t i = 1 + g.below(4); i > 0; --i) {
        auto [of, token] = random_draft(g, m.vocab());
        for (sluice::candidate& c : of) c.probability *= g.chance(0.5) ? 0.02f : 1.0f;
        drafts.push_back(token);
        laws.push_back(of);
      }
      const std::vector<std::span<const sluice::candidate>> views(laws.begin(), laws.end());
      step next(m, end_of(q), drafts);
      std::vector<sluice::sample_record> records(next.rows.size());
      std::vector<std::array<int, 60>> kept(next.rows.size());
      for (std::size_t i = 0; i < records.size(); ++i) {
        records[i] = {.kept = kept[i], .kept_count = 9, .logprob = -7};  // of an earlier round
        next.options[i].record = &records[i];
      }
      sluice::sequence again = q;
      const answer a = verified_by(chain, q, next.rows, {drafts, views}, 8, next.options, how);
      REQUIRE(a.result.status == sluice::sample_status::ok);
      replaced += a.result.accepted < drafts.size();
      for (std::size_t i = 0; i < records.size(); ++i) {
        if (i >= a.out.size()) {
          CHECK(records[i].kept_count == 0);
          CHECK(records[i].logprob == 0);
        }
        if (i >= drafts.size() || i >= a.out.size()) continue;  // the last row is drawn as `sample` draws it
        sluice::call_options call = next.options[i];
        call.record = nullptr;
        const auto survivors = chain.distribution(next.rows[i], again, call);
        tokens ids;
        double p = 0;
        for (const sluice::candidate& c : survivors) {
          ids.push_back(c.id);
          if (c.id == a.out[i]) p = double(c.probability);
        }
        std::sort(ids.begin(), ids.end());
        REQUIRE(records[i].kept_count == ids.size());
        CHECK(tokens(kept[i].begin(), kept[i].begin() + std::ptrdiff_t(ids.size())) == ids);
        CHECK(std::fabs(double(records[i].logprob) - std::log(p)) < 1e-6 * (1 - std::log(p)));
        again.accept(a.out[i]);
      }
    }
  CHECK(replaced > 0);
}

TEST_CASE("a batch of drafts gives each item what it gets alone, in any order and on threads") {
  const model m(5, 60, true);
  const sluice::standard_chain chain(full_chain()), other({.adaptive_target = 0.5f});
  struct request {
    sluice::sequence sequence;
    tokens drafts, out = tokens(8, -5);
    std::vector<law> laws = {};
    std::vector<std::span<const sluice::candidate>> views = {};
    step next;
  };
  const auto requests = [&] {
    tests::generator g(62);
    std::vector<request> all;
    for (std::uint64_t i = 0; i < 40; ++i) {
      sluice::sequence q(i, i);
      q.accept_prompt(tokens{1, int(i)});
      tokens drafts(g.below(6));
      std::vector<law> laws;
      for (int& d : drafts) {
        auto [of, token] = random_draft(g, m.vocab());
        d = token;
        if (i % 2 == 0) laws.push_back(of);
      }
      const tokens end = end_of(q);
      all.push_back({.sequence = q, .drafts = drafts, .laws = laws, .next = step(m, end, drafts)});
    }
    for (request& r : all) r.views.assign(r.laws.begin(), r.laws.end());
    return all;
  };
  for (const auto how : both) {
    std::vector<request> alone = requests();
    std::vector<sluice::verified> expected;
    for (std::size_t i = 0; i < alone.size(); ++i) {
      request& r = alone[i];
      expected.push_back(sluice::verify(i % 3 == 0 ? other : chain, r.sequence, r.next.rows,
                                        {r.drafts, r.views}, r.out, r.next.options, how));
    }
    const auto backwards = [](std::size_t n, auto&& f) {
      while (n-- > 0) f(n);
    };
    const auto on_threads = [](std::size_t n, auto&& f) {
      std::vector<std::thread> threads;
      for (std::size_t t = 0; t < 3; ++t)
        threads.emplace_back([n, t, &f] {
          for (std::size_t i = t; i < n; i += 3) f(i);
        });
      for (std::thread& t : threads) t.join();
    };
    const auto check = [&](auto run) {
      std::vector<request> batch = requests();
      std::vector<sluice::verify_item> items;
      for (std::size_t i = 0; i < batch.size(); ++i) {
        request& r = batch[i];
        items.push_back({.chain = i % 3 == 0 ? &other : &chain,
                         .sequence = &r.sequence,
                         .rows = r.next.rows,
                         .drafted = {r.drafts, r.views},
                         .out = r.out,
                         .options = r.next.options});
      }
      run(std::span(items));
      for (std::size_t i = 0; i < batch.size(); ++i) {
        CHECK(items[i].result.status == expected[i].status);
        CHECK(items[i].result.accepted == expected[i].accepted);
        CHECK(items[i].result.count == expected[i].count);
        CHECK(batch[i].out == alone[i].out);
        CHECK(same(batch[i].sequence, alone[i].sequence));
      }
    };
    check([&](auto items) { sluice::verify_batch(items, sluice::serial{}, how); });
    check([&](auto items) { sluice::verify_batch(items, backwards, how); });
    check([&](auto items) { sluice::verify_batch(items, on_threads, how); });
  }
}
