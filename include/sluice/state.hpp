#pragma once

// A sequence as bytes, so that a generation can go on elsewhere with the same tokens.
//
// The bytes, numbers little-endian: "slq", the version of the format, draw_version, seed, first position,
// tokens, edges of prompt, feedback; at the end a checksum (FNV-1a) of all before it. The index is not saved:
// it follows the tokens when it is next read.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/history/feedback.hpp>
#include <sluice/random/derive_seed.hpp>
#include <sluice/sequence_bodies.hpp>
#include <sluice/stage/text.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

/// The sequence: tokens and whose turn they were, seed, position, what draws feed back. At most 4 bytes a
/// token, 8 where prompt and answer alternate, 20 more where a draw moved feedback, 28 where adaptive-p of
/// different decays takes turns; and 120. May throw
/// std::bad_alloc.
SLUICE_ALWAYS_INLINE std::string save(const sequence& from);

/// Makes `into` the sequence that was saved, on any machine. Bytes of another version of the format or of
/// another `draw_version`, cut short or altered are a problem, and `into` stays as it was; so where memory
/// runs out.
SLUICE_ALWAYS_INLINE problem load(sequence& into, std::string_view bytes);

namespace detail {

inline constexpr std::string_view state_magic = "slq";
inline constexpr std::uint8_t state_version = 1;

inline namespace SLUICE_ISA {

class state_writer {
 public:
  template <std::unsigned_integral T>
  void number(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes_.push_back(static_cast<char>(static_cast<std::uint8_t>(value >> (8 * i))));
  }
  void real(const double& value) { number(std::bit_cast<std::uint64_t>(value)); }
  void text(std::string_view t) { bytes_.append(t.data(), t.size()); }
  /// How many, then each by f.
  template <class T, class F>
  void list(const array<T>& values, F&& f) {
    number(values.size());
    for (const T& value : values) f(value);
  }
  std::string finish() {
    number(hash_of(bytes_));
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

/// Reads nothing past the end: from there on all numbers are 0, and `good` says so.
class state_reader {
 public:
  explicit state_reader(std::string_view bytes) noexcept : rest_(bytes) {}

  template <std::unsigned_integral T>
  T number() noexcept {
    T value = 0;
    if (!has(sizeof(T))) return value;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<T>(value | static_cast<T>(T{static_cast<std::uint8_t>(rest_[i])} << (8 * i)));
    rest_.remove_prefix(sizeof(T));
    return value;
  }
  /// Finite, or not good.
  double real() noexcept {
    const auto bits = number<std::uint64_t>();
    if ((bits & 0x7ff0000000000000u) == 0x7ff0000000000000u) good_ = false;
    return good_ ? std::bit_cast<double>(bits) : 0;
  }
  std::string_view text(std::size_t size) noexcept {
    if (!has(size)) return {};
    const std::string_view read = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return read;
  }
  /// As many as a number says, of `bytes` each at least; f() reads one. False where memory ran out.
  template <class T, class F>
  bool list(array<T>& values, std::size_t bytes, F&& f) noexcept {
    const std::size_t count = number<std::uint32_t>();
    if (!has(count * bytes)) return true;
    if (!values.try_reserve(count)) return false;
    for (std::size_t i = 0; i < count; ++i) values.push_back(f());
    return true;
  }
  bool good() const noexcept { return good_; }
  bool at_end() const noexcept { return rest_.empty(); }

 private:
  bool has(std::size_t bytes) noexcept {
    good_ = good_ && rest_.size() >= bytes;
    return good_;
  }

  std::string_view rest_;
  bool good_ = true;
};

SLUICE_COLD std::string saved(const history& h) {
  state_writer out;
  out.text(state_magic);
  out.number(state_version);
  out.number(static_cast<std::uint32_t>(draw_version));
  out.number(h.seed);
  out.number(h.start);
  out.list(h.tokens, [&](token_id token) { out.number(static_cast<std::uint32_t>(token)); });
  out.list(h.prompt_edges, [&](std::uint32_t edge) { out.number(edge); });
  out.number(std::uint8_t{h.feedback ? std::uint8_t{1} : std::uint8_t{0}});
  if (h.feedback) {
    const feedback& f = *h.feedback;
    for (const feedback_value& v : {f.mirostat, f.adaptive}) {
      out.number(std::uint8_t{v.started ? std::uint8_t{1} : std::uint8_t{0}});
      out.real(v.value);
      out.real(v.weight);
    }
    out.number(static_cast<std::uint32_t>(f.pending.kind));
    out.number(static_cast<std::uint32_t>(f.pending.token));
    out.real(f.pending.value);
    out.real(f.pending.weight);
    out.list(f.trail, [&](const feedback_step& step) {
      out.number(step.position);
      out.number(step.before);
      out.real(step.value);
    });
    out.list(f.weights, [&](double weight) { out.real(weight); });
  }
  return out.finish();
}

/// Everything that the functions of this folder take for granted: order, range, and the values that steps
/// lead back to.
inline bool is_sound(const history& h) noexcept {
  std::uint32_t least = 0;
  for (const std::uint32_t edge : h.prompt_edges) {
    if (edge < least || edge >= h.tokens.size()) return false;
    least = edge + 1;
  }
  if (!h.feedback) return true;
  const feedback& f = *h.feedback;
  const auto is_weight = [](double w) { return w >= 1; };
  bool has_mu = false, has_sums = false;
  std::uint32_t weight = adaptive_moved;
  least = 0;
  for (const feedback_step& step : f.trail) {
    if (step.position < least || step.position >= h.tokens.size()) return false;
    least = step.position + 1;
    if (step.before < adaptive_start) {
      if (std::exchange(has_mu, true) != (step.before == mirostat_moved)) return false;
    } else {
      if (std::exchange(has_sums, true) != (step.before >= adaptive_moved)) return false;
      if (step.before >= adaptive_moved) {
        if (step.before < weight || step.before - adaptive_moved >= f.weights.size()) return false;
        weight = step.before;
      }
    }
  }
  for (const double w : f.weights)
    if (!is_weight(w)) return false;
  if (f.mirostat.started != has_mu || f.adaptive.started != has_sums) return false;
  if (has_sums && !is_weight(f.adaptive.weight)) return false;
  if (f.pending.kind == feedback_kind::none) return true;
  return f.pending.kind <= feedback_kind::adaptive_p && f.pending.token >= 0 &&
         (f.pending.kind == feedback_kind::mirostat || is_weight(f.pending.weight));
}

/// False where memory ran out.
inline bool read_feedback(state_reader& in, owned<feedback>& into) noexcept {
  if (!into.make()) return false;
  feedback& f = *into;
  for (feedback_value* v : {&f.mirostat, &f.adaptive}) {
    v->started = in.number<std::uint8_t>() != 0;
    v->value = in.real();
    v->weight = in.real();
  }
  f.pending.kind = static_cast<feedback_kind>(in.number<std::uint32_t>());
  f.pending.token = static_cast<token_id>(in.number<std::uint32_t>());
  f.pending.value = in.real();
  f.pending.weight = in.real();
  return in.list(f.trail, 16, [&]() noexcept {
    feedback_step step;
    step.position = in.number<std::uint32_t>();
    step.before = in.number<std::uint32_t>();
    step.value = in.real();
    return step;
  }) && in.list(f.weights, 8, [&]() noexcept { return in.real(); });
}

SLUICE_COLD problem load_into(history& h, std::string_view bytes) {
  state_reader in(bytes);
  const auto refused = [](std::string_view why) -> problem { return sentence("state") << why; };
  if (in.text(state_magic.size()) != state_magic) return refused(" is not what `save` gives");
  if (const auto version = in.number<std::uint8_t>(); in.good() && version != state_version)
    return sentence("state") << " must be of version " << std::int64_t{state_version} << ", got "
                             << std::int64_t{version};
  if (const auto version = in.number<std::uint32_t>();
      in.good() && version != static_cast<std::uint32_t>(draw_version))
    return sentence("state") << " must be of draw_version " << std::int64_t{draw_version} << ", got "
                             << std::int64_t{version};
  history read;
  read.seed = in.number<std::uint64_t>();
  read.start = in.number<std::uint64_t>();
  bool memory = in.list(read.tokens, 4, [&]() noexcept {
    return static_cast<token_id>(in.number<std::uint32_t>());
  }) && in.list(read.prompt_edges, 4, [&]() noexcept { return in.number<std::uint32_t>(); });
  if (memory && in.number<std::uint8_t>() != 0) memory = read_feedback(in, read.feedback);
  const auto checksum = in.number<std::uint64_t>();
  if (!memory) return refused(" needs more memory than there is");
  if (!in.good()) return refused(" is cut short or altered: it says that there is more than it holds");
  if (!in.at_end()) return refused(" is altered: it is longer than it says");
  if (checksum != hash_of(bytes.substr(0, bytes.size() - sizeof checksum)))
    return refused(" is altered: its checksum does not fit");
  if (!is_sound(read)) return refused(" is altered: its parts do not fit together");
  h = std::move(read);
  return {};
}

}  // namespace SLUICE_ISA
}  // namespace detail

SLUICE_ALWAYS_INLINE std::string save(const sequence& from) {
  return detail::saved(detail::sequence_access::of(from));
}

SLUICE_ALWAYS_INLINE problem load(sequence& into, std::string_view bytes) {
  return detail::load_into(detail::sequence_access::of(into), bytes);
}

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
