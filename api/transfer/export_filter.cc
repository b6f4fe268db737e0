#include "api/transfer/export_filter.h"

#include "api/read/messages.h"
#include "api/read/projection_request.h"
#include "api/request/request_checks.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

const FilterSpecification& RequestedFilter(
    const std::optional<FilterSpecification>& specification) {
  static const FilterSpecification& everything = *new FilterSpecification;
  return specification ? *specification : everything;
}

}  // namespace

ExportFilter::ExportFilter(const std::optional<FilterSpecification>& specification)
    : specification_(RequestedFilter(specification)), expressions_(specification_) {}

absl::Status ExportFilter::Parse(const ValueViolations& violations) {
  const Parameter projection = {"ProjectionExpression",
                                specification_.projection_expression.has_value()};
  const Parameter filter = {"FilterExpression", specification_.filter_expression.has_value()};
  const Parameter key = {"KeyConditionExpression",
                         specification_.key_condition_expression.has_value()};
  DYNOLITH_RETURN_IF_ERROR(
      CheckParameters({}, {projection, filter, key}, {filter, key},
                      {.names = specification_.expression_attribute_names.has_value(),
                       .values = specification_.expression_attribute_values.has_value()},
                      Wording::kCurrent));
  return ParseKeyedExpressions(specification_.key_condition_expression,
                               specification_.filter_expression,
                               specification_.projection_expression, violations, &expressions_);
}

absl::Status ExportFilter::CheckFilterPath(const TableSchema& schema, const Path& path) const {
  // What the key condition has let through is filtered, so that the filter may not name the key.
  if (expressions_.key_condition && schema.key.Contains(path.attribute())) {
    return ValidationError(messages::FilterExpressionOnKey(path.attribute()));
  }
  return CheckKeyPath(path, schema.key, {});
}

absl::Status ExportFilter::Bind(const TableSchema& schema) {
  rows_ = RangeOfId(schema.id);
  if (expressions_.key_condition) {
    DYNOLITH_ASSIGN_OR_RETURN(const KeyCondition condition,
                              expressions_.key_condition->Bind(schema.key));
    rows_ = EncodeKeyRange(schema.id, schema.key, nullptr, condition);
  }
  DYNOLITH_RETURN_IF_ERROR(CheckKeyPaths(expressions_.projection, schema.key));
  absl::Status status;
  if (expressions_.filter) {
    expressions_.filter->ForEachPath([&](const Path& path) {
      if (status.ok()) status = CheckFilterPath(schema, path);
    });
  }
  return status;
}

bool ExportFilter::Takes(ItemView item) const {
  return !expressions_.filter || expressions_.filter->Matches(item);
}

ItemView ExportFilter::Project(ItemView item, ItemBuilder* builder) const {
  return Emit(item, expressions_.projection, builder, [](ItemView part) { return part; });
}

}  // namespace dynolith
