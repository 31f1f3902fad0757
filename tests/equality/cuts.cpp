// The cuts of rows that are long enough for brackets, against the plain sort: the same survivors and tokens.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <sluice/sluice.hpp>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "rows.hpp"
#include "support.hpp"

namespace {

using sluice::kernel::rank_key;
using tests::generator;

/// One filter, and what it was given.
struct filter {
  enum class kind { top_n_sigma, min_p, top_k, top_p, typical_p, nearest } what = kind::top_p;
  float value = 0;
  int min_keep = 0;
  double center = 0;  // of `nearest`

  void operator()(sluice::row& r) const noexcept {
    switch (what) {
      case kind::top_n_sigma:
        return sluice::top_n_sigma{.n = value}(r);
      case kind::min_p:
        return sluice::min_p{.p = value, .min_keep = min_keep}(r);
      case kind::top_k:
        return sluice::top_k{.k = static_cast<int>(value)}(r);
      case kind::top_p:
        return sluice::top_p{.p = value, .min_keep = min_keep}(r);
      case kind::typical_p:
        return sluice::typical_p{.p = value, .min_keep = min_keep}(r);
      case kind::nearest:
        return r.keep_nearest(center, value, min_keep);
    }
  }
};

std::string to_text(const std::vector<filter>& filters) {
  constexpr std::array names{"top_n_sigma", "min_p", "top_k", "top_p", "typical_p", "nearest"};
  std::ostringstream out;
  out.precision(17);
  for (const filter& f : filters) {
    out << names[static_cast<std::size_t>(f.what)] << ' ' << f.value;
    if (f.min_keep != 0) out << " min_keep " << f.min_keep;
    if (f.what == filter::kind::nearest) out << " center " << f.center;
    out << "; ";
  }
  return out.str();
}

/// Near 0, near 1, the usual, anything between.
float random_p(generator& g) {
  constexpr std::array picked{0.0f, 1e-45f, 1e-20f, 1e-6f,  1e-3f,   0.1f,      0.5f,
                              0.9f, 0.95f,  0.99f,  0.999f, 0.9999f, 0.999999f, 0x1.fffffep-1f};
  return g.chance(0.5) ? g.pick(picked) : static_cast<float>(g.uniform());
}

filter random_filter(generator& g, std::size_t size, filter::kind what) {
  filter f{.what = what};
  f.value = random_p(g);
  if (g.chance(0.15)) f.min_keep = g.chance(0.8) ? g.between(0, 40) : static_cast<int>(g.below(size + 5));
  if (what == filter::kind::top_n_sigma) f.value = static_cast<float>(g.uniform(0.1, 4));
  if (what == filter::kind::min_p) f.value = static_cast<float>(std::exp(g.uniform(-20, 0)));
  if (what == filter::kind::top_k) f.value = static_cast<float>(1 + g.below(size));
  return f;
}

/// One or two cuts by mass, and before each up to two filters that raise the floor or leave holes.
std::vector<filter> random_filters(generator& g, std::size_t size) {
  using enum filter::kind;
  std::vector<filter> filters;
  for (std::size_t cuts = 1 + g.below(2); cuts > 0; --cuts) {
    for (std::size_t before = g.below(3); before > 0; --before)
      filters.push_back(random_filter(g, size, g.pick(std::array{top_n_sigma, min_p, min_p, top_k})));
    filters.push_back(random_filter(g, size, g.pick(std::array{top_p, typical_p})));
  }
  return filters;
}

struct survivor {
  sluice::token_id id;
  std::uint32_t logit;
  bool operator==(const survivor&) const = default;
};

/// A row after its filters, on one engine.
class cut_row {
 public:
  cut_row(const std::vector<float>& logits, std::span<const std::uint32_t> mask,
          sluice::truncation_engine engine)
      : call_{.mask = mask}, row_(logits, call_, memory_, engine) {
    sluice::detail::row_internals::add_biases(row_, {});
  }

  sluice::row& row() { return row_; }
  std::vector<survivor> survivors() {
    std::vector<survivor> result;
    row_.each([&](sluice::token_id id, float l) { result.push_back({id, std::bit_cast<std::uint32_t>(l)}); });
    return result;
  }

