// The steps of a golden case: rows, masks, biases and seeds.
//
// They are made of integers and exact conversions alone, so that every compiler, flag and machine samples the
// same inputs. A case draws its numbers from its name: adding one changes no other.
#pragma once

#include <sluice/api.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace golden {

inline constexpr std::size_t steps_a_case = 100;

/// How the row comes in.
enum class form { f32, f16, bf16, sparse };

/// What a call adds to the chain.
enum class extras { none, mask, bias, both };

/// One request and its generation of a hundred steps.
struct test_case {
  std::string name;
  sluice::sampling_params params = {};
  form row = form::f32;
  extras added = extras::none;
  std::uint64_t start = 0;  // the position that the sequence begins at
};

/// One step. `logits` are exact in the case's form.
struct step {
  std::uint64_t seed = 0;
  std::vector<float> logits = {};
  std::vector<std::uint32_t> mask = {};
  std::vector<sluice::token_bias> bias = {};
};

/// The numbers of a name.
std::uint64_t seed_of(std::string_view name);

/// The same inputs wherever it is compiled.
step make_step(const test_case& of, std::size_t index);

struct pairs {
  std::vector<sluice::token_id> ids = {};
  std::vector<float> logits = {};
};

/// A row in its own form; what it points to lives here.
struct held_row {
  std::vector<std::uint16_t> halves = {};
  pairs sparse = {};

  sluice::logits_view of(const step& s, form as);
};

/// What stands in the history before the first step: a phrase, said two and a half times.
inline std::vector<sluice::token_id> make_prompt() { return {5, 9, 3, 17, 2, 5, 9, 3, 17, 2, 5, 9, 3}; }

/// The token that is accepted after the one that was drawn, if any.
inline sluice::token_id then(std::size_t index) {
  return index % 3 != 0 ? make_prompt()[index % make_prompt().size()] : sluice::no_token;
}

}  // namespace golden
