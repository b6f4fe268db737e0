#include "tools/lab/figures_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engine/base/strings.h"

namespace dynolith::lab {
namespace {

std::string Fixed(double number, int digits) {
  std::array<char, 400> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number,
                                          std::chars_format::fixed, digits);
  return {text.data(), end};
}

// With a comma before each three digits of the whole part.
std::string Grouped(std::string text) {
  const size_t point = std::min(text.find('.'), text.size());
  const size_t begin = text.starts_with('-') ? 1 : 0;
  for (size_t at = point; at > begin + 3;) text.insert(at -= 3, ",");
  return text;
}

// Characters, not bytes: names may be in any script.
size_t WidthOf(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string FigureText(double figure) {
  const double size = std::abs(figure);
  if (size == 0) return "–";
  if (size < 0.005) return "<0.01";
  return Grouped(Fixed(figure, size >= 99.95 ? 0 : size >= 0.995 ? 1 : 2));
}

std::string CountText(uint64_t count) { return Grouped(Concat(count)); }

std::string PartText(double part) {
  if (part >= 1) return "100 %";
  if (part <= 0) return "0 %";
  return Concat(Fixed(std::clamp(part * 100, 0.1, 99.9), 1), " %");
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

std::string TextColumns::Text(size_t indent) const {
  std::vector<size_t> widths(headings_.size(), 0);
  for (size_t i = 0; i < headings_.size(); ++i) {
    for (const std::vector<std::string>& row : rows_) {
      if (!row[i].empty())
        widths[i] = std::max({widths[i], WidthOf(row[i]), WidthOf(headings_[i].text)});
    }
  }
  std::string text;
  const auto add_line = [&](const auto& cell) {
    std::string line(indent, ' ');
    for (size_t i = 0; i < headings_.size(); ++i) {
      if (widths[i] == 0) continue;
      const std::string_view words = cell(i);
      const std::string padding(widths[i] - WidthOf(words), ' ');
      const bool is_left = i == 0 || headings_[i].is_words;
      line += is_left ? Concat(words, padding, "  ") : Concat(padding, words, "  ");
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([this](size_t i) { return std::string_view(headings_[i].text); });
  for (const std::vector<std::string>& row : rows_) {
    add_line([&row](size_t i) { return std::string_view(row[i]); });
  }
  return text;
}

}  // namespace dynolith::lab
