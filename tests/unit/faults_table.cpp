#include "cases_table.hpp"
#include "faults.hpp"

TEST_CASE("every fault of the table has a test of its sentence, and every fault test a line in the table") {
  const tests::table faults = tests::read_table("faults.tsv", 4);
  CHECK(faults.now.size() == 49);
  CHECK(faults.later.empty());
  std::set<std::string> sentences;
  for (const tests::table_row& row : faults.now) {
    CAPTURE(row.where);
    CHECK(sentences.insert(row.cells[3]).second);
    CHECK_MESSAGE(tests::noted_faults().contains(row.cells[3]), row.cells[3]);
  }
  for (const std::string& sentence : tests::noted_faults())
    CHECK_MESSAGE(sentences.contains(sentence), sentence);
}
