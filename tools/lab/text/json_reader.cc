#include "tools/lab/text/json_reader.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/strings/numbers.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/lab/text/messages.h"

namespace dynolith::lab {
namespace {

constexpr int kDepthMax = 64;

bool IsNull(const JsonTree& value) {
  return value.kind == JsonTree::Kind::kOther && value.text == "null";
}

std::optional<double> ToNumber(const JsonTree& value) {
  double number = 0;
  if (value.kind != JsonTree::Kind::kOther || !absl::SimpleAtod(ToAbsl(value.text), &number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

void JsonErrors::Add(const JsonTree& at, std::string_view text) {
  if (!lines_.empty()) lines_ += '\n';
  lines_ += messages::LabErrorAt(file_, static_cast<int64_t>(at.line),
                                 static_cast<int64_t>(at.column), text);
}

absl::Status JsonErrors::status() const {
  return lines_.empty() ? absl::OkStatus() : absl::InvalidArgumentError(ToAbsl(lines_));
}

std::optional<JsonTree> ParseJsonObject(std::string_view text, JsonErrors* errors) {
  JsonLocation stopped;
  std::optional<JsonTree> tree = ParseJson(text, kDepthMax, &stopped);
  JsonTree at;
  at.line = stopped.line;
  at.column = stopped.column;
  if (!tree) {
    errors->Add(at, messages::LabJsonBroken());
  } else if (tree->kind != JsonTree::Kind::kMap) {
    errors->Add(*tree, messages::LabJsonNoObject());
    return std::nullopt;
  }
  return tree;
}

const JsonTree* JsonObject::Find(std::string_view name) const {
  const JsonTree* const found = tree_->Find(name);
  return found == nullptr || IsNull(*found) ? nullptr : found;
}

std::string JsonObject::MemberPath(std::string_view name) const {
  return path_.empty() ? std::string(name) : Concat(path_, ".", name);
}

void JsonObject::ErrorAt(std::string_view name, std::string_view text) const {
  const JsonTree* const found = Find(name);
  errors_->Add(found == nullptr ? *tree_ : *found, text);
}

std::string JsonObject::Text(std::string_view name) const {
  const JsonTree* const found = Find(name);
  if (found == nullptr) return "";
  if (found->kind == JsonTree::Kind::kString) return found->text;
  errors_->Add(*found, messages::LabWrongKind(MemberPath(name), "a text"));
  return "";
}

std::string JsonObject::NeededText(std::string_view name) const {
  const JsonTree* const found = Find(name);
  std::string text = Text(name);
  if (found == nullptr || (found->kind == JsonTree::Kind::kString && text.empty())) {
    Error(messages::LabJsonLacks(MemberPath(name)));
  }
  return text;
}

std::optional<double> JsonObject::Number(std::string_view name, double least) const {
  const JsonTree* const found = Find(name);
  if (found == nullptr) return std::nullopt;
  const std::optional<double> number = ToNumber(*found);
  if (number && *number >= least) return number;
  errors_->Add(*found, messages::LabNotANumber(MemberPath(name), least,
                                               std::numeric_limits<double>::infinity()));
  return std::nullopt;
}

std::vector<std::string> JsonObject::Texts(std::string_view name) const {
  const JsonTree* const found = Find(name);
  std::vector<std::string> texts;
  if (found == nullptr) return texts;
  bool is_fine = found->kind == JsonTree::Kind::kList;
  for (const JsonTree& element : found->elements) {
    is_fine = is_fine && element.kind == JsonTree::Kind::kString;
    texts.push_back(element.text);
  }
  if (!is_fine) errors_->Add(*found, messages::LabWrongKind(MemberPath(name), "a list of texts"));
  return texts;
}

std::vector<double> JsonObject::Numbers(std::string_view name) const {
  const JsonTree* const found = Find(name);
  std::vector<double> numbers;
  if (found == nullptr) return numbers;
  bool is_fine = found->kind == JsonTree::Kind::kList;
  for (const JsonTree& element : found->elements) {
    const std::optional<double> number = ToNumber(element);
    is_fine = is_fine && number && *number >= 0;
    numbers.push_back(number.value_or(0));
  }
  if (!is_fine) {
    errors_->Add(*found, messages::LabWrongKind(MemberPath(name), "a list of numbers"));
  }
  return numbers;
}

std::optional<JsonObject> JsonObject::Object(std::string_view name) const {
  const JsonTree* const found = Find(name);
  if (found == nullptr) return std::nullopt;
  if (found->kind == JsonTree::Kind::kMap) return JsonObject(*found, MemberPath(name), errors_);
  errors_->Add(*found, messages::LabWrongKind(MemberPath(name), "an object"));
  return std::nullopt;
}

std::vector<JsonObject> JsonObject::Objects(std::string_view name) const {
  const JsonTree* const found = Find(name);
  std::vector<JsonObject> objects;
  if (found == nullptr) return objects;
  if (found->kind != JsonTree::Kind::kList) {
    errors_->Add(*found, messages::LabWrongKind(MemberPath(name), "a list of objects"));
  }
  for (size_t i = 0; i < found->elements.size(); ++i) {
    const JsonTree& element = found->elements[i];
    const std::string path = Concat(MemberPath(name), "[", i, "]");
    if (element.kind == JsonTree::Kind::kMap) {
      objects.emplace_back(element, path, errors_);
    } else {
      errors_->Add(element, messages::LabWrongKind(path, "an object"));
    }
  }
  return objects;
}

std::string JsonObject::Choice(std::string_view name, const std::vector<std::string>& words) const {
  if (!Has(name)) return words.front();
  std::string word = Text(name);
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  ErrorAt(name, messages::LabNotAmong(MemberPath(name), word, words, NearestWord(word, words)));
  return words.front();
}

}  // namespace dynolith::lab
