// The one place where the rules compile the standard chain: it costs more than all of them together.

#include "compare.hpp"

namespace tests {
namespace {

std::string to_text(std::span<const int> tokens) {
  std::string text = "{";
  for (const int token : tokens) text += std::to_string(token) + " ";
  return text + "}";
}

/// The fields that are not neutral.
std::string to_text(const sluice::sampling_params& p) {
  const sluice::sampling_params off;
  std::string text;
  const auto field = [&](const char* name, auto value, auto neutral) {
    if (value != neutral) text += std::string(name) + "=" + std::to_string(value) + " ";
  };
  if (!p.order.empty()) text += "order=" + p.order + " ";
  field("temperature", p.temperature, off.temperature);
  field("dynatemp_range", p.dynatemp_range, off.dynatemp_range);
  field("dynatemp_exponent", p.dynatemp_exponent, off.dynatemp_exponent);
  field("top_k", p.top_k, off.top_k);
  field("min_keep", p.min_keep, off.min_keep);
  field("top_p", p.top_p, off.top_p);
  field("min_p", p.min_p, off.min_p);
  field("typical_p", p.typical_p, off.typical_p);
  field("top_n_sigma", p.top_n_sigma, off.top_n_sigma);
  field("p_less", int(p.p_less), 0);
  field("xtc_probability", p.xtc_probability, off.xtc_probability);
  field("xtc_threshold", p.xtc_threshold, off.xtc_threshold);
  field("xtc_marginal", int(p.xtc_marginal), 0);
  if (!p.xtc_protected.empty()) text += "xtc_protected=" + to_text(p.xtc_protected) + " ";
  field("repetition_penalty", p.repetition_penalty, off.repetition_penalty);
  field("frequency_penalty", p.frequency_penalty, off.frequency_penalty);
  field("presence_penalty", p.presence_penalty, off.presence_penalty);
  field("penalty_last_n", p.penalty_last_n, off.penalty_last_n);
  field("repetition_normalized", int(p.repetition_normalized), 0);
  field("occurrence_counts_prompt", int(p.occurrence_counts_prompt), 1);
  field("dry_multiplier", p.dry_multiplier, off.dry_multiplier);
  field("dry_base", p.dry_base, off.dry_base);
  field("dry_allowed_length", p.dry_allowed_length, off.dry_allowed_length);
  field("dry_penalty_last_n", p.dry_penalty_last_n, off.dry_penalty_last_n);
  for (const std::vector<int>& breaker : p.dry_sequence_breakers) text += "breaker=" + to_text(breaker) + " ";
  field("scatter_strength", p.scatter_strength, off.scatter_strength);
  field("scatter_radius", p.scatter_radius, off.scatter_radius);
  field("scatter_k", p.scatter_k, off.scatter_k);
  field("scatter_steps", p.scatter_steps, off.scatter_steps);
  field("scatter_adaptive", int(p.scatter_adaptive), 0);
  field("scatter_strength_min", p.scatter_strength_min, off.scatter_strength_min);
  field("scatter_strength_max", p.scatter_strength_max, off.scatter_strength_max);
  field("scatter_entropy_target", p.scatter_entropy_target, off.scatter_entropy_target);
  field("scatter_absorption", p.scatter_absorption, off.scatter_absorption);
  field("scatter_collision", p.scatter_collision, off.scatter_collision);
  field("scatter_absorption_last_n", p.scatter_absorption_last_n, off.scatter_absorption_last_n);
  for (const auto& b : p.logit_bias)
    text += "bias=" + std::to_string(b.token) + ":" + std::to_string(b.bias) + " ";
  for (const auto& b : p.language_bias)
    text += "language=" + std::to_string(b.token) + ":" + std::to_string(b.bias) + " ";
  if (!p.suppressed_tokens.empty()) text += "suppressed=" + to_text(p.suppressed_tokens) + " ";
  field("truncation", int(p.truncation), 0);
  field("engine", int(p.engine), 0);
  field("draw", int(p.draw), 0);
  return text;
}

std::string difference(const oracle::outcome& expected, const std::vector<sluice::candidate>& found) {
  if (found.size() != expected.law.size())
    return std::to_string(found.size()) + " tokens are left, the oracle leaves " +
           std::to_string(expected.law.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const sluice::candidate& a = found[i];
    const oracle::chance& b = expected.law[i];
    const std::string name = "token " + std::to_string(a.id) + " at rank " + std::to_string(i);
    if (a.id != b.of.id) return name + ", by the oracle token " + std::to_string(b.of.id);
    if (!detail::close(double(a.logit), double(b.of.logit), 1e-5, 1))
      return name + " has logit " + std::to_string(a.logit) + ", by the oracle " + std::to_string(b.of.logit);
    if (!oracle::is_probability(b, a.probability))
      return name + " has probability " + std::to_string(a.probability) + ", by the oracle " +
             std::to_string(static_cast<double>(b.probability));
  }
  return {};
}

}  // namespace

std::string to_text(const trial& t) {
  std::string text = to_text(std::span<const float>(t.logits)) + "; " + to_text(t.params) + "; prompt " +
                     to_text(t.prompt) + " generated " + to_text(t.generated) + " seed " +
                     std::to_string(t.seed) + " start " + std::to_string(t.start) +
                     (t.by == door::sparse ? " sparse" : "");
  for (const auto& b : t.call_bias) {
    text += " call ";
    text += std::to_string(b.token) + ':' + std::to_string(b.bias);
  }
  if (!t.mask.empty()) text += " mask of " + std::to_string(t.mask.size()) + " words";
  for (std::size_t i = 0; i < t.mask.size() && i < 4; ++i) {
    text += ' ';
    text += std::to_string(t.mask[i]);
  }
  return text;
}

namespace {

struct pairs {
  std::vector<sluice::token_id> ids = {};
  std::vector<float> logits = {};
};

/// The tokens of the row that are not -inf, shuffled; here and there one more time, which must not count.
pairs to_pairs(const trial& t) {
  generator g(t.seed);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < t.logits.size(); ++i)
    if (t.logits[i] != minus_infinity) order.push_back(i);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[g.below(i)]);
  pairs result;
  for (const std::size_t id : order) {
    result.ids.push_back(static_cast<sluice::token_id>(id));
    result.logits.push_back(t.logits[id]);
  }
  for (std::size_t i = 0; i < order.size(); i += 50) {
    result.ids.push_back(static_cast<sluice::token_id>(order[i]));
    result.logits.push_back(1000);
  }
  return result;
}

}  // namespace

