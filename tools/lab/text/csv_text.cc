#include "tools/lab/text/csv_text.h"

#include <algorithm>

namespace dynolith::lab {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// A line break, with or without a carriage return.
bool EndsLine(std::string_view text) {
  return text.starts_with('\n') || text.starts_with("\r\n") || text == "\r";
}

}  // namespace

CsvRows::CsvRows(std::string_view text) : rest_(text) {
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  if (Next()) columns_ = std::exchange(cells_, {});
}

std::optional<size_t> CsvRows::Find(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<size_t>(found - columns_.begin());
}

bool CsvRows::Next() {
  do {
    if (rest_.empty()) return false;
    line_ = next_line_;
    cells_.clear();
    bool goes_on = true;
    while (goes_on) {
      cells_.push_back(ReadCell());
      goes_on = rest_.starts_with(',');
      rest_.remove_prefix(std::min(rest_.size(), rest_.starts_with('\r') ? size_t{2} : 1));
    }
    ++next_line_;
  } while (cells_.size() == 1 && cells_.front().empty());
  return true;
}

// Reads up to the next comma or line break; quoted text may contain both.
std::string CsvRows::ReadCell() {
  std::string cell;
  bool is_quoted = false;
  while (!rest_.empty()) {
    const char c = rest_.front();
    if (!is_quoted && (c == ',' || EndsLine(rest_))) break;
    rest_.remove_prefix(1);
    if (c == '\n') ++next_line_;
    if (c != '"') {
      cell += c;
    } else if (is_quoted && rest_.starts_with('"')) {
      cell += c;
      rest_.remove_prefix(1);
    } else {
      is_quoted = !is_quoted;
    }
  }
  return cell;
}

}  // namespace dynolith::lab
