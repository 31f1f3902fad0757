#pragma once

#include <cstdint>

#include <sluice/config.hpp>

#include <sluice/macros_off.inc>

namespace sluice::inline v1 {

class logits_view;
class token_mask;
class workspace;
class sequence;
class standard_chain;
class trace;  // the steps of a call, in words; not built yet
class token_counts;
struct dry_rules;
struct sampling_params;
struct call_options;
struct sampler;

template <class... Stages>
class chain;
template <class... Stages>
class custom_chain;

inline namespace SLUICE_ISA {
class row;
}

/// A seed from the operating system. Without one (an old kernel in a cage) from the clock.
std::uint64_t random_seed();

}  // namespace sluice::inline v1

#include <sluice/macros_back.inc>
