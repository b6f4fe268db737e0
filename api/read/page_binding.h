// From a Query or a Scan to its page: the steps that the two requests share are checked and bound
// here, in the service's order, so that the operations contain only their own steps.
#ifndef DYNOLITH_API_READ_PAGE_BINDING_H_
#define DYNOLITH_API_READ_PAGE_BINDING_H_

#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/read/page.h"
#include "api/read/projection_request.h"
#include "api/read/start_key.h"
#include "api/request/request_checks.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/table_meta.h"
#include "engine/expr/expression.h"
#include "engine/expr/legacy.h"
#include "engine/model/request_violations.h"

namespace dynolith {

// The parsed expressions of one request, from which they borrow.
struct PageExpressions {
  template <typename Request>
  explicit PageExpressions(const Request& request)
      : placeholders(PointerTo(request.expression_attribute_names),
                     PointerTo(request.expression_attribute_values)) {}

  Placeholders placeholders;
  std::optional<Condition> filter;
  std::optional<Projection> projection;
};

// Those of a read by key.
struct KeyedExpressions : PageExpressions {
  using PageExpressions::PageExpressions;

  std::optional<ParsedKeyCondition> key_condition;
};

// --- Without the table ---

// The members of a request that Select depends on.
struct SelectContext {
  bool index = false;
  bool attributes_to_get = false;
  bool projection_expression = false;
};

// The rules of Select that need no table (api/facts/operations.md §2, Query).
absl::Status CheckSelect(std::optional<Select> select, const SelectContext& beside,
                         PageOperation operation);

// AttributesToGet, ConditionalOperator and `conditions`, which are QueryFilter or ScanFilter.
absl::Status LowerProjectionAndFilter(
    const std::optional<std::vector<std::string>>& attributes_to_get,
    const std::optional<AttributeMap<LegacyCondition>>& conditions,
    std::optional<ConditionalOperator> conditional_operator, PageExpressions* parsed);

// FilterExpression and ProjectionExpression, then that every placeholder has been used.
absl::Status ParseFilterAndProjection(const std::optional<std::string>& filter_expression,
                                      const std::optional<std::string>& projection_expression,
                                      PageExpressions* parsed);

// The placeholders themselves, KeyConditionExpression, then ParseFilterAndProjection. That a
// condition of the key names several attributes is reported after all of it.
absl::Status ParseKeyedExpressions(const std::optional<std::string>& key_condition_expression,
                                   const std::optional<std::string>& filter_expression,
                                   const std::optional<std::string>& projection_expression,
                                   const ValueViolations& violations, KeyedExpressions* parsed);

// --- With the table ---

// A page of the table or of the index of that name, after the start key if there is one; its range,
// projection and filter are not bound yet. Errors: those of FindIndex and of CheckStartKey.
absl::StatusOr<PagePlan> BeginPlan(const TableMeta& meta,
                                   const std::optional<std::string>& index_name,
                                   bool consistent_read, const std::optional<Item>& start_key,
                                   PageOperation operation);

// Moves the projection into the plan and lends it the filter. No path of the projection goes into a
// key attribute of the table or the index; `check_filter_path` checks the paths of the filter.
absl::Status BindProjectionAndFilter(PageExpressions* parsed,
                                     absl::FunctionRef<absl::Status(const Path&)> check_filter_path,
                                     PagePlan* plan);

}  // namespace dynolith

#endif  // DYNOLITH_API_READ_PAGE_BINDING_H_
