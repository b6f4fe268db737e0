#include "engine/expr/bound_terms.h"

#include <optional>

#include "engine/expr/messages.h"

namespace dynolith {

BoundTerms::BoundTerms(const ParsedTerms& parsed, Placeholders* placeholders) : parsed_(parsed) {
  if (!parsed.names.empty()) own_paths_ = parsed.paths;
  for (uint32_t i = 0; i < parsed.names.size(); ++i) {
    const NamePlaceholder& place = parsed.names[i];
    if (const auto name = placeholders->UseName(place.text)) {
      own_paths_[place.path].Rename(place.element, *name);
    } else {
      undefined_names_.push_back(i);
    }
  }
  values_.reserve(parsed.values.size());
  for (uint32_t i = 0; i < parsed.values.size(); ++i) {
    const std::optional<ValueView> value = placeholders->UseValue(parsed.values[i].text);
    if (!value) undefined_values_.push_back(i);
    values_.push_back(value.value_or(ValueView::Unchecked({})));
  }
}

absl::Status BoundTerms::CheckNames(uint32_t begin, uint32_t end) const {
  for (const uint32_t i : undefined_names_) {
    const NamePlaceholder& place = parsed_.names[i];
    if (begin <= place.term && place.term < end) {
      return Invalid(messages::UndefinedName(place.text));
    }
  }
  return absl::OkStatus();
}

absl::Status BoundTerms::CheckValues(uint32_t begin, uint32_t end) const {
  for (const uint32_t i : undefined_values_) {
    const ValuePlaceholder& place = parsed_.values[i];
    if (begin <= place.term && place.term < end) {
      return Invalid(messages::UndefinedValue(place.text));
    }
  }
  return absl::OkStatus();
}

}  // namespace dynolith
