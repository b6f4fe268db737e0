#include "tools/migrate/item_changes.h"

#include <algorithm>
#include <string_view>

#include "engine/base/status_macros.h"
#include "engine/text/json_string.h"
#include "tools/files/excerpt/value_change.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::migrate {
namespace {

void AppendNumber(std::string_view text, std::string* out) {
  const absl::StatusOr<std::string> plain = excerpt::PlainNumber(text);
  AppendJsonString(plain.ok() ? std::string_view(*plain) : text, out);
}

// By name.
std::vector<const JsonTree::Member*> InOrder(const JsonTree& map) {
  std::vector<const JsonTree::Member*> members;
  for (const JsonTree::Member& member : map.members) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const auto* left, const auto* right) { return left->name < right->name; });
  return members;
}

void AppendValue(const JsonTree& value, std::string* out);

void AppendMap(const JsonTree& map, std::string* out) {
  *out += '{';
  for (const JsonTree::Member* const member : InOrder(map)) {
    AppendJsonString(member->name, out);
    *out += ':';
    AppendValue(member->value, out);
    *out += ',';
  }
  *out += '}';
}

void AppendSet(const JsonTree& set, bool is_of_numbers, std::string* out) {
  std::vector<std::string> elements;
  for (const JsonTree& element : set.elements) {
    std::string& text = elements.emplace_back();
    if (is_of_numbers) {
      AppendNumber(element.text, &text);
    } else {
      AppendJsonString(element.text, &text);
    }
  }
  std::sort(elements.begin(), elements.end());
  for (const std::string& element : elements) *out += element + ",";
}

// {"S": "…"}
void AppendValue(const JsonTree& value, std::string* out) {
  if (value.members.size() != 1) {
    *out += PrintJson(value);
    return;
  }
  const std::string_view type = value.members.front().name;
  const JsonTree& content = value.members.front().value;
  *out += type;
  if (type == "M") return AppendMap(content, out);
  if (type == "N") return AppendNumber(content.text, out);
  if (type == "SS" || type == "NS" || type == "BS") return AppendSet(content, type == "NS", out);
  if (type != "L") {
    *out += PrintJson(content);
    return;
  }
  for (const JsonTree& element : content.elements) {
    AppendValue(element, out);
    *out += ',';
  }
  *out += ';';
}

}  // namespace

JsonTree KeyOf(const excerpt::TableKeys& keys, const JsonTree& item) {
  JsonTree key = designs::MapTree();
  for (const std::string& name : keys.names) {
    if (const JsonTree* const value = item.Find(name)) designs::SetMember(&key, name, *value);
  }
  return key;
}

std::string CanonicalText(const JsonTree& item) {
  std::string text;
  AppendMap(item, &text);
  return text;
}

absl::StatusOr<std::unique_ptr<ItemChanges>> ItemChanges::Make(
    const excerpt::ExcerptOptions& options) {
  std::unique_ptr<excerpt::Excerpt> excerpt;
  if (!options.IsAll()) {
    DYNOLITH_ASSIGN_OR_RETURN(excerpt, excerpt::Excerpt::Make(options));
  }
  return std::unique_ptr<ItemChanges>(new ItemChanges(std::move(excerpt)));
}

absl::Status ItemChanges::CheckTable(const excerpt::TableKeys& keys) const {
  return excerpt_ == nullptr ? absl::OkStatus() : excerpt_->CheckTable(keys);
}

absl::StatusOr<std::optional<JsonTree>> ItemChanges::Change(const excerpt::TableKeys& keys,
                                                            JsonTree item) {
  if (excerpt_ == nullptr) return item;
  absl::MutexLock lock(&mutex_);
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_taken, excerpt_->Take(keys, &item));
  if (!is_taken) return std::nullopt;
  return item;
}

absl::StatusOr<std::optional<JsonTree>> ItemChanges::ChangeKey(const excerpt::TableKeys& keys,
                                                               JsonTree image) {
  if (excerpt_ == nullptr) return KeyOf(keys, image);
  absl::MutexLock lock(&mutex_);
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_taken, excerpt_->Take(keys, &image, /*is_key=*/true));
  if (!is_taken) return std::nullopt;
  return KeyOf(keys, image);
}

std::vector<excerpt::Excerpt::Doubt> ItemChanges::Doubts(bool is_whole) const {
  if (excerpt_ == nullptr) return {};
  absl::MutexLock lock(&mutex_);
  return excerpt_->Doubts(is_whole);
}

}  // namespace dynolith::migrate
