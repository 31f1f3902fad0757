// How often a draft is accepted, by how it is drawn, over the distance of the two models: a table in a few
// seconds. Rows are a model's, roughly: normal logits of deviation 2.5, one token in fifty 4 to 7 higher; the
// drafter sees the target's logits with normal noise on them. Both sample at temperature 1 from the best 40
// tokens.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <sluice/sluice.hpp>
#include <span>
#include <vector>

#include "../tests/support.hpp"

namespace {

using laws = std::span<const std::span<const sluice::candidate>>;

constexpr std::size_t vocab = 2'000, rows = 200, draws = 50, block_length = 4;

struct table_line {
  double distance = 0, bound = 0, best = 0, shared = 0, ratio = 0, per_token = 0, block = 0;
};

std::vector<float> target_row(tests::generator& g) {
  std::vector<float> row(vocab);
  for (std::size_t i = 0; i < vocab; ++i)
    row[i] = static_cast<float>(2.5 * g.gaussian() + (i % 50 == 1 ? g.uniform(4, 7) : 0));
  return row;
}

std::vector<float> noisy(const std::vector<float>& row, double noise, tests::generator& g) {
  std::vector<float> result = row;
  for (float& l : result) l += static_cast<float>(noise * g.gaussian());
  return result;
}

double distance_of(std::span<const sluice::candidate> p, std::span<const sluice::candidate> q) {
  std::vector<double> difference(vocab, 0);
  for (const auto& c : p) difference[std::size_t(c.id)] += double(c.probability);
  for (const auto& c : q) difference[std::size_t(c.id)] -= double(c.probability);
  double sum = 0;
  for (const double d : difference) sum += d > 0 ? d : 0;
  return sum;
}

sluice::token_id drawn(std::span<const sluice::candidate> law, double u) {
  for (const auto& c : law)
    if ((u -= double(c.probability)) < 0) return c.id;
  return law.back().id;
}

table_line measure(double noise) {
  const sluice::standard_chain chain(sluice::sampling_params{.top_k = 40});
  tests::generator g(1);
  table_line line;
  std::array<sluice::token_id, block_length + 1> out{};
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::vector<float>> target(block_length + 1), draft(block_length);
    for (auto& row : target) row = target_row(g);
    for (std::size_t i = 0; i < block_length; ++i) draft[i] = noisy(target[i], noise, g);
    const std::vector<sluice::logits_view> views(target.begin(), target.end());
    std::vector<std::vector<sluice::candidate>> q;
    sluice::sequence any(r);
    for (const auto& row : draft) {
      const auto law = chain.distribution(row, any);
      q.emplace_back(law.begin(), law.end());
    }
    const std::vector<std::span<const sluice::candidate>> given(q.begin(), q.end());
    const double distance = distance_of(chain.distribution(target[0], any), q[0]);
    line.distance += distance;
    line.bound += (1 - distance) / (1 + distance);
    for (std::size_t n = 0; n < draws; ++n) {
      const auto accepted = [&](std::span<const sluice::token_id> tokens, laws with,
                                sluice::verification how = sluice::verification::per_token) {
        sluice::sequence s(r, n * 16);
        return double(
            sluice::verify(chain, s, std::span(views).first(tokens.size() + 1), {tokens, with}, out, {}, how)
                .accepted);
      };
      sluice::sequence s(r, n * 16);
      const std::array best{q[0][0].id}, shared{chain.sample(draft[0], s).token};
      std::array<sluice::token_id, block_length> fresh{};
      for (std::size_t i = 0; i < block_length; ++i) fresh[i] = drawn(q[i], g.uniform());
      line.best += accepted(best, {}) / draws;
      line.shared += accepted(shared, {}) / draws;
      line.ratio += accepted(std::span(fresh).first(1), std::span(given).first(1)) / draws;
      line.per_token += accepted(fresh, given) / draws;
      line.block += accepted(fresh, given, sluice::verification::block) / draws;
    }
  }
  for (double* const value :
       {&line.distance, &line.bound, &line.best, &line.shared, &line.ratio, &line.per_token, &line.block})
    *value /= rows;
  return line;
}

}  // namespace

int main() {
  std::puts(
      "TV of the laws   (1-TV)/(1+TV) | accepted: argmax   shared noise   ratio test | of 4 drafts: by token "
      "  as a block");
  for (const double noise : {0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.0}) {
    const table_line l = measure(noise);
    std::printf("%14.3f   %13.3f | %16.3f   %12.3f   %10.3f | %21.3f   %10.3f\n", l.distance, l.bound, l.best,
                l.shared, l.ratio, l.per_token, l.block);
  }
}
