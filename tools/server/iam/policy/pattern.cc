#include "tools/server/iam/policy/pattern.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"

namespace dynolith::iam {
namespace {

constexpr size_t kArnParts = 6;

char FoldedLetter(char character) {
  return absl::ascii_tolower(static_cast<unsigned char>(character));
}

// The position behind the UTF-8 character at `at`.
size_t NextCharacter(std::string_view text, size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

std::string_view WithoutSpaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

void Pattern::AddCharacter(char character) {
  if (pieces_.empty() || pieces_.back().kind != Kind::kLiteral) pieces_.push_back({});
  pieces_.back().text.push_back(character);
}

// `variable`: between the braces.
bool Pattern::AddVariable(std::string_view variable) {
  if (variable == "*" || variable == "?" || variable == "$") {
    AddCharacter(variable[0]);
    return true;
  }
  Piece piece{.kind = Kind::kVariable};
  const size_t comma = variable.find(',');
  piece.text = WithoutSpaces(variable.substr(0, comma));
  if (piece.text.empty()) return false;
  if (comma != std::string_view::npos) {
    const std::string_view quoted = WithoutSpaces(variable.substr(comma + 1));
    if (quoted.size() < 2 || quoted.front() != '\'' || quoted.back() != '\'') return false;
    piece.otherwise = std::string(quoted.substr(1, quoted.size() - 2));
  }
  pieces_.push_back(std::move(piece));
  return true;
}

std::optional<Pattern> Pattern::Parse(std::string_view text, const PatternRules& rules) {
  Pattern pattern;
  pattern.text_ = text;
  pattern.ignores_case_ = rules.ignores_case;
  for (size_t at = 0; at < text.size(); ++at) {
    if (rules.variables && text.substr(at).starts_with("${")) {
      const size_t close = text.find('}', at);
      if (close == std::string_view::npos) return std::nullopt;
      if (!pattern.AddVariable(text.substr(at + 2, close - at - 2))) return std::nullopt;
      at = close;
    } else if (rules.wildcards && (text[at] == '*' || text[at] == '?')) {
      pattern.pieces_.push_back({.kind = text[at] == '*' ? Kind::kRun : Kind::kOne});
    } else {
      pattern.AddCharacter(text[at]);
    }
  }
  return pattern;
}

std::optional<std::vector<Pattern::Glyph>> Pattern::Expand(const RequestContext& context) const {
  std::vector<Glyph> glyphs;
  const auto add = [&](std::string_view text) {
    for (const char c : text) glyphs.push_back({ignores_case_ ? FoldedLetter(c) : c});
  };
  for (const Piece& piece : pieces_) {
    if (piece.kind == Kind::kLiteral) {
      add(piece.text);
    } else if (piece.kind != Kind::kVariable) {
      glyphs.push_back({0, piece.kind});
    } else if (const auto* const values = context.Find(piece.text);
               values != nullptr && values->size() == 1) {
      add(values->front());
    } else if (piece.otherwise) {
      add(*piece.otherwise);
    } else {
      return std::nullopt;
    }
  }
  return glyphs;
}

// Linear in both for each run of characters: only the last run is ever lengthened.
bool Pattern::MatchesGlyphs(const Glyph* begin, const Glyph* end, std::string_view text) {
  size_t at = 0;
  const Glyph* glyph = begin;
  const Glyph* after_run = nullptr;
  size_t run_end = 0;
  while (at < text.size()) {
    if (glyph != end && glyph->kind == Kind::kRun) {
      after_run = ++glyph;
      run_end = at;
    } else if (glyph != end && glyph->kind == Kind::kOne) {
      at = NextCharacter(text, at);
      ++glyph;
    } else if (glyph != end && glyph->character == text[at]) {
      ++at;
      ++glyph;
    } else if (after_run != nullptr) {
      glyph = after_run;
      at = run_end = NextCharacter(text, run_end);
    } else {
      return false;
    }
  }
  return std::all_of(glyph, end, [](const Glyph& rest) { return rest.kind == Kind::kRun; });
}

bool Pattern::Matches(std::string_view text, const RequestContext& context) const {
  const std::optional<std::vector<Glyph>> glyphs = Expand(context);
  if (!glyphs) return false;
  const Glyph* const begin = glyphs->data();
  const Glyph* const end = begin + glyphs->size();
  if (!ignores_case_) return MatchesGlyphs(begin, end, text);
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(), FoldedLetter);
  return MatchesGlyphs(begin, end, folded);
}

bool Pattern::MatchesArn(std::string_view arn, const RequestContext& context) const {
  const std::optional<std::vector<Glyph>> glyphs = Expand(context);
  if (!glyphs) return false;
  if (glyphs->size() == 1 && glyphs->front().kind == Kind::kRun) return true;
  const Glyph* begin = glyphs->data();
  const Glyph* const all_end = begin + glyphs->size();
  for (size_t part = 0; part < kArnParts; ++part) {
    const bool is_last = part + 1 == kArnParts;
    const Glyph* end = is_last ? all_end : std::find_if(begin, all_end, [](const Glyph& glyph) {
      return glyph.kind == Kind::kLiteral && glyph.character == ':';
    });
    const size_t colon = is_last ? std::string_view::npos : arn.find(':');
    if (!MatchesGlyphs(begin, end, arn.substr(0, colon))) return false;
    if (is_last) return true;
    if (colon == std::string_view::npos) return false;
    arn.remove_prefix(colon + 1);
    // The missing parts are "*".
    if (end == all_end) return true;
    begin = end + 1;
  }
  return true;
}

}  // namespace dynolith::iam
