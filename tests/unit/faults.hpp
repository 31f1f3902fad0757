// A fault that a public system has had is a test case of its sentence in faults.tsv. The macro notes the
// sentence, so that table and tests can be held against each other.
#pragma once

#include <set>
#include <string>

#include "step.hpp"

#define FAULT_CASE(sentence)                                                 \
  static const bool DOCTEST_ANONYMOUS(fault_) = tests::note_fault(sentence); \
  TEST_CASE(sentence)

namespace tests {

inline std::set<std::string>& noted_faults() {
  static std::set<std::string> sentences;
  return sentences;
}

/// False where two tests have one sentence.
inline bool note_fault(const char* sentence) { return noted_faults().insert(sentence).second; }

}  // namespace tests
