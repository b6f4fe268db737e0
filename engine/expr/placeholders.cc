#include "engine/expr/placeholders.h"

#include <algorithm>
#include <numeric>

#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/expr/lexer.h"
#include "engine/expr/messages.h"

namespace dynolith {
namespace {

// The position of `name` in the map, or its size if it is not there.
size_t FindPlaceholder(ItemView map, std::string_view name) {
  size_t low = 0;
  size_t high = map.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const int order = map.name(middle).compare(name);
    if (order == 0) return middle;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return map.size();
}

bool IsTooLong(std::string_view key, char sigil) {
  return key.size() > kPlaceholderBytesMax && key[0] == sigil;
}

void AppendKey(std::string_view key, std::string* keys) {
  if (!keys->empty()) keys->append(", ");
  keys->append(key);
}

}  // namespace

std::string_view ExpressionName(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::kUpdate:
      return "UpdateExpression";
    case ExpressionKind::kCondition:
      return "ConditionExpression";
    case ExpressionKind::kKeyCondition:
      return "KeyConditionExpression";
    case ExpressionKind::kFilter:
      return "FilterExpression";
    case ExpressionKind::kProjection:
      return "ProjectionExpression";
    case ExpressionKind::kSearchCondition:
      return "SearchConditionExpression";
  }
  return {};
}

Placeholders::Placeholders(const AttributeNames* names, const Item* values)
    : names_(names),
      values_(values),
      used_names_(names ? names->size() : 0),
      used_values_(values ? values->size() : 0) {
  if (names == nullptr) return;
  names_by_key_.resize(used_names_.size());
  std::iota(names_by_key_.begin(), names_by_key_.end(), 0);
  std::stable_sort(names_by_key_.begin(), names_by_key_.end(), [&](uint32_t left, uint32_t right) {
    return (*names)[left].first < (*names)[right].first;
  });
}

absl::Status Placeholders::Check() const {
  if (names_ != nullptr) {
    if (names_->empty()) return ValidationError(messages::NamesEmpty());
    for (const auto& [key, name] : *names_) {
      if (IsTooLong(key, '#')) return ValidationError(messages::NamePlaceholderTooLong());
      if (!IsPlaceholder(key, '#')) return ValidationError(messages::InvalidNamePlaceholder(key));
      if (name.empty()) return ValidationError(messages::EmptyNameBehindPlaceholder(key));
    }
  }
  if (values_ != nullptr) {
    const ItemView values = values_->view();
    if (values.empty()) return ValidationError(messages::ValuesEmpty());
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string_view key = values.name(i);
      if (IsTooLong(key, ':')) return ValidationError(messages::ValuePlaceholderTooLong());
      if (!IsPlaceholder(key, ':')) return ValidationError(messages::InvalidValuePlaceholder(key));
    }
  }
  return absl::OkStatus();
}

std::optional<std::string_view> Placeholders::UseName(std::string_view placeholder) {
  const auto found = std::lower_bound(
      names_by_key_.begin(), names_by_key_.end(), placeholder,
      [&](uint32_t position, std::string_view key) { return (*names_)[position].first < key; });
  if (found == names_by_key_.end() || (*names_)[*found].first != placeholder) return std::nullopt;
  used_names_[*found] = true;
  return (*names_)[*found].second;
}

std::optional<ValueView> Placeholders::UseValue(std::string_view placeholder) {
  if (values_ == nullptr) return std::nullopt;
  const ItemView values = values_->view();
  const size_t position = FindPlaceholder(values, placeholder);
  if (position == values.size()) return std::nullopt;
  used_values_[position] = true;
  return values.value(position);
}

absl::Status Placeholders::CheckAllUsed() const {
  std::string unused;
  for (size_t i = 0; i < used_names_.size(); ++i) {
    if (!used_names_[i]) AppendKey((*names_)[i].first, &unused);
  }
  if (!unused.empty()) return ValidationError(messages::UnusedNames(unused));
  for (size_t i = 0; i < used_values_.size(); ++i) {
    if (!used_values_[i]) AppendKey(values_->view().name(i), &unused);
  }
  if (!unused.empty()) return ValidationError(messages::UnusedValues(unused));
  return absl::OkStatus();
}

}  // namespace dynolith
