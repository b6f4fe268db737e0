// Rows and cells of CSV, and the lines in which they are, as RFC 4180 says.
#include "tools/lab/text/csv_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dynolith {
namespace {

using lab::CsvRows;

// Each row with its line in front.
std::vector<std::string> ReadRows(std::string_view text, size_t columns) {
  std::vector<std::string> rows;
  for (CsvRows csv(text); csv.Next();) {
    std::string row = std::to_string(csv.line());
    for (size_t i = 0; i < columns; ++i) row += "|" + std::string(csv.cell(i));
    rows.push_back(row);
  }
  return rows;
}

using Rows = std::vector<std::string>;

TEST(CsvRows, CellsAndLines) {
  EXPECT_EQ(ReadRows("a,b\n1,2\n3,4", 2), (Rows{"2|1|2", "3|3|4"}));
  EXPECT_EQ(ReadRows("a,b\r\n1,2\r\n\r\n3,\r\n", 2), (Rows{"2|1|2", "4|3|"}));
  EXPECT_EQ(ReadRows("a,b\n1\n,\n", 2), (Rows{"2|1|", "3||"}));
  EXPECT_EQ(ReadRows("a,b", 2), Rows());
  EXPECT_EQ(ReadRows("", 2), Rows());
}

TEST(CsvRows, Quotes) {
  EXPECT_EQ(ReadRows("a,b\n\"1,\n\"\"x\"\"\",2\n3,4\n", 2), (Rows{"2|1,\n\"x\"|2", "4|3|4"}));
  // A carriage return ends a line only in front of its end.
  EXPECT_EQ(ReadRows("a,b\r\n\"1\r\",2\r3\r\n4\r,5\r", 2), (Rows{"2|1\r|2\r3", "3|4\r|5"}));
  // One that is not closed reaches to the end.
  EXPECT_EQ(ReadRows("a,b\n1,\"2\n3,4\n", 2), (Rows{"2|1|2\n3,4\n"}));
}

TEST(CsvRows, Columns) {
  const CsvRows csv("\xef\xbb\xbftime,\"requests, all\"\n1,2\n");
  EXPECT_EQ(csv.Find("time"), 0);
  EXPECT_EQ(csv.Find("requests, all"), 1);
  EXPECT_EQ(csv.Find("request"), std::nullopt);
}

}  // namespace
}  // namespace dynolith
