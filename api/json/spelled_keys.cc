#include "api/json/spelled_keys.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/model/members.h"
#include "engine/value/equal_items.h"

namespace dynolith {
namespace {

// The texts of a key's numbers, by attribute.
std::map<std::string_view, std::string_view> NumberTexts(JsonValue key) {
  std::map<std::string_view, std::string_view> texts;
  for (const auto field : AsObject(key)) {
    if (field.value.is_null()) continue;
    const Fields value(members::AttributeValue::kShape, field.value);
    if (value.Has(members::AttributeValue::kN)) {
      texts[field.key] = value.Text(members::AttributeValue::kN);
    }
  }
  return texts;
}

class KeyList {
 public:
  explicit KeyList(std::vector<Item>* keys) : keys_(keys) {}

  void Add(JsonValue json, Item key) {
    const auto [first, last] = seen_.equal_range(std::string(key.bytes()));
    bool repeats = first == last;
    for (auto it = first; it != last; ++it) {
      repeats = repeats || NumberTexts(it->second) == NumberTexts(json);
    }
    seen_.emplace(std::string(key.bytes()), json);
    if (repeats) keys_->push_back(std::move(key));
  }

 private:
  std::vector<Item>* keys_;
  std::unordered_multimap<std::string, JsonValue> seen_;
};

}  // namespace

void ReadSpelledKeys(JsonValue list, ValueReader* values, absl::Status* violation,
                     std::vector<Item>* keys) {
  const JsonArray all = AsArray(list);
  keys->reserve(all.size());
  for (const JsonValue key : all) keys->push_back(values->ReadItem(key, violation));
  if (!HasEqualItems(*keys)) return;

  std::vector<Item> read;
  read.swap(*keys);
  KeyList kept(keys);
  size_t i = 0;
  for (const JsonValue key : all) kept.Add(key, std::move(read[i++]));
}

}  // namespace dynolith
