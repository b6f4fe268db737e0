// A table as CSV (RFC 4180): the first line has the names of the columns.
#ifndef DYNOLITH_TOOLS_LAB_TEXT_CSV_TEXT_H_
#define DYNOLITH_TOOLS_LAB_TEXT_CSV_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynolith::lab {

// Reads the rows of a text one after the other. Borrows the text.
class CsvRows {
 public:
  explicit CsvRows(std::string_view text);

  const std::vector<std::string>& columns() const { return columns_; }
  // The first column of this name.
  std::optional<size_t> Find(std::string_view column) const;

  // Moves to the next row and skips blank lines; false if there is no further row.
  bool Next();
  // The line on which the row begins, from 1.
  int64_t line() const { return line_; }
  // A cell of the current row, valid until Next; empty if the row has fewer cells.
  std::string_view cell(size_t column) const {
    return column < cells_.size() ? std::string_view(cells_[column]) : std::string_view();
  }

 private:
  std::string ReadCell();

  std::string_view rest_;
  int64_t next_line_ = 1;
  int64_t line_ = 0;
  std::vector<std::string> columns_;
  std::vector<std::string> cells_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_TEXT_CSV_TEXT_H_
