#include "tools/lab/text/figures_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engine/base/strings.h"
#include "tools/lab/text/messages.h"

namespace dynolith::lab {
namespace {

std::string Fixed(double number, int digits) {
  std::array<char, 400> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number,
                                          std::chars_format::fixed, digits);
  return {text.data(), end};
}

// Adds a comma before each three digits of the whole part.
std::string Grouped(std::string text) {
  const size_t point = std::min(text.find('.'), text.size());
  const size_t begin = text.starts_with('-') ? 1 : 0;
  for (size_t at = point; at > begin + 3;) text.insert(at -= 3, ",");
  return text;
}

// Characters, not bytes: names may be in any script.
size_t DisplayWidth(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Between columns.
constexpr std::string_view kSpaces = "  ";
constexpr size_t kGap = kSpaces.size();
// A column of words is wrapped into lines of at least this width rather than put below.
constexpr size_t kWordsLeast = 24;

// The position at which a text is wrapped: the last space that fits, else the first one, else none.
size_t EndOfLine(std::string_view words, size_t width) {
  size_t end = std::string_view::npos;
  for (size_t at = words.find(' '); at != std::string_view::npos; at = words.find(' ', at + 1)) {
    if (end != std::string_view::npos && DisplayWidth(words.substr(0, at)) > width) break;
    end = at;
  }
  return std::min(end, words.size());
}

}  // namespace

std::string FigureText(double figure) {
  const double size = std::abs(figure);
  if (size == 0) return "–";
  if (size < 0.005) return "<0.01";
  return Grouped(Fixed(figure, size >= 99.95 ? 0 : size >= 0.995 ? 1 : 2));
}

std::string FiguresText(const PerKind<double>& figures) {
  const std::string reads = figures.read > 0 ? messages::LabReads(FigureText(figures.read)) : "";
  const std::string writes =
      figures.write > 0 ? messages::LabWrites(FigureText(figures.write)) : "";
  return reads.empty() || writes.empty() ? reads + writes : Concat(reads, " + ", writes);
}

std::string CountText(uint64_t count) { return Grouped(Concat(count)); }

std::string PartText(double part) {
  if (part >= 1) return "100 %";
  if (part <= 0) return "0 %";
  return Concat(Fixed(std::clamp(part * 100, 0.1, 99.9), 1), " %");
}

std::string ExactPartText(double part) {
  constexpr double kSteps = 1e6;
  // A decimal fraction is not always exact in binary.
  const double steps = std::floor(part * kSteps + 1e-6);
  std::string text = Fixed(steps / kSteps * 100, 4);
  text.resize(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return Concat(text, " %");
}

std::string MoneyText(double amount) { return Grouped(Fixed(amount, 2)); }

std::string TimeText(Micros time) {
  const auto seconds = static_cast<double>(time) / static_cast<double>(kSecond);
  if (time % kSecond != 0 && seconds < 1) return Concat(FigureText(seconds * 1e3), " ms");
  const int64_t whole = time / kSecond;
  if (whole < 120) return Concat(whole, " s");
  const int64_t minutes = whole / 60;
  std::string text = minutes < 120 ? Concat(minutes, " min") : Concat(minutes / 60, " h");
  if (minutes < 120 && whole % 60 != 0) text += Concat(" ", whole % 60, " s");
  if (minutes >= 120 && minutes % 60 != 0) text += Concat(" ", minutes % 60, " min");
  return text;
}

std::string ClockText(Micros time) {
  const Micros seconds = time / kSecond;
  const auto two = [](Micros number) { return Concat(number < 10 ? "0" : "", number); };
  return Concat(two(seconds / 3'600), ":", two(seconds / 60 % 60), ":", two(seconds % 60));
}

std::string BytesText(int64_t bytes) {
  static constexpr std::string_view kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  auto size = static_cast<double>(bytes);
  while (size >= 1'024 && unit + 1 < std::size(kUnits)) {
    size /= 1'024;
    ++unit;
  }
  return Concat(FigureText(size), " ", kUnits[unit]);
}

std::string ExactText(double number) {
  std::array<char, 400> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end};
}

std::string RoughText(double number) {
  constexpr int kDigits = 3;
  std::array<char, 16> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number,
                                          std::chars_format::general, kDigits);
  return {text.data(), end};
}

std::string WordLines(std::string_view text, size_t indent, size_t width) {
  std::string lines;
  size_t column = width;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    const bool fits = !lines.empty() && DisplayWidth(word) < width - std::min(column, width);
    if (!fits && !lines.empty()) lines += '\n';
    lines += fits ? " " : std::string(indent, ' ');
    lines += word;
    column = (fits ? column + 1 : indent) + DisplayWidth(word);
  }
  return lines + "\n";
}

std::vector<size_t> TextColumns::Widths() const {
  std::vector<size_t> widths(headings_.size(), 0);
  for (size_t i = 0; i < headings_.size(); ++i) {
    for (const std::vector<std::string>& row : rows_) {
      if (!row[i].empty()) {
        widths[i] = std::max({widths[i], DisplayWidth(row[i]), DisplayWidth(headings_[i].text)});
      }
    }
  }
  return widths;
}

std::vector<TextColumns::Columns> TextColumns::Blocks(const std::vector<size_t>& widths,
                                                      size_t room) const {
  std::vector<Columns> blocks;
  size_t used = 0;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == 0) continue;
    const size_t needed = headings_[i].is_words ? std::min(widths[i], kWordsLeast) : widths[i];
    if (blocks.empty()) {
      blocks.push_back({i});
      used = widths[i] + kGap;
      continue;
    }
    if (used + needed > room && blocks.back().size() > 1) {
      blocks.push_back({blocks.front().front()});
      used = widths[blocks.front().front()] + kGap;
    }
    blocks.back().push_back(i);
    used += widths[i] + kGap;
  }
  return blocks;
}

void TextColumns::AddBlock(const Columns& columns, const std::vector<size_t>& widths, size_t indent,
                           size_t width, std::string* text) const {
  const auto add_line = [&](const auto& cell) {
    std::string line(indent, ' ');
    for (const size_t i : columns) {
      std::string_view words = cell(i);
      const size_t begin = DisplayWidth(line);
      while (i == columns.back() && headings_[i].is_words && begin + DisplayWidth(words) > width) {
        const size_t end = EndOfLine(words, width > begin ? width - begin : 1);
        if (end == words.size()) break;
        *text += line + std::string(words.substr(0, end)) + "\n";
        line.assign(begin, ' ');
        words.remove_prefix(end + 1);
      }
      const std::string padding(widths[i] - DisplayWidth(words), ' ');
      const bool is_left = i == 0 || headings_[i].is_words;
      line += is_left ? Concat(words, padding, kSpaces) : Concat(padding, words, kSpaces);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    *text += line + "\n";
  };
  add_line([this](size_t i) { return std::string_view(headings_[i].text); });
  for (const std::vector<std::string>& row : rows_) {
    add_line([&row](size_t i) { return std::string_view(row[i]); });
  }
}

std::string TextColumns::Text(size_t indent, size_t width) const {
  const std::vector<size_t> widths = Widths();
  std::string text;
  for (const Columns& columns : Blocks(widths, width - std::min(indent, width))) {
    if (!text.empty()) text += "\n";
    AddBlock(columns, widths, indent, width, &text);
  }
  return text;
}

}  // namespace dynolith::lab
