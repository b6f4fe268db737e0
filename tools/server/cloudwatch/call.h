// One call of CloudWatch: its members, checked, and its errors.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_CALL_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_CALL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "tools/server/cloudwatch/metric.h"
#include "tools/server/cloudwatch/value.h"

namespace dynolith::cloudwatch {

// An error of the service. `shape` is the exception's name, `code` the one of the query protocol.
struct CallError {
  std::string_view shape;
  std::string_view code;
  int http_status = 400;
  std::string message;
};
CallError InvalidValue(std::string message);
CallError InvalidCombination(std::string message);
CallError MissingParameter(std::string message);
CallError ValidationFailed(std::string message);
CallError BadNextToken();
CallError AlarmNotFound(std::string message);
CallError TooManyAlarms(std::string message);
CallError TooLarge(std::string message);

// What a call answers: an output, or an error.
using CallResult = std::variant<Value, CallError>;

// Reads members of a structure; the first one that is wrong becomes the error, and what is read
// after it is empty.
class Members {
 public:
  // Borrows both. `error`: of all readers of a call.
  Members(const Value& structure, std::optional<CallError>* error)
      : structure_(structure), error_(error) {}

  bool Has(std::string_view name) const { return structure_.Find(name) != nullptr; }
  // Required ones; with the bounds of their length.
  std::string Text(std::string_view name, size_t bytes_min = 1, size_t bytes_max = 255);
  double Number(std::string_view name);
  int64_t Integer(std::string_view name, int64_t least, int64_t most);
  absl::Time Time(std::string_view name);
  // Those that may be absent.
  std::optional<std::string> OptionalText(std::string_view name, size_t bytes_max = 255);
  std::optional<int64_t> OptionalInteger(std::string_view name, int64_t least, int64_t most);
  std::optional<bool> OptionalBool(std::string_view name);
  // The elements of a list, which may be absent.
  const std::vector<Value>& List(std::string_view name, size_t most);
  std::vector<std::string> Texts(std::string_view name, size_t most, size_t bytes_max = 1024);
  Dimensions ReadDimensions(std::string_view name);

  bool ok() const { return !error_->has_value(); }
  void Fail(CallError error) {
    if (ok()) *error_ = std::move(error);
  }

 private:
  const Value* Required(std::string_view name);

  const Value& structure_;
  std::optional<CallError>* const error_;
};

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_CALL_H_
