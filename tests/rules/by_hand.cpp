// A chain by hand runs the same plan as that of the same parameters: the same token, the same law.

#include <doctest/doctest.h>

#include <sluice/sluice.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "by_hand.hpp"
#include "random_params.hpp"

namespace {

using tests::generator;

void same(const tests::taken& a, const tests::taken& b, const tests::trial& t) {
  INFO(to_text(t));
  REQUIRE(a.drawn.token == b.drawn.token);
  REQUIRE(a.drawn.status == b.drawn.status);
  REQUIRE(a.drawn.saw_nan == b.drawn.saw_nan);
  REQUIRE(tests::detail::same_bits(a.left, b.left));
}

/// Keeps the tokens that rank before the k-th, and counts how often it is asked.
struct counting_stage {
  static constexpr auto where = sluice::place{950};
  int k = 3;
  int* runs = nullptr;
  bool active() const noexcept { return true; }
  void operator()(sluice::row& r) const noexcept {
    ++*runs;
    r.keep_top(k);
  }
};

/// The plan of some stages under a rule that chains by hand do not offer.
template <class... Stages>
class planned_by_hand {
 public:
  planned_by_hand(const sluice::detail::plan_settings& settings, Stages... stages)
      : stages_(std::move(stages)...) {
    sluice::detail::plan_builder builder(settings);
    [&]<std::size_t... I>(std::index_sequence<I...>) { (builder.add(std::get<I>(stages_), I), ...); }
    (std::index_sequence_for<Stages...>{});
    plan_ = builder.finish();
  }
  const sluice::detail::plan& plan() const { return plan_; }
  std::vector<int> kept(const std::vector<float>& row) const {
    sluice::sequence sequence(1);
    std::vector<int> ids;
    for (const auto& c :
         sluice::detail::distribution(sluice::detail::planned(plan_, stages_), row, sequence, {}))
      ids.push_back(c.id);
    return ids;
  }
  sluice::token_id token(const std::vector<float>& row, std::uint64_t seed) const {
    sluice::sequence sequence(seed);
    return sluice::detail::sample(sluice::detail::planned(plan_, stages_), row, sequence, {}).token;
  }

 private:
  std::tuple<Stages...> stages_;
  sluice::detail::plan plan_;
};

}  // namespace

TEST_CASE("a chain by hand gives the token and the law of the standard chain of its parameters") {
  generator g(60);
  std::size_t rejecting = 0;
  for (std::size_t i = tests::scaled(10'000); i > 0; --i) {
    tests::trial t = tests::random_trial(g);
    t.params.truncation = sluice::truncation_rule::sequential;
    t.params.draw = sluice::draw_method::gumbel;
    t.params.engine = sluice::truncation_engine::automatic;
    t.by = tests::door::dense;
    same(take_by(tests::chain_by_hand(t.params), t.logits, t), take(t), t);
    rejecting += t.params.top_p < 1 && t.params.xtc_probability == 0 && t.params.scatter_strength == 0;
  }
  CHECK(rejecting > tests::scaled(10'000) / 50);
}

TEST_CASE("a chain by hand that rejects draws what the sort draws") {
  generator g(61);
  for (std::size_t i = tests::scaled(4'000); i > 0; --i) {
    tests::trial t;
    t.logits = tests::make_row(g, g.pick(tests::every_shape), 1 + g.below(i % 8 == 0 ? 20'000 : 600));
    t.seed = g.next();
    t.params.top_p = g.chance(0.8) ? static_cast<float>(g.uniform()) : 0.95f;
    t.params.min_p = g.chance(0.3) ? static_cast<float>(g.uniform(0, 0.2)) : 0;
    t.params.temperature = static_cast<float>(g.uniform(0.3, 3));
    t.params.min_keep = g.between(0, 3);
    const sluice::top_p top_p{.p = t.params.top_p, .min_keep = t.params.min_keep};
    const sluice::min_p min_p{.p = t.params.min_p, .min_keep = t.params.min_keep};
    const sluice::temperature temperature{.t = t.params.temperature};
    t.params.engine = sluice::truncation_engine::sort;
    const tests::taken sorted = take(t);
    same(take_by(sluice::chain{top_p, min_p, temperature}, t.logits, t), sorted, t);
    same(take_by(sluice::custom_chain{top_p, min_p, temperature}, t.logits, t), sorted, t);
    t.params.draw = sluice::draw_method::softmax;
    same(take_by(sluice::chain{top_p, min_p, temperature, sluice::softmax{}}, t.logits, t), take(t), t);
  }
}

TEST_CASE("a plan rejects from top-p on where only min-p, a fixed temperature and the draw follow") {
  using sluice::detail::plan;
  const sluice::top_k top_k{.k = 40};
  const sluice::top_p top_p{.p = 0.9f};
  const sluice::min_p min_p{.p = 0.1f};
  const sluice::temperature half{.t = 0.5f}, dynamic{.t = 0.5f, .range = 0.1f};
  const auto from = [](auto... stages) { return planned_by_hand({}, stages...).plan().rejects_from; };
  CHECK(from(top_p) == 0);
  CHECK(from(top_p, half) == 0);
  CHECK(from(top_k, top_p, min_p, half) == 1);
  CHECK(from(top_k, half) == plan::never);
  CHECK(from(top_p, top_k) == plan::never);
  CHECK(from(top_p, dynamic) == plan::never);
  CHECK(from(top_p, half, min_p) == plan::never);
  CHECK(from(half, top_p, min_p) == 1);
  CHECK(from(top_p, sluice::xtc{.probability = 0.5f}) == plan::never);
  const auto by = [&](sluice::truncation_engine engine) {
    return planned_by_hand({.engine = engine}, top_p, half).plan().rejects_from;
  };
  CHECK(by(sluice::truncation_engine::sort) == plan::never);
  CHECK(by(sluice::truncation_engine::select) == plan::never);
  CHECK(by(sluice::truncation_engine::rejection) == 0);
}

// .4 .3 .2 .1: joint, top-k 3 and min-p .45 judge the whole row, so that three stay; the stage at 950 leaves
// two of them. Were min-p to run in its stead, or once more, the counts would tell.
TEST_CASE("a stage at place 950 runs once, as itself, under joint truncation") {
  std::vector<float> row;
  for (const double p : {0.4, 0.3, 0.2, 0.1}) row.push_back(static_cast<float>(std::log(p)));
  int runs = 0;
  const sluice::top_k top_k{.k = 3};
  const sluice::top_p top_p{.p = 0.95f};
  const sluice::min_p min_p{.p = 0.45f};
  const sluice::detail::plan_settings joint{.truncation = sluice::truncation_rule::joint};
  const planned_by_hand all(joint, top_k, top_p, counting_stage{.k = 2, .runs = &runs}, min_p);
  CHECK(all.plan().steps.size() == 2);
  CHECK(all.plan().rejects_from == sluice::detail::plan::never);
  CHECK(all.kept(row) == std::vector<int>{0, 1});
  CHECK(runs == 1);
  const planned_by_hand loose(joint, top_k, top_p, counting_stage{.k = 4, .runs = &runs}, min_p);
  CHECK(loose.kept(row) == std::vector<int>{0, 1, 2});
  CHECK(runs == 2);
  CHECK(all.token(row, 7) >= 0);
  CHECK(runs == 3);
}