 private:
  sluice::workspace memory_;
  sluice::call_options call_;
  sluice::row row_;
};

/// The first place where two lists of survivors differ.
std::string difference(const std::vector<survivor>& sort, const std::vector<survivor>& select) {
  if (sort == select) return {};
  std::size_t i = 0;
  while (i < sort.size() && i < select.size() && sort[i] == select[i]) ++i;
  std::ostringstream out;
  out.precision(9);
  out << "sort leaves " << sort.size() << ", select " << select.size() << "; the first to differ:";
  for (const auto* left : {&sort, &select})
    if (i < left->size()) out << ' ' << (*left)[i].id << " at " << std::bit_cast<float>((*left)[i].logit);
  return out.str();
}

void cuts_agree(generator& g, const std::vector<float>& logits, const std::vector<filter>& filters,
                std::span<const std::uint32_t> mask = {}) {
  cut_row sort(logits, mask, sluice::truncation_engine::sort);
  cut_row select(logits, mask, sluice::truncation_engine::select);
  const double temperature = g.uniform(0.2, 3);
  const sluice::random::source from{g.next(), g.next()};
  const std::uint64_t word = g.next();
  INFO(tests::to_text(logits) << " " << to_text(filters) << " T " << temperature);
  for (const filter& f : filters) {
    f(sort.row());
    f(select.row());
    REQUIRE(difference(sort.survivors(), select.survivors()) == "");
    REQUIRE(sort.row().size() == select.row().size());
    REQUIRE(sort.row().total_mass() == select.row().total_mass());
  }
  for (cut_row* r : {&sort, &select}) r->row().set_temperature(temperature);
  REQUIRE(sluice::draw::inverse_cdf(sort.row(), word) == sluice::draw::inverse_cdf(select.row(), word));
  const rank_key winner = sluice::draw::gumbel_max(sort.row(), from).full_winner();
  REQUIRE(winner != 0);
  REQUIRE(sluice::draw::gumbel_max(select.row(), from).winner() == winner);
}

std::size_t bracketed_size(generator& g) { return 16'384 + g.below(40'000 - 16'384 + 1); }

std::vector<std::uint32_t> random_mask(generator& g, std::size_t size) {
  std::vector<std::uint32_t> mask((size + 31) / 32);
  for (std::uint32_t& word : mask) word = g.chance(0.2) ? 0 : static_cast<std::uint32_t>(g.next() | g.next());
  return mask;
}

}  // namespace

TEST_CASE("top-p and typical-p by brackets leave what the sort leaves, after any filters") {
  generator g(71);
  for (std::size_t i = 0; i < tests::scaled(4'000); ++i) {
    const std::size_t size = bracketed_size(g);
    const std::vector<float> row = tests::make_row(g, g.pick(tests::every_shape), size);
    const auto mask = g.chance(0.15) ? random_mask(g, size) : std::vector<std::uint32_t>{};
    cuts_agree(g, row, random_filters(g, size), mask);
  }
}

TEST_CASE("the nucleus about any center is the sort's, also above the maximum and far below the row") {
  generator g(72);
  constexpr std::array away{0.0, 1e-9, 0.5, 5.0, 40.0, 62.0, 63.0, 100.0, 1e6, 1e30, 3e38};
  for (std::size_t i = 0; i < tests::scaled(1'000); ++i) {
    const std::size_t size = bracketed_size(g);
    const std::vector<float> row = tests::make_row(g, g.pick(tests::every_shape), size);
    const double max = double(*std::max_element(row.begin(), row.end()));
    filter f = random_filter(g, size, filter::kind::nearest);
    f.center = g.chance(0.3) ? double(row[g.below(size)]) : max + (g.chance(0.5) ? 1 : -1) * g.pick(away);
    if (!(f.center > -1e39)) f.center = max;
    cuts_agree(g, row, {f});
  }
}

TEST_CASE("an order of filters draws one token by every engine, and by a chain written by hand") {
  generator g(75);
  for (std::size_t i = 0; i < tests::scaled(600); ++i) {
    const std::vector<float> row = tests::make_row(g, g.pick(tests::every_shape), bracketed_size(g));
    sluice::sampling_params p;
    p.order = "min_p;top_n_sigma;typ_p;top_p;temperature";
    p.seed = g.next();
    p.min_p = static_cast<float>(std::exp(g.uniform(-20, -1)));
    p.top_n_sigma = static_cast<float>(g.uniform(1, 4));
    p.typical_p = std::max(random_p(g), 1e-20f);
    p.top_p = random_p(g);
    p.temperature = static_cast<float>(g.uniform(0.2, 3));
    const sluice::custom_chain by_hand{sluice::min_p{.p = p.min_p}, sluice::top_n_sigma{.n = p.top_n_sigma},
                                       sluice::typical_p{.p = p.typical_p}, sluice::top_p{.p = p.top_p},
                                       sluice::temperature{p.temperature}};
    sluice::sequence sequence(*p.seed);
    const sluice::token_id token = by_hand.sample(row, sequence).token;
    INFO(tests::to_text(row) << " min_p " << p.min_p << " top_n_sigma " << p.top_n_sigma << " typical_p "
                             << p.typical_p << " top_p " << p.top_p << " T " << p.temperature);
    for (const auto engine : {sluice::truncation_engine::sort, sluice::truncation_engine::select,
                              sluice::truncation_engine::rejection}) {
      p.engine = engine;
      REQUIRE(sluice::standard_chain(p).sample(row, sequence).token == token);
    }
  }
}

TEST_CASE("typical-p leaves what the sort leaves where neighbouring floats lie 1 apart") {
  generator g(73);
  for (const std::size_t zeros : {1u, 3u, 6u, 8u}) {
    std::vector<float> row(16'384);
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = 0x1p23f + static_cast<float>(i % 12 < zeros ? 0 : 1 + i % 3);
    for (const float p : {0.5f, 0.8f, 0.95f})
      cuts_agree(g, row, {{.what = filter::kind::typical_p, .value = p}});
  }
}

TEST_CASE("a nucleus of nearly all mass about a center far above the row reaches as deep as the sort's") {
  generator g(74);
  const std::vector<float> row = tests::make_row(g, tests::shape::grid, 30'000);
  for (const double above : {0.0, 30.0, 50.0, 62.0})
    for (const float p : {0.99999f, 0x1.fffffep-1f})
      cuts_agree(g, row, {{.what = filter::kind::nearest, .value = p, .center = 8 + above}});
}
