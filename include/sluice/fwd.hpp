#pragma once

#include <cstdint>

#include <sluice/config.hpp>

namespace sluice::inline v1 {

class logits_view;
class token_mask;
class workspace;
class sequence;
class standard_chain;
class trace;
struct sampling_params;
struct call_options;
struct sampler;

template <class... Stages>
class chain;
template <class... Stages>
class custom_chain;

/// A seed from the operating system.
std::uint64_t random_seed();

inline namespace SLUICE_ISA {
class row;
}

}  // namespace sluice::inline v1
