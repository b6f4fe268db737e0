#include "tools/files/templates/template_functions.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/templates/messages.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;
using Result = std::optional<JsonTree>;

constexpr int kCidrCountMax = 256;
constexpr size_t kAddressBytesMax = 16;

Result Malformed(std::string_view function, std::string* error) {
  *error = messages::TemplateMalformed(function);
  return std::nullopt;
}

Result Base64(const JsonTree& argument, std::string* error) {
  if (!IsScalar(argument)) return Malformed("Fn::Base64", error);
  return TextTree(absl::Base64Escape(argument.text));
}

Result Join(const JsonTree& argument, std::string* error) {
  const bool is_pair = argument.elements.size() == 2 && IsScalar(argument.elements[0]) &&
                       argument.elements[1].kind == Kind::kList;
  if (!is_pair) return Malformed("Fn::Join", error);
  std::string text;
  bool is_first = true;
  for (const JsonTree& part : argument.elements[1].elements) {
    if (!IsScalar(part)) return Malformed("Fn::Join", error);
    if (!is_first) text += argument.elements[0].text;
    is_first = false;
    text += part.text;
  }
  return TextTree(text);
}

Result Length(const JsonTree& argument, std::string* error) {
  if (argument.kind != Kind::kList) return Malformed("Fn::Length", error);
  return WordTree(std::to_string(argument.elements.size()));
}

Result Select(const JsonTree& argument, std::string* error) {
  size_t index = 0;
  const bool is_pair = argument.elements.size() == 2 && argument.elements[1].kind == Kind::kList &&
                       absl::SimpleAtoi(argument.elements[0].text, &index);
  if (!is_pair) return Malformed("Fn::Select", error);
  const std::vector<JsonTree>& list = argument.elements[1].elements;
  if (index >= list.size()) {
    *error = messages::TemplateNoElement(argument.elements[0].text, list.size());
    return std::nullopt;
  }
  return list[index];
}

Result Split(const JsonTree& argument, std::string* error) {
  const bool is_pair = argument.elements.size() == 2 && IsScalar(argument.elements[0]) &&
                       !argument.elements[0].text.empty() && IsScalar(argument.elements[1]);
  if (!is_pair) return Malformed("Fn::Split", error);
  const std::string& delimiter = argument.elements[0].text;
  std::string_view rest = argument.elements[1].text;
  JsonTree parts = ListTree();
  for (size_t at = rest.find(delimiter); at != std::string_view::npos; at = rest.find(delimiter)) {
    parts.elements.push_back(TextTree(rest.substr(0, at)));
    rest.remove_prefix(at + delimiter.size());
  }
  parts.elements.push_back(TextTree(rest));
  return parts;
}

Result ToJsonString(const JsonTree& argument, std::string* error) {
  if (IsScalar(argument)) return Malformed("Fn::ToJsonString", error);
  return TextTree(PrintJson(argument));
}

// A block of addresses such as "10.0.0.0/16": the bytes of the network's address, highest first.
struct Block {
  std::array<uint8_t, kAddressBytesMax> bytes = {};
  int family = AF_INET;
  int bits = 0;    // of an address
  int prefix = 0;  // of the network
};

std::optional<Block> ReadBlock(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  Block block;
  block.family = text.find(':') == std::string::npos ? AF_INET : AF_INET6;
  block.bits = block.family == AF_INET ? 32 : 128;
  const bool is_read =
      inet_pton(block.family, text.substr(0, slash).c_str(), block.bytes.data()) == 1 &&
      absl::SimpleAtoi(text.substr(slash + 1), &block.prefix) && block.prefix >= 0 &&
      block.prefix <= block.bits;
  if (!is_read) return std::nullopt;
  for (int bit = block.prefix; bit < block.bits; ++bit) {
    block.bytes[static_cast<size_t>(bit / 8)] &= static_cast<uint8_t>(~(0x80 >> bit % 8));
  }
  return block;
}

std::string PrintBlock(const Block& block, int prefix) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  inet_ntop(block.family, block.bytes.data(), text.data(), text.size());
  return Concat(std::string_view(text.data()), "/", prefix);
}

// Advances to the next network with this prefix length.
void Advance(int prefix, Block* block) {
  for (int bit = prefix - 1; bit >= 0; --bit) {
    uint8_t& byte = block->bytes[static_cast<size_t>(bit / 8)];
    const auto mask = static_cast<uint8_t>(0x80 >> bit % 8);
    byte ^= mask;
    if ((byte & mask) != 0) return;
  }
}

Result Cidr(const JsonTree& argument, std::string* error) {
  int count = 0;
  int bits = 0;
  const bool is_read = argument.elements.size() == 3 &&
                       absl::SimpleAtoi(argument.elements[1].text, &count) &&
                       absl::SimpleAtoi(argument.elements[2].text, &bits);
  std::optional<Block> block =
      is_read ? ReadBlock(argument.elements[0].text) : std::optional<Block>();
  if (!block || count < 1 || count > kCidrCountMax || bits < 1) return Malformed("Fn::Cidr", error);
  const int prefix = block->bits - bits;
  // Checks that the block contains `count` networks.
  const int room = prefix - block->prefix;
  if (room < 0 || (room < 9 && count > 1 << room)) return Malformed("Fn::Cidr", error);
  JsonTree list = ListTree();
  for (int i = 0; i < count; ++i) {
    list.elements.push_back(TextTree(PrintBlock(*block, prefix)));
    Advance(prefix, &*block);
  }
  return list;
}

struct NamedFunction {
  std::string_view name;
  TemplateFunction function;
};
constexpr NamedFunction kFunctions[] = {{"Base64", Base64},
                                        {"Cidr", Cidr},
                                        {"Join", Join},
                                        {"Length", Length},
                                        {"Select", Select},
                                        {"Split", Split},
                                        {"ToJsonString", ToJsonString}};

// The names of all functions, including those that need more than their argument.
const std::vector<std::string>& FunctionNames() {
  static const std::vector<std::string> names = {
      "Base64",       "Cidr",   "FindInMap", "ForEach",   "GetAtt", "GetAZs",   "If",
      "ImportValue",  "Join",   "Length",    "Select",    "Split",  "Sub",      "ToJsonString",
      "Transform",    "And",    "Equals",    "Not",       "Or",     "Contains", "EachMemberEquals",
      "EachMemberIn", "RefAll", "ValueOf",   "ValueOfAll"};
  return names;
}
constexpr std::string_view kRuleFunctions[] = {"Contains", "EachMemberEquals", "EachMemberIn",
                                               "RefAll",   "ValueOf",          "ValueOfAll"};

}  // namespace

TemplateFunction FindTemplateFunction(std::string_view name) {
  for (const NamedFunction& known : kFunctions) {
    if (known.name == name) return known.function;
  }
  return nullptr;
}

bool IsExtension(std::string_view name) {
  return name == "Length" || name == "ToJsonString" || name == "ForEach";
}

bool IsRuleFunction(std::string_view name) {
  return std::find(std::begin(kRuleFunctions), std::end(kRuleFunctions), name) !=
         std::end(kRuleFunctions);
}

std::string NearestFunction(std::string_view name) { return NearestWord(name, FunctionNames()); }

bool IsFunctionName(std::string_view name) {
  const std::vector<std::string>& names = FunctionNames();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace dynolith::designs
