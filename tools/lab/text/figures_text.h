// Figures in readable form, and columns of them.
#ifndef DYNOLITH_TOOLS_LAB_TEXT_FIGURES_TEXT_H_
#define DYNOLITH_TOOLS_LAB_TEXT_FIGURES_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/partition/capacity_settings.h"
#include "engine/partition/tokens.h"

namespace dynolith::lab {

// "12,345", "12.3", "0.12"; a dash for nothing.
std::string FigureText(double figure);
// "40 read + 12 write"; empty for nothing.
std::string FiguresText(const PerKind<double>& figures);
// A count: 0, 1, 12,345.
std::string CountText(uint64_t count);
// "99.9 %"; 100 % and 0 % only for exactly these.
std::string PartText(double part);
// "99.95 %": all digits up to four behind the point, rounded down, so that a figure that misses a
// limit does not look equal to it.
std::string ExactPartText(double part);
// "1,234.50"
std::string MoneyText(double amount);
// "1 h 30 min", "90 s", "200 ms"
std::string TimeText(Micros time);
// "01:02:03", days as hours
std::string ClockText(Micros time);
std::string BytesText(int64_t bytes);
// The shortest text that parses as this number again, for programs.
std::string ExactText(double number);
// Three digits, for pictures.
std::string RoughText(double number);

// The width for lines of any length: in a file, or for another program.
inline constexpr size_t kAnyWidth = std::numeric_limits<size_t>::max();

// Words in lines of at most `width` characters where possible, indented by `indent` spaces.
std::string WordLines(std::string_view text, size_t indent, size_t width);

// Rows under headings. The first column is a name, left-aligned; the others are right-aligned
// unless they are words.
class TextColumns {
 public:
  struct Heading {
    std::string text;
    bool is_words = false;
  };

  explicit TextColumns(std::vector<Heading> headings) : headings_(std::move(headings)) {}
  // Requires: as many cells as headings.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Each line begins with `indent` spaces. Columns that are empty in all rows are omitted. Columns
  // that do not fit into the line are printed below, after the first column again, and long words
  // continue in the next line. A number or a name is never broken.
  std::string Text(size_t indent, size_t width = kAnyWidth) const;

 private:
  using Columns = std::vector<size_t>;  // by their positions in headings_
  std::vector<size_t> Widths() const;
  std::vector<Columns> Blocks(const std::vector<size_t>& widths, size_t room) const;
  void AddBlock(const Columns& columns, const std::vector<size_t>& widths, size_t indent,
                size_t width, std::string* text) const;

  std::vector<Heading> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_TEXT_FIGURES_TEXT_H_
