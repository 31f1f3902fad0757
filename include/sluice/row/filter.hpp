#pragma once

// How tokens are removed: a prefix of the ranking by a cut key, any other set by a predicate. Included by
// row.hpp.

namespace sluice::inline v1::inline SLUICE_ISA {

struct by_rank {
  bool operator()(kernel::rank_key a, kernel::rank_key b) const noexcept { return a > b; }
};

SLUICE_STRICT_BEGIN

/// Distance from a center first, then rank.
struct by_distance {
  double center = 0;
  double distance(kernel::rank_key key) const noexcept {
    const double d = double(kernel::logit_of(key)) - center;
    return d < 0 ? -d : d;
  }
  bool operator()(kernel::rank_key a, kernel::rank_key b) const noexcept {
    const double da = distance(a), db = distance(b);
    return da < db || (da == db && a > b);
  }
};

/// The mass of a key's token under a given maximum.
struct mass_under {
  double max = 0;
  std::uint64_t operator()(kernel::rank_key key) const noexcept {
    return kernel::mass(double(kernel::logit_of(key)) - max);
  }
};

/// Keys of the survivors with l >= least, in the scratch memory.
inline std::span<kernel::rank_key> row::keys(float least) const noexcept {
  auto* const out = reinterpret_cast<rank_key*>(scratch_);
  std::size_t count = 0;
  each([&](token_id id, float logit) {
    if (logit >= least) out[count++] = kernel::key_of(logit, id);
  });
  return {out, count};
}

/// Keys in the scratch memory become candidates in rank order, in place: from the last to the first, a
/// candidate of 12 bytes covers only keys of 8 bytes that are converted already.
inline std::span<candidate> row::ranked(std::span<rank_key> keys) const noexcept {
  std::sort(keys.begin(), keys.end(), by_rank{});
  for (std::size_t i = keys.size(); i-- > 0;) {
    rank_key key;
    std::memcpy(&key, scratch_ + i * sizeof key, sizeof key);
    const candidate c{.id = kernel::id_of(key), .logit = kernel::logit_of(key)};
    std::memcpy(scratch_ + i * sizeof c, &c, sizeof c);
  }
  return {reinterpret_cast<candidate*>(scratch_), keys.size()};
}

template <class Before, class Weight>
inline kernel::rank_key row::cut(std::span<rank_key> keys, std::uint64_t need, Before before,
                                 Weight weight) const noexcept {
  return engine_ == truncation_engine::sort ? truncate::sort{}(keys, need, before, weight)
                                            : truncate::select{}(keys, need, before, weight);
}

inline kernel::rank_key row::top_cut(std::size_t k) noexcept {
  float least = kernel::lowest;
  if (engine_ != truncation_engine::sort && k <= block_count_) {
    // At least k tokens are as large as the k-th largest block maximum.
    auto* const maxima = reinterpret_cast<float*>(scratch_);
    for (std::size_t b = 0; b < block_count_; ++b) maxima[b] = blocks_[b].max;
    std::nth_element(maxima, maxima + (k - 1), maxima + block_count_, [](float a, float b) { return a > b; });
    least = std::max(least, maxima[k - 1]);
  }
  return cut(keys(least), k, by_rank{}, [](rank_key) { return std::uint64_t{1}; });
}

/// The last key, in the order `before`, of the shortest prefix with mass >= p * M that has min_keep tokens.
template <class Before>
inline kernel::rank_key row::cut_by_mass(Before before, float p, int min_keep) noexcept {
  const std::uint64_t need = kernel::needed_mass(p, mass().total);
  const std::span<rank_key> all = keys(kernel::lowest);
  const rank_key last = cut(all, need, before, mass_under{double(max())});
  if (min_keep <= 1) return last;
  const rank_key least = cut(all, std::uint64_t(min_keep), before, [](rank_key) { return std::uint64_t{1}; });
  return before(last, least) ? least : last;
}

inline kernel::rank_key row::mass_cut(float p, int min_keep) noexcept {
  return cut_by_mass(by_rank{}, p, min_keep);
}

inline kernel::rank_key row::threshold_cut(double threshold, int min_keep) noexcept {
  if (!(threshold > double(kernel::lowest))) return 0;
  float least = max();
  if (threshold < double(least)) {
    least = float(threshold);
    if (double(least) < threshold) {  // the next float up; -0 and +0 are one value
      const auto bits = std::bit_cast<std::uint32_t>(least + 0.0f);
      least = std::bit_cast<float>(bits >> 31 ? bits - 1 : bits + 1);
    }
  }
  const rank_key last = kernel::key_of(least, 0) >> 32 << 32;  // every id ranks before it
  if (min_keep <= 1) return last;
  return std::min(last, top_cut(std::min(std::size_t(min_keep), size())));
}

/// Survivors as a list, those that `keep` holds on to. What is written never overtakes what is read.
template <class Keep>
inline void row::compact(Keep&& keep) noexcept {
  std::size_t count = 0;
  each([&](token_id id, float logit) {
    if (!keep(id, logit)) return;
    ids_[count] = id;
    logits_[count++] = logit;
  });
  list(count);
}

/// -inf in place of the survivors that `keep` lets go.
template <class Keep>
inline void row::erase(Keep&& keep) noexcept {
  for (std::size_t b = 0; b < block_count_; ++b) {
    kernel::block& block = blocks_[b];
    if (!(block.max >= floor_)) continue;
    float* copy = nullptr;
    for (std::uint32_t i = 0; i < block.count; ++i) {
      if (!(block.logits[i] >= floor_) || keep(block.id(i), block.logits[i])) continue;
      if (copy == nullptr) copy = writable(block);
      copy[i] = kernel::infinite(-1);
    }
    if (copy != nullptr) block.max = kernel::max_of(copy, block.count, floor_);
  }
}

/// Few survivors become a list, many stay where they lie.
template <class Keep>
inline void row::retain(Keep&& keep, std::size_t kept) noexcept {
  if (!dense_ || kept <= vocab_ / 16) {
    compact(keep);
  } else {
    erase(keep);
  }
  size_ = kept;
  size_known_ = true;
  max_known_ = false;
}

inline void row::keep_from(rank_key last) noexcept {
  reference();
  if (last == 0) return;
  const auto keep = [last](token_id id, float logit) { return kernel::key_of(logit, id) >= last; };
  const float least = kernel::logit_of(last);
  std::size_t kept = 0, equal = 0;  // equal: removed, though as large as the cut
  for (const kernel::block& block : blocks()) {
    if (!(block.max >= least)) continue;
    for (std::uint32_t i = 0; i < block.count; ++i) {
      const float logit = block.logits[i];
      if (!(logit >= least) || !(logit >= floor_)) continue;
      const bool stays = keep(block.id(i), logit);
      kept += stays;
      equal += !stays;
    }
  }
  if (dense_ && kept > vocab_ / 16) {
    floor_ = std::max(floor_, least);
    if (equal != 0) erase(keep);
    size_ = kept;
    size_known_ = true;
  } else {
    retain(keep, kept);
  }
}

inline void row::keep_at_least(double threshold, int min_keep) noexcept {
  reference();
  keep_from(threshold_cut(threshold, min_keep));
}

inline void row::keep_top(std::int64_t k) noexcept {
  reference();
  if (k <= 0 || std::uint64_t(k) >= size()) return;
  keep_from(top_cut(std::size_t(k)));
}

inline void row::keep_mass(float p, int min_keep) noexcept {
  reference();
  if (!empty()) keep_from(mass_cut(p, min_keep));
}

inline void row::keep_nearest(double center, float p, int min_keep) noexcept {
  reference();
  if (empty()) return;
  const by_distance before{center};
  const rank_key last = cut_by_mass(before, p, min_keep);
  const auto keep = [&](token_id id, float logit) { return !before(last, kernel::key_of(logit, id)); };
  std::size_t kept = 0;
  each([&](token_id id, float logit) { kept += keep(id, logit); });
  retain(keep, kept);
}

SLUICE_STRICT_END

}  // namespace sluice::inline v1::inline SLUICE_ISA
