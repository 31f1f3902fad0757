#include "laws.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sluice/sluice.hpp>
#include <sstream>

#include "../rows.hpp"

namespace tests {

namespace {

void sort_by_id(law& l) {
  std::sort(l.begin(), l.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
}

/// Every cut a little looser (`by` > 0) or tighter.
sluice::sampling_params moved(sluice::sampling_params p, double by) {
  const auto within = [](double value, double low, double high) {
    return float(std::clamp(value, low, high));
  };
  if (p.top_p < 1) p.top_p = within(double(p.top_p) + by, 0, 1);
  if (p.min_p > 0) p.min_p = within(double(p.min_p) * (1 - by), 1e-30, 1);
  if (p.typical_p < 1) p.typical_p = within(double(p.typical_p) + by, 1e-30, 1);
  if (p.top_n_sigma > 0) p.top_n_sigma = float(double(p.top_n_sigma) + by);
  if (p.xtc_probability > 0) p.xtc_threshold = within(double(p.xtc_threshold) + by, 0, 0.5);
  return p;
}

/// Whether the survivors change with changes below 1e-4.
bool near_a_boundary(std::span<const float> row, const sluice::sampling_params& params,
                     std::span<const int> history, const token_ids& here, const token_ids& there) {
  const auto decides = [&](const token_ids& other) { return other != here || other == there; };
  for (const double by : {1e-4, -1e-4})
    if (decides(ids(ours(row, moved(params, by), history)))) return true;
  generator g(row.size());
  for (int i = 0; i < 4; ++i) {
    std::vector<float> other(row.begin(), row.end());
    for (float& l : other) l = float(double(l) + g.uniform(-1e-4, 1e-4));
    if (decides(ids(ours(other, params, history)))) return true;
  }
  return false;
}

}  // namespace

law ours(std::span<const float> row, const sluice::sampling_params& params, std::span<const int> history) {
  const sluice::standard_chain chain(params);
  sluice::sequence sequence(1);
  sequence.accept(history);
  const auto found = chain.distribution(row, sequence);
  law l(found.begin(), found.end());
  sort_by_id(l);
  return l;
}

std::vector<llama_token_data> candidates(std::span<const float> row) {
  std::vector<llama_token_data> data;
  data.reserve(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) data.push_back({llama_token(i), row[i], 0});
  return data;
}

llama_token_data_array array_of(std::vector<llama_token_data>& data) {
  return {.data = data.data(), .size = data.size(), .selected = -1, .sorted = false};
}

law theirs(std::span<const float> row, const sluice::sampling_params& params, std::span<const int> history) {
  llama_sampler* const chain = chain_of(params, row.size());
  llama_sampler_chain_add(chain, llama_sampler_init_dist(1));
  for (const int token : history) llama_sampler_accept(chain, token);
  std::vector<llama_token_data> data = candidates(row);
  llama_token_data_array array = array_of(data);
  llama_sampler_apply(chain, &array);
  law l;
  for (std::size_t i = 0; i < array.size; ++i)
    if (array.data[i].logit != minus_infinity) l.push_back({array.data[i].id, 0, array.data[i].p});
  llama_sampler_free(chain);
  sort_by_id(l);
  return l;
}

token_ids ids(const law& l) {
  token_ids out;
  for (const auto& token : l) out.push_back(token.id);
  return out;
}

std::string to_text(const sluice::sampling_params& p) {
  std::ostringstream out;
  out.precision(9);
  out << p.order << ": t " << p.temperature << " +- " << p.dynatemp_range << " ^ " << p.dynatemp_exponent
      << ", top_k " << p.top_k << ", top_p " << p.top_p << ", min_p " << p.min_p << ", typical_p "
      << p.typical_p << ", top_n_sigma " << p.top_n_sigma << ", min_keep " << p.min_keep << ", xtc "
      << p.xtc_probability << " " << p.xtc_threshold << ", penalties " << p.repetition_penalty << " "
      << p.frequency_penalty << " " << p.presence_penalty << " over " << p.penalty_last_n << ", dry "
      << p.dry_multiplier << " " << p.dry_base << " " << p.dry_allowed_length << " over "
      << p.dry_penalty_last_n << ", " << p.dry_sequence_breakers.size() << " breakers, "
      << p.logit_bias.size() << " biases";
  return out.str();
}

verdict judge(std::span<const float> row, const sluice::sampling_params& here,
              const sluice::sampling_params& there, std::span<const int> history) {
  const law our = ours(row, here, history);
  const law their = theirs(row, there, history);
  verdict v{.survivors_here = our.size(), .survivors_there = their.size()};
  if (ids(our) != ids(their)) {
    v.of = near_a_boundary(row, here, history, ids(our), ids(their)) ? verdict::left_out : verdict::different;
    return v;
  }
  for (std::size_t i = 0; i < our.size(); ++i)
    v.difference =
        std::max(v.difference, std::abs(double(our[i].probability) - double(their[i].probability)));
  v.of = v.difference <= 1e-5 ? verdict::same : verdict::different;
  return v;
}

void compare(tally& t, std::span<const float> row, const sluice::sampling_params& params,
             std::span<const int> history) {
  const verdict v = judge(row, params, params, history);
  ++t.rows;
  t.left_out += v.of == verdict::left_out;
  t.largest = std::max(t.largest, v.difference);
  if (v.of == verdict::different)
    FAIL_CHECK(to_text(params), "; ", to_text(row), "; ", v.survivors_here, " survivors here, ",
               v.survivors_there, " there, probabilities differ by ", v.difference);
}

void check_tally(const tally& t) { CHECK(t.left_out <= std::max<std::size_t>(1, t.rows / 50)); }

void report(const std::string& name, const tally& t) {
  std::printf("%-36s %6zu rows, %3zu left out, probabilities within %.1e\n", name.c_str(), t.rows, t.left_out,
              t.largest);
}

}  // namespace tests
