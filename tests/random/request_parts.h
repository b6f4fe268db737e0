// What many requests and answers have in common, from and to the model's form.
#ifndef DYNOLITH_TESTS_RANDOM_REQUEST_PARTS_H_
#define DYNOLITH_TESTS_RANDOM_REQUEST_PARTS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "dynolith/requests.h"
#include "tests/model/model.h"
#include "tests/random/to_engine.h"

namespace dynolith::random {

// Fills the names and values of a request.
template <typename Request>
void SetNames(const model::Placeholders& placeholders, Request* request) {
  if (placeholders.names().empty()) return;
  request->expression_attribute_names.emplace();
  for (const auto& [placeholder, name] : placeholders.names()) {
    request->expression_attribute_names->emplace_back(placeholder, name);
  }
}

template <typename Request>
void SetPlaceholders(const model::Placeholders& placeholders, Request* request) {
  SetNames(placeholders, request);
  if (!placeholders.values().empty()) {
    request->expression_attribute_values = ToEngine(placeholders.values());
  }
}

template <typename Request>
void SetCondition(const std::optional<model::Condition>& condition, bool old_on_failure,
                  model::Placeholders* placeholders, Request* request) {
  if (condition) request->condition_expression = Print(*condition, placeholders);
  if (old_on_failure) {
    request->return_values_on_condition_check_failure =
        ReturnValuesOnConditionCheckFailure::kAllOld;
  }
}

// What a failed operation comes to.
model::Outcome Failed(const absl::Status& status);

// Ends the process with a message unless the status is OK.
void Require(const absl::Status& status, const std::string& what);

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_REQUEST_PARTS_H_
