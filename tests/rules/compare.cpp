// The one place where the rules compile the standard chain: it costs more than all of them together.

#include "compare.hpp"

#include <sstream>

namespace tests {
namespace {

std::string to_text(std::span<const int> tokens) {
  std::string text = "{";
  for (const int token : tokens) text += std::to_string(token) + " ";
  return text + "}";
}

/// A field as it can be read in a failure, from the library's own table of them.
std::string to_text(const sluice::detail::field& f, const sluice::sampling_params& p) {
  std::ostringstream text;
  text.precision(9);
  const auto biases = [&](const std::vector<sluice::token_bias>& all) {
    for (const auto& b : all) text << b.token << ':' << b.bias << ' ';
  };
  if (f.real) text << p.*f.real;
  if (f.integer) text << p.*f.integer;
  if (f.flag) text << p.*f.flag;
  if (f.tokens) text << to_text(p.*f.tokens);
  if (f.biases) biases(p.*f.biases);
  if (f.breakers)
    for (const std::vector<int>& breaker : p.*f.breakers) text << to_text(breaker);
  if (f.seed && p.*f.seed) text << *(p.*f.seed);
  if (f.order) text << p.*f.order;
  if (f.choices.get) text << f.choices.names[f.choices.get(p)];
  return text.str();
}

/// The fields that are not neutral.
std::string to_text(const sluice::sampling_params& p) {
  std::string text;
  for (const sluice::detail::field& f : sluice::detail::fields) {
    const std::string value = to_text(f, p);
    if (value != to_text(f, {})) text += std::string(f.name) + '=' + value + ' ';
  }
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
  const pairs sparse = t.by == door::sparse ? to_pairs(t) : pairs{};
  const sluice::logits_view row =
      t.by == door::sparse ? sluice::logits_view(sparse.ids, sparse.logits) : sluice::logits_view(t.logits);
  return take_by(chain, row, t);
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
