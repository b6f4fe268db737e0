// Texts of tests in parts, each behind a line that begins with "=== ".
#ifndef DYNOLITH_TESTS_UNIT_TEXT_PARTS_H_
#define DYNOLITH_TESTS_UNIT_TEXT_PARTS_H_

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace dynolith::testing {

inline constexpr std::string_view kPartMark = "=== ";

// What stands behind the mark, and the lines below it.
struct TextPart {
  std::string head;
  std::string body;
};

inline std::string ReadTextFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// The first part has no head: it says what the text is about.
inline std::vector<TextPart> SplitParts(const std::string& text) {
  std::vector<TextPart> parts(1);
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(kPartMark)) {
      parts.push_back({line.substr(kPartMark.size()), ""});
    } else {
      parts.back().body += line + "\n";
    }
  }
  return parts;
}

inline std::string PrintParts(const std::vector<TextPart>& parts) {
  std::string text;
  for (const TextPart& part : parts) {
    if (!part.head.empty()) text += std::string(kPartMark) + part.head + "\n";
    text += part.body;
  }
  return text;
}

inline std::vector<std::string> SplitWords(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

// The *.txt of a folder.
inline std::set<std::filesystem::path> TextFiles(const std::filesystem::path& folder) {
  std::set<std::filesystem::path> texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") texts.insert(entry.path());
  }
  return texts;
}

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_TEXT_PARTS_H_
