// The text that the built-in model learns from.
#pragma once

#include <span>
#include <string_view>

namespace storyteller {

// Short stories, written for this program. A blank line parts paragraphs, any other white space only words;
// quotation marks open after white space and close after anything else.
std::span<const std::string_view> stories();

}  // namespace storyteller
