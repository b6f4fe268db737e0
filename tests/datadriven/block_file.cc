#include "tests/datadriven/block_file.h"

#include <regex>
#include <sstream>

namespace dynolith::datadriven {
namespace {

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Replaces every `from` in `text`.
std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Numbered if something stands between the pieces.
std::string Repetition(const std::string& piece, int count, const std::string& separator) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    if (i > 0) out += separator;
    out += separator.empty() ? piece : Replaced(piece, "%", std::to_string(i));
  }
  return out;
}

}  // namespace

std::vector<Block> ReadBlocks(std::string_view text, std::string* fault) {
  const std::vector<std::string> lines = Lines(text);
  std::vector<Block> blocks;
  for (size_t i = 0; i < lines.size(); ++i) {
    Block block{.line = static_cast<int>(i) + 1};
    const std::string& first = lines[i];
    if (first.empty() || first[0] == '#' || first[0] == '!') {
      block.kind = first[0] == '!' ? Block::Kind::kCommand : Block::Kind::kVerbatim;
      block.text = first;
      blocks.push_back(block);
      continue;
    }
    block.kind = Block::Kind::kCall;
    block.operation = first;
    for (++i; i < lines.size() && lines[i] != "----"; ++i) {
      block.body += (block.body.empty() ? "" : "\n") + lines[i];
    }
    if (i == lines.size()) {
      *fault = "line " + std::to_string(block.line) + ": no ---- follows";
      return blocks;
    }
    for (++i; i < lines.size() && !lines[i].empty(); ++i) {
      block.expected += (block.expected.empty() ? "" : "\n") + lines[i];
    }
    --i;  // The blank line is a block of its own.
    blocks.push_back(block);
  }
  return blocks;
}

std::string PrintBlocks(const std::vector<Block>& blocks) {
  std::string out;
  for (const Block& block : blocks) {
    if (block.kind != Block::Kind::kCall) {
      out += block.text + "\n";
      continue;
    }
    out += block.operation + "\n";
    if (!block.body.empty()) out += block.body + "\n";
    out += "----\n" + block.expected + "\n";
  }
  return out;
}

std::string Expand(std::string_view text) {
  static const std::regex repetition(R"(@([^@]*)\*(\d+)(,| OR |)@)");
  std::string out;
  std::string rest(text);
  for (std::smatch match; std::regex_search(rest, match, repetition);) {
    out += match.prefix().str();
    out += Repetition(match[1].str(), std::stoi(match[2].str()), match[3].str());
    rest = match.suffix().str();
  }
  return out + rest;
}

}  // namespace dynolith::datadriven
