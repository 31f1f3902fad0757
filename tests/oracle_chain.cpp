#include "oracle_chain.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "oracle_stages.hpp"

namespace tests::oracle {

namespace {

using order = std::vector<const stage*>;

const order& fixed_order() {
  static const order result = [] {
    order all;
    for (const stage& s : stages) all.push_back(&s);
    std::sort(all.begin(), all.end(), [](const stage* x, const stage* y) { return x->place < y->place; });
    return all;
  }();
  return result;
}

/// An order written in full names or in letters; aliases are the library's affair.
order parse_order(std::string_view text) {
  order result;
  const bool names =
      text.find(';') != std::string_view::npos ||
      std::any_of(stages.begin(), stages.end(), [&](const stage& s) { return s.name == text; });
  while (!text.empty()) {
    const std::size_t length = names ? std::min(text.find(';'), text.size()) : 1;
    const std::string_view word = text.substr(0, length);
    const std::size_t before = result.size();
    for (const stage* s : fixed_order())
      if (names ? s->name == word : s->letter == word[0]) result.push_back(s);
    if (result.size() == before) throw std::invalid_argument("the oracle does not know " + std::string(word));
    text.remove_prefix(std::min(text.size(), names ? length + 1 : 1));
  }
  return result;
}

/// The cuts that stand side by side. Joint: all judge the row as it stood before the first of them, and a
/// token must pass all.
void run_cuts(walk& w, std::span<const stage* const> cuts) {
  w.note_reference();
  if (w.params.truncation == sluice::truncation_rule::sequential) {
    for (const stage* cut : cuts)
      if (cut->active(w.params)) keep_prefix(w.left, ranked(w.left), cut->count(w));
    return;
  }
  std::size_t count = w.left.size();
  for (const stage* cut : cuts)
    if (cut->active(w.params)) count = std::min(count, cut->count(w));
  if (count == w.left.size()) return;
  keep_prefix(w.left, ranked(w.left), count);
}

/// In the fixed order greedy sampling ends with the edits; in any other, temperature says so in its turn.
enum class greedy_rule { after_the_edits, in_its_turn };

void run_stages(walk& w, const order& stages_in_order, greedy_rule greedy) {
  const std::span<const stage* const> all(stages_in_order);
  for (std::size_t i = 0; i < all.size();) {
    const stage& s = *all[i];
    if (greedy == greedy_rule::after_the_edits && s.does != effect::writes) {
      if (w.params.temperature < 1e-5f || w.params.top_k == 1) return keep_argmax(w.left);
      greedy = greedy_rule::in_its_turn;
    }
    if (s.does == effect::cuts) {
      std::size_t end = i;
      while (end < all.size() && all[end]->does == effect::cuts) ++end;
      run_cuts(w, all.subspan(i, end - i));
      i = end;
      continue;
    }
    const auto rest = all.subspan(++i);
    if (!s.active(w.params)) continue;
    w.is_last = std::none_of(rest.begin(), rest.end(), [&](const stage* r) { return r->active(w.params); });
    if (s.does == effect::removes) w.note_reference();
    s.run(w);
    if (s.does == effect::writes) w.wrote();
  }
}

}  // namespace

drawn outcome::draw(sluice::draw_method method, const place_in_time& now) const {
  return method == sluice::draw_method::gumbel ? gumbel_draw(input, now)
                                               : softmax_draw_with(input, softmax_word(now));
}

std::vector<std::string_view> stage_names() {
  std::vector<std::string_view> names;
  for (const stage* s : fixed_order())
    if (std::find(names.begin(), names.end(), s->name) == names.end()) names.push_back(s->name);
  return names;
}

char letter_of(std::string_view name) { return parse_order(name).front()->letter; }

bool cuts(std::string_view name) { return parse_order(name).front()->does == effect::cuts; }

void randomise_stages(generator& g, sampling_params& params, std::size_t size,
                      const std::vector<int>& past_tokens) {
  for (const stage* s : fixed_order()) s->randomise(g, params, {size, past_tokens});
  if (g.chance(0.1)) {
    params.min_tokens = g.between(0, 40);
    params.end_tokens = random_ids(g, size, 1 + g.below(3));
  }
}

outcome run(const sampling_params& params, const situation& given) {
  std::vector<bias> logit_bias;
  std::vector<bias> language_bias;
  for (const sluice::token_bias& b : params.logit_bias) logit_bias.push_back({b.token, b.bias});
  for (const sluice::token_bias& b : params.language_bias) language_bias.push_back({b.token, b.bias});
  // Absent until enough was generated; a ban beats all biases, as absence does.
  std::vector<sluice::token_id> banned = params.suppressed_tokens;
  std::size_t generated = 0;
  for (std::size_t i = 0; i < given.past.tokens.size(); ++i) generated += !given.past.is_prompt(i);
  if (std::cmp_less(generated, params.min_tokens))
    banned.insert(banned.end(), params.end_tokens.begin(), params.end_tokens.end());
  walk w{.params = params, .past = given.past, .now = given.now};
  w.left = enter(given.logits, given.mask, compose_bias(logit_bias, language_bias, given.call_bias, banned));
  if (w.left.size() > 0) {
    const bool fixed = params.order.empty();
    const order stages_in_order = fixed ? fixed_order() : parse_order(params.order);
    w.temperature_named = std::any_of(stages_in_order.begin(), stages_in_order.end(),
                                      [](const stage* s) { return s->does == effect::tempers; });
    run_stages(w, stages_in_order, fixed ? greedy_rule::after_the_edits : greedy_rule::in_its_turn);
  }
  outcome result;
  result.saw_nan = saw_nan(given.logits, given.mask);
  result.distance = w.left.distance;
  if (w.left.size() == 0) return result;
  w.note_reference();
  result.input = {w.left, w.temperature, *w.reference, w.marginal};
  result.law = law(result.input, params.draw);
  return result;
}

}  // namespace tests::oracle
