#include "tools/files/excerpt/value_pattern.h"

#include <algorithm>

namespace dynolith::excerpt {

std::optional<ValuePattern> ValuePattern::Parse(std::string_view text) {
  ValuePattern pattern;
  bool has_part = false;
  while (!text.empty()) {
    const bool is_part = text.starts_with("{}");
    if (!is_part && text.front() != '*') {
      const size_t end = std::min({text.find("{}"), text.find('*'), text.size()});
      pattern.pieces_.push_back({Kind::kLetters, std::string(text.substr(0, end))});
      text.remove_prefix(end);
      continue;
    }
    const bool is_first = pattern.pieces_.empty();
    if (!is_first && pattern.pieces_.back().kind != Kind::kLetters) return std::nullopt;
    pattern.pieces_.push_back({is_part ? Kind::kPart : Kind::kRest, ""});
    has_part |= is_part;
    text.remove_prefix(is_part ? 2 : 1);
  }
  return has_part ? std::optional(pattern) : std::nullopt;
}

std::optional<std::vector<TextPart>> ValuePattern::Fit(std::string_view text) const {
  std::vector<TextPart> parts;
  size_t at = 0;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (piece.kind == Kind::kLetters) {
      if (!text.substr(at).starts_with(piece.letters)) return std::nullopt;
      at += piece.letters.size();
      continue;
    }
    const size_t least = piece.kind == Kind::kPart ? 1 : 0;
    if (at + least > text.size()) return std::nullopt;
    size_t end = text.size();
    if (i + 1 < pieces_.size()) {
      const std::string& next = pieces_[i + 1].letters;
      // The last letters are those at the end.
      const bool is_last = i + 2 == pieces_.size();
      end = is_last ? text.rfind(next) : text.find(next, at + least);
      if (end == std::string_view::npos || end < at + least) return std::nullopt;
      if (is_last && end + next.size() != text.size()) return std::nullopt;
    }
    if (piece.kind == Kind::kPart) parts.push_back({at, end - at});
    at = end;
  }
  return at == text.size() ? std::optional(std::move(parts)) : std::nullopt;
}

}  // namespace dynolith::excerpt
