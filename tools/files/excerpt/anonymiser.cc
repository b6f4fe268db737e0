#include "tools/files/excerpt/anonymiser.h"

#include <algorithm>
#include <optional>

#include "absl/status/statusor.h"
#include "api/remote/signature.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/files/excerpt/messages.h"
#include "tools/files/excerpt/value_change.h"

namespace dynolith::excerpt {
namespace {

// Shorter ones stand in other texts by chance.
constexpr size_t kTextToFindMin = 5;

// More attributes than these are not named; names may be data, too.
constexpr size_t kLeftMax = 100;

// The table's own key of an item, for people.
std::string KeyText(const TableKeys& keys, const JsonTree& item) {
  JsonTree key = designs::MapTree();
  for (const std::string& name : keys.names) {
    if (const JsonTree* const value = item.Find(name)) designs::SetMember(&key, name, *value);
  }
  return PrintJson(key);
}

uint64_t KeyHash(const TableKeys& keys, const JsonTree& item) {
  std::string text;
  for (const std::string& name : keys.names) {
    const JsonTree* const value = item.Find(name);
    const JsonTree* const content = value == nullptr ? nullptr : ContentOfValue(*value);
    if (content == nullptr) continue;
    const absl::StatusOr<std::string> number =
        TypeOfValue(*value) == "N" ? PlainNumber(content->text) : content->text;
    text += Concat(number.ok() ? *number : content->text, '\0');
  }
  const http::Digest digest = http::Sha256(text);
  uint64_t hash = 0;
  for (size_t i = 0; i < sizeof(hash); ++i) hash = hash << 8 | digest[i];
  return hash;
}

// Whether `text` stands in a name or a text of the value.
bool HasText(const JsonTree& value, std::string_view text) {
  if (value.kind == JsonTree::Kind::kString) return value.text.find(text) != std::string::npos;
  return std::any_of(value.elements.begin(), value.elements.end(),
                     [&](const JsonTree& element) { return HasText(element, text); }) ||
         std::any_of(value.members.begin(), value.members.end(), [&](const auto& member) {
           return member.name.find(text) != std::string::npos || HasText(member.value, text);
         });
}

// The text of the first value at a path; empty: there is none.
std::string TextAt(const AttributePath& path, JsonTree item) {
  std::string text;
  const absl::Status found = path.ForEach(&item, [&](JsonTree* value) {
    const JsonTree* const content = ContentOfValue(*value);
    text = content->kind == JsonTree::Kind::kString ? content->text : PrintJson(*value);
    return absl::CancelledError();
  });
  return found.ok() ? "" : text;
}

// Takes out values, which are known by where they are: those within others first.
void Remove(const std::set<const JsonTree*>& values, JsonTree* tree) {
  for (JsonTree& element : tree->elements) Remove(values, &element);
  for (auto& member : tree->members) Remove(values, &member.value);
  tree->elements.erase(
      std::remove_if(tree->elements.begin(), tree->elements.end(),
                     [&](const JsonTree& element) { return values.count(&element) > 0; }),
      tree->elements.end());
  tree->members.erase(
      std::remove_if(tree->members.begin(), tree->members.end(),
                     [&](const auto& member) { return values.count(&member.value) > 0; }),
      tree->members.end());
}

}  // namespace

Anonymiser::Anonymiser(Rules rules) : rules_(std::move(rules)) {
  for (const Rule& rule : rules_.rules) {
    for (const AttributePath& path : rule.attributes) places_.push_back({&rule, &path});
  }
}

std::string Anonymiser::Name(const Place& place) {
  return messages::ExcerptRule(place.rule->line, place.rule->title, place.path->text());
}

absl::Status Anonymiser::CheckTable(const TableKeys& keys) const {
  for (const Place& place : places_) {
    const Rule& rule = *place.rule;
    const auto key = keys.types.find(std::string(place.path->attribute()));
    if (!rule.IsFor(keys.table) || key == keys.types.end()) continue;
    const auto& [attribute, type] = *key;
    const bool is_gone = rule.kind == RuleKind::kNull || rule.kind == RuleKind::kDrop;
    const bool is_other =
        rule.kind == RuleKind::kRedact && rule.patterns.empty() && TypeOfValue(rule.value) != type;
    if (!is_gone && !is_other && IsForType(rule, type)) continue;
    const std::string reason = is_gone    ? messages::ExcerptKeyGone(attribute)
                               : is_other ? messages::ExcerptKeyType(attribute, type)
                                          : messages::ExcerptWrongType(type);
    return absl::InvalidArgumentError(messages::ExcerptTable(keys.table, Name(place), reason));
  }
  return absl::OkStatus();
}

absl::Status Anonymiser::Change(const TableKeys& keys, JsonTree* item) {
  const JsonTree before = *item;
  Changes changes;
  for (Place& place : places_) {
    if (!place.rule->IsFor(keys.table)) continue;
    const std::optional<AttributePath>& by = place.rule->by;
    const absl::Status applied = Apply(&place, by ? TextAt(*by, before) : "", item, &changes);
    if (applied.ok()) continue;
    return absl::InvalidArgumentError(
        messages::ExcerptItem(KeyText(keys, before), Name(place), MessageOf(applied)));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckKeys(keys, before, *item, changes));
  DYNOLITH_RETURN_IF_ERROR(CheckDistinct(keys, before, *item));
  std::set<const JsonTree*> dropped;
  for (const auto& [value, changed] : changes) {
    if (changed.place->rule->kind == RuleKind::kDrop) dropped.insert(value);
  }
  if (!dropped.empty()) Remove(dropped, item);
  FindLeft(KeyText(keys, before), *item, changes);
  return absl::OkStatus();
}

absl::Status Anonymiser::Apply(Place* place, std::string_view shift_by, JsonTree* item,
                               Changes* changes) {
  return place->path->ForEach(item, [&](JsonTree* value) -> absl::Status {
    if (changes->count(value) > 0) return absl::OkStatus();
    std::vector<std::string> before;
    DYNOLITH_ASSIGN_OR_RETURN(const bool fits,
                              ChangeValue(rules_, *place->rule, shift_by, value, &before));
    if (!fits && place->rule->must_fit) {
      return absl::InvalidArgumentError(messages::ExcerptFitsNone(PrintJson(*value)));
    }
    if (!fits) return absl::OkStatus();
    place->has_matched = true;
    changes->emplace(value, Changed{place, std::move(before)});
    return absl::OkStatus();
  });
}

absl::Status Anonymiser::CheckKeys(const TableKeys& keys, const JsonTree& before,
                                   const JsonTree& item, const Changes& changes) {
  for (const auto& [attribute, type] : keys.types) {
    const JsonTree* const value = item.Find(attribute);
    const auto changed = changes.find(value);
    if (changed == changes.end() || TypeOfValue(*before.Find(attribute)) != type) continue;
    const Place& place = *changed->second.place;
    std::string reason;
    if (place.rule->kind == RuleKind::kDrop || place.rule->kind == RuleKind::kNull) {
      reason = messages::ExcerptKeyGone(attribute);
    } else if (TypeOfValue(*value) != type) {
      reason = messages::ExcerptKeyType(attribute, type);
    } else if (ContentOfValue(*value)->text.empty()) {
      reason = messages::ExcerptKeyEmpty(attribute);
    }
    if (reason.empty()) continue;
    return absl::InvalidArgumentError(
        messages::ExcerptItem(KeyText(keys, before), Name(place), reason));
  }
  return absl::OkStatus();
}

const Anonymiser::Place* Anonymiser::PlaceInKey(const TableKeys& keys) const {
  const auto in_key = std::find_if(places_.begin(), places_.end(), [&](const Place& place) {
    const std::string& path = place.path->text();
    const bool is_key = std::find(keys.names.begin(), keys.names.end(), place.path->attribute()) !=
                        keys.names.end();
    return place.rule->IsFor(keys.table) && (is_key || path == "*");
  });
  return in_key == places_.end() ? nullptr : &*in_key;
}

absl::Status Anonymiser::CheckDistinct(const TableKeys& keys, const JsonTree& before,
                                       const JsonTree& item) {
  const Place* const place = PlaceInKey(keys);
  if (place == nullptr) return absl::OkStatus();
  const uint64_t old_hash = KeyHash(keys, before);
  const auto [known, is_new] = keys_[keys.table].emplace(KeyHash(keys, item), old_hash);
  if (is_new || known->second == old_hash) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::ExcerptItem(
      KeyText(keys, before), Name(*place), messages::ExcerptKeyTaken(KeyText(keys, item))));
}

void Anonymiser::FindLeft(const std::string& title, const JsonTree& item, const Changes& changes) {
  for (const auto& [value, changed] : changes) {
    for (const std::string& text : changed.before) {
      if (text.size() < kTextToFindMin) continue;
      for (const auto& [attribute, left] : item.members) {
        const auto key = std::pair(changed.place, attribute);
        const bool is_known = left_.size() >= kLeftMax || left_.count(key) > 0;
        if (is_known || !HasText(left, text)) continue;
        left_.insert(key);
        doubts_.push_back({changed.place->rule->line,
                           messages::ExcerptStillThere(Name(*changed.place), attribute, title)});
      }
    }
  }
}

std::vector<Anonymiser::Doubt> Anonymiser::Doubts(bool is_whole) const {
  std::vector<Doubt> doubts = doubts_;
  for (const Place& place : places_) {
    if (!is_whole || place.has_matched) continue;
    doubts.push_back({place.rule->line, messages::ExcerptNeverMatched(Name(place))});
  }
  return doubts;
}

}  // namespace dynolith::excerpt