taken take(const trial& t) {
  const sluice::standard_chain chain(t.params);
  sluice::sequence sequence(t.seed, t.start);
  sequence.accept_prompt(std::span<const sluice::token_id>(t.prompt));
  sequence.accept(std::span<const sluice::token_id>(t.generated));
  sluice::call_options call;
  if (!t.mask.empty()) call.mask = sluice::token_mask(t.mask);
  call.bias = t.call_bias;
  const pairs sparse = t.by == door::sparse ? to_pairs(t) : pairs{};
  const sluice::logits_view row =
      t.by == door::sparse ? sluice::logits_view(sparse.ids, sparse.logits) : sluice::logits_view(t.logits);
  taken result;
  result.drawn = chain.sample(row, sequence, call);
  const auto left = chain.distribution(row, sequence, call);
  result.left.assign(left.begin(), left.end());
  return result;
}

sluice::problem check(const sluice::sampling_params& params) { return sluice::check(params); }

void comparison::operator()(const trial& t, const trial& asked) {
  ++report_.rows;
  const oracle::outcome expected = oracle::run(asked.params, asked.situation());
  const taken found = take(t);
  report_.note_distance(static_cast<double>(expected.distance));
  if (expected.distance < near_) {
    ++report_.near;
    return;
  }
  const std::string broken = difference(expected, found.left);
  if (!broken.empty()) return fail(broken, t);
  check_draw(expected, found.drawn, asked, t);
}

void comparison::check_draw(const oracle::outcome& expected, const sluice::sample_result& result,
                            const trial& asked, const trial& t) {
  if (result.saw_nan != expected.saw_nan) fail("saw_nan is wrong", t);
  if (expected.empty()) {
    if (result.status != sluice::sample_status::no_token_left || result.token != sluice::no_token)
      fail("status is not no_token_left", t);
    return;
  }
  if (!result) return fail("sample gives no token", t);
  const oracle::drawn token = expected.draw(asked.params.draw, asked.situation().now);
  if (token.distance > 1e-8L && result.token != token.id)
    fail("token " + std::to_string(result.token) + " is drawn, by the oracle " + std::to_string(token.id), t);
}

void comparison::fail(const std::string& what, const trial& t) {
  ++report_.failures;
  const std::size_t size = t.logits.size() + t.prompt.size() + t.generated.size();
  if (size >= report_.first_size) return;
  report_.first_size = size;
  report_.first = what + "; " + to_text(t);
}

}  // namespace tests
