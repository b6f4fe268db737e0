#include "dynolith/typed_values.h"

#include <charconv>
#include <system_error>

#include "api/database/messages.h"
#include "engine/value/float_number.h"

namespace dynolith::value_internal {
namespace {

template <typename T>
absl::StatusOr<NumberBytes> EncodeText(T number) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number);
  if (error != std::errc()) return absl::InternalError(messages::NumberHasNoText());
  return EncodeNumber({text, static_cast<size_t>(end - text)});
}

}  // namespace

absl::StatusOr<NumberBytes> EncodeShortest(double number) { return EncodeText(number); }

absl::StatusOr<NumberBytes> EncodeShortest(float number) { return EncodeText(number); }

NumberBytes EncodeUnsigned(uint64_t number) { return *EncodeText(number); }

absl::StatusOr<float> ReadFloat(ValueView value) {
  if (const absl::Status status = CheckType(value, Type::kNumber); !status.ok()) return status;
  if (FitsFloat(value.number_bytes())) return NearestFloat(value.number_bytes());
  std::string text;
  AppendNumberText(value.number_bytes(), &text);
  return absl::OutOfRangeError(messages::NumberDoesNotFitFloat(text));
}

absl::Status WithoutValue() { return absl::InvalidArgumentError(messages::NoValue()); }

}  // namespace dynolith::value_internal
