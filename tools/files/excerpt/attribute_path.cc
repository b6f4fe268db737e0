#include "tools/files/excerpt/attribute_path.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "engine/base/status_macros.h"

namespace dynolith::excerpt {
namespace {

constexpr std::string_view kSigns = ".[]\"*";

// The name in quotes at the beginning of `text`, which goes on behind it.
std::optional<std::string> TakeQuoted(std::string_view* text) {
  std::string name;
  for (size_t i = 1; i < text->size(); ++i) {
    if ((*text)[i] != '"') {
      name += (*text)[i];
    } else if (i + 1 < text->size() && (*text)[i + 1] == '"') {
      name += (*text)[i++];
    } else {
      text->remove_prefix(i + 1);
      return name.empty() ? std::nullopt : std::optional(name);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view TypeOfValue(const JsonTree& value) {
  const bool is_one = value.kind == JsonTree::Kind::kMap && value.members.size() == 1;
  return is_one ? std::string_view(value.members.front().name) : std::string_view();
}
const JsonTree* ContentOfValue(const JsonTree& value) {
  return TypeOfValue(value).empty() ? nullptr : &value.members.front().value;
}
JsonTree* ContentOfValue(JsonTree* value) {
  return TypeOfValue(*value).empty() ? nullptr : &value->members.front().value;
}

std::optional<AttributePath> AttributePath::Parse(std::string_view text) {
  AttributePath path;
  path.text_ = text;
  for (bool is_name = true; !text.empty() || is_name;) {
    Step step;
    if (!is_name && text.starts_with('[')) {
      text.remove_prefix(1);
      step.is_element = true;
      step.is_any = text.starts_with('*');
      const auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size(), step.element);
      if (!step.is_any && error != std::errc()) return std::nullopt;
      text.remove_prefix(step.is_any ? 1 : static_cast<size_t>(end - text.data()));
      if (!text.starts_with(']')) return std::nullopt;
      text.remove_prefix(1);
    } else if (!is_name) {
      return std::nullopt;
    } else if (text.starts_with('"')) {
      std::optional<std::string> name = TakeQuoted(&text);
      if (!name) return std::nullopt;
      step.name = *std::move(name);
    } else if (text.starts_with('*')) {
      step.is_any = true;
      text.remove_prefix(1);
    } else {
      step.name = text.substr(0, text.find_first_of(kSigns));
      if (step.name.empty()) return std::nullopt;
      text.remove_prefix(step.name.size());
    }
    path.steps_.push_back(std::move(step));
    is_name = text.starts_with('.');
    if (is_name) text.remove_prefix(1);
  }
  return path;
}

std::string_view AttributePath::attribute() const {
  return steps_.size() == 1 ? std::string_view(steps_.front().name) : std::string_view();
}

absl::Status AttributePath::ForEach(JsonTree* item, Visit visit) const {
  return VisitNames(item, 0, visit);
}

absl::Status AttributePath::VisitNames(JsonTree* names, size_t step, Visit visit) const {
  for (auto& [name, value] : names->members) {
    if (!steps_[step].is_any && name != steps_[step].name) continue;
    DYNOLITH_RETURN_IF_ERROR(VisitValue(&value, step + 1, visit));
  }
  return absl::OkStatus();
}

absl::Status AttributePath::VisitValue(JsonTree* value, size_t step, Visit visit) const {
  JsonTree* const content = ContentOfValue(value);
  if (content == nullptr) return absl::OkStatus();
  if (step == steps_.size()) return visit(value);
  const std::string_view type = TypeOfValue(*value);
  if (!steps_[step].is_element) {
    return type == "M" ? VisitNames(content, step, visit) : absl::OkStatus();
  }
  if (type != "L") return absl::OkStatus();
  const size_t size = content->elements.size();
  const size_t begin = steps_[step].is_any ? 0 : std::min(steps_[step].element, size);
  const size_t end = steps_[step].is_any ? size : std::min(begin + 1, size);
  for (size_t i = begin; i < end; ++i) {
    DYNOLITH_RETURN_IF_ERROR(VisitValue(&content->elements[i], step + 1, visit));
  }
  return absl::OkStatus();
}

}  // namespace dynolith::excerpt
