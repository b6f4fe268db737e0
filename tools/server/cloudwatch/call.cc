#include "tools/server/cloudwatch/call.h"

#include <utility>

#include "tools/server/cloudwatch/messages.h"

namespace dynolith::cloudwatch {

CallError InvalidValue(std::string message) {
  return {"InvalidParameterValueException", "InvalidParameterValue", 400, std::move(message)};
}
CallError InvalidCombination(std::string message) {
  return {"InvalidParameterCombinationException", "InvalidParameterCombination", 400,
          std::move(message)};
}
CallError MissingParameter(std::string message) {
  return {"MissingRequiredParameterException", "MissingParameter", 400, std::move(message)};
}
CallError ValidationFailed(std::string message) {
  return {"ValidationError", "ValidationError", 400, std::move(message)};
}
CallError BadNextToken() {
  return {"InvalidNextToken", "InvalidNextToken", 400, messages::CloudwatchNextToken()};
}
CallError AlarmNotFound(std::string message) {
  return {"ResourceNotFound", "ResourceNotFound", 404, std::move(message)};
}
CallError TooManyAlarms(std::string message) {
  return {"LimitExceededFault", "LimitExceeded", 400, std::move(message)};
}

CallError TooLarge(std::string message) {
  return {"RequestEntityTooLarge", "RequestEntityTooLarge", 413, std::move(message)};
}

const Value* Members::Required(std::string_view name) {
  const Value* const member = structure_.Find(name);
  if (member == nullptr) Fail(MissingParameter(messages::CloudwatchMissing(name)));
  return member;
}

std::string Members::Text(std::string_view name, size_t bytes_min, size_t bytes_max) {
  const Value* const member = Required(name);
  if (member == nullptr) return {};
  std::optional<std::string> text = member->AsText();
  if (!text) {
    Fail(ValidationFailed(messages::CloudwatchMalformed(name)));
    return {};
  }
  if (text->size() < bytes_min || text->size() > bytes_max) {
    Fail(ValidationFailed(messages::CloudwatchTextLength(name, bytes_min, bytes_max)));
  }
  return *std::move(text);
}

double Members::Number(std::string_view name) {
  const Value* const member = Required(name);
  if (member == nullptr) return 0;
  const std::optional<double> number = member->AsNumber();
  if (!number) Fail(ValidationFailed(messages::CloudwatchMalformed(name)));
  return number.value_or(0);
}

int64_t Members::Integer(std::string_view name, int64_t least, int64_t most) {
  const Value* const member = Required(name);
  if (member == nullptr) return least;
  return OptionalInteger(name, least, most).value_or(least);
}

absl::Time Members::Time(std::string_view name) {
  const Value* const member = Required(name);
  if (member == nullptr) return {};
  const std::optional<absl::Time> time = member->AsTime();
  if (!time) Fail(ValidationFailed(messages::CloudwatchMalformed(name)));
  return time.value_or(absl::Time());
}

std::optional<std::string> Members::OptionalText(std::string_view name, size_t bytes_max) {
  if (!Has(name)) return std::nullopt;
  return Text(name, 0, bytes_max);
}

std::optional<int64_t> Members::OptionalInteger(std::string_view name, int64_t least,
                                                int64_t most) {
  const Value* const member = structure_.Find(name);
  if (member == nullptr) return std::nullopt;
  const std::optional<int64_t> number = member->AsInteger();
  if (!number) {
    Fail(ValidationFailed(messages::CloudwatchMalformed(name)));
  } else if (*number < least || *number > most) {
    Fail(ValidationFailed(messages::CloudwatchNumberBounds(name, least, most)));
    return least;
  }
  return number;
}

std::optional<bool> Members::OptionalBool(std::string_view name) {
  const Value* const member = structure_.Find(name);
  if (member == nullptr) return std::nullopt;
  const std::optional<bool> flag = member->AsBool();
  if (!flag) Fail(ValidationFailed(messages::CloudwatchMalformed(name)));
  return flag;
}

const std::vector<Value>& Members::List(std::string_view name, size_t most) {
  static const std::vector<Value> kNothing;
  const Value* const member = structure_.Find(name);
  if (member == nullptr) return kNothing;
  // The query protocol writes an empty list so.
  if (member->kind == Value::Kind::kText && member->text.empty()) return kNothing;
  if (!member->is_list()) {
    Fail(ValidationFailed(messages::CloudwatchMalformed(name)));
    return kNothing;
  }
  if (member->elements.size() > most) {
    Fail(ValidationFailed(messages::CloudwatchListLength(name, most)));
    return kNothing;
  }
  return member->elements;
}

std::vector<std::string> Members::Texts(std::string_view name, size_t most, size_t bytes_max) {
  std::vector<std::string> texts;
  for (const Value& element : List(name, most)) {
    std::optional<std::string> text = element.AsText();
    if (!text) {
      Fail(ValidationFailed(messages::CloudwatchMalformed(name)));
      break;
    }
    if (text->empty() || text->size() > bytes_max) {
      Fail(ValidationFailed(messages::CloudwatchTextLength(name, 1, bytes_max)));
      break;
    }
    texts.push_back(*std::move(text));
  }
  return texts;
}

Dimensions Members::ReadDimensions(std::string_view name) {
  constexpr size_t kDimensionsMax = 30;
  Dimensions dimensions;
  for (const Value& element : List(name, kDimensionsMax)) {
    Members members(element, error_);
    std::string key = members.Text("Name");
    std::string value = members.Text("Value", 1, 1024);
    if (!ok()) break;
    dimensions.emplace_back(std::move(key), std::move(value));
  }
  return dimensions;
}

}  // namespace dynolith::cloudwatch
