// Any bytes as CSV. Reading must end and must not misbehave, rows come in rising lines, and what is
// read says the same when it is written with every cell in quotes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lab/text/csv_text.h"

namespace dynolith::lab {
namespace {

using Row = std::vector<std::string>;

void Check(bool is_right) {
  if (!is_right) std::abort();
}

// The names of the columns, and then each row as far as they go.
std::vector<Row> Read(std::string_view text) {
  CsvRows csv(text);
  std::vector<Row> rows = {csv.columns()};
  const int64_t lines = 1 + std::count(text.begin(), text.end(), '\n');
  int64_t last = 0;
  while (csv.Next()) {
    Check(csv.line() > last && csv.line() <= lines);
    last = csv.line();
    Row& row = rows.emplace_back();
    for (size_t i = 0; i < csv.columns().size(); ++i) row.emplace_back(csv.cell(i));
    Check(csv.cell(text.size() + 1).empty());
  }
  for (const std::string& column : csv.columns()) Check(csv.Find(column).has_value());
  return rows;
}

std::string Written(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? "\"" : ",\"";
      for (const char c : row[i]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += '"';
    }
    text += "\r\n";
  }
  return text;
}

}  // namespace
}  // namespace dynolith::lab

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynolith::lab;
  std::vector<Row> rows = Read({reinterpret_cast<const char*>(data), size});
  // Rows that have nothing in the only column are as blank lines.
  std::erase_if(rows, [](const Row& row) { return row.size() == 1 && row.front().empty(); });
  if (rows.empty() || rows.front().empty()) return 0;
  Check(Read(Written(rows)) == rows);
  return 0;
}
