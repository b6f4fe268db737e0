#include "api/read/scan.h"

#include "api/read/page.h"
#include "api/read/projection_request.h"
#include "api/read/start_key.h"
#include "api/request/request_checks.h"
#include "api/table/table_gate.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/expressions.h"
#include "engine/base/messages/items.h"
#include "engine/base/messages/values.h"
#include "engine/base/status_macros.h"
#include "engine/expr/legacy.h"

namespace dynolith {
namespace {

// The parsed request.
struct ScanExpressions {
  explicit ScanExpressions(const ScanRequest& request)
      : placeholders(PointerTo(request.expression_attribute_names),
                     PointerTo(request.expression_attribute_values)) {}

  Placeholders placeholders;
  std::optional<Condition> filter;
  std::optional<Projection> projection;
};

absl::Status CheckParametersOf(const ScanRequest& request) {
  return CheckParameters({{"AttributesToGet", request.attributes_to_get.has_value()},
                          {"ScanFilter", request.scan_filter.has_value()},
                          {"ConditionalOperator", request.conditional_operator.has_value()}},
                         {{"ProjectionExpression", request.projection_expression.has_value()},
                          {"FilterExpression", request.filter_expression.has_value()}},
                         {{"FilterExpression", request.filter_expression.has_value()}},
                         request.expression_attribute_names.has_value(),
                         request.expression_attribute_values.has_value(), Wording::kOlder);
}

absl::Status CheckSegment(const ScanRequest& request) {
  if (request.segment && !request.total_segments) {
    return ValidationError(messages::TotalSegmentsMissing());
  }
  if (request.total_segments && !request.segment) {
    return ValidationError(messages::SegmentMissing());
  }
  if (!request.segment) return absl::OkStatus();
  if (*request.segment < 0 || *request.segment >= *request.total_segments ||
      *request.total_segments > kTotalSegmentsMax) {
    return ValidationError(messages::SegmentTooLarge(*request.segment, *request.total_segments));
  }
  return absl::OkStatus();
}

absl::Status LowerLegacy(const ScanRequest& request, ScanExpressions* parsed) {
  DYNOLITH_RETURN_IF_ERROR(LowerAttributesToGetOf(request.attributes_to_get, &parsed->projection));
  const size_t conditions = request.scan_filter ? request.scan_filter->size() : 0;
  DYNOLITH_RETURN_IF_ERROR(CheckConditionalOperator(request.conditional_operator, conditions));
  if (conditions == 0) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(parsed->filter,
                            LowerFilter(*request.scan_filter, request.conditional_operator.value_or(
                                                                  ConditionalOperator::kAnd)));
  return absl::OkStatus();
}

// Everything that can be said without the table.
absl::Status CheckRequest(const ScanRequest& request, ScanExpressions* parsed) {
  DYNOLITH_RETURN_IF_ERROR(CheckParametersOf(request));
  if (request.limit && *request.limit < 1) return ValidationError(messages::LimitTooSmall());
  DYNOLITH_RETURN_IF_ERROR(CheckSelect(request.select, request.index_name.has_value(),
                                       request.attributes_to_get.has_value(),
                                       request.projection_expression.has_value(), /*query=*/false));
  DYNOLITH_RETURN_IF_ERROR(request.faults.values);
  DYNOLITH_RETURN_IF_ERROR(LowerLegacy(request, parsed));
  DYNOLITH_RETURN_IF_ERROR(CheckSegment(request));
  DYNOLITH_RETURN_IF_ERROR(CheckPlaceholders(parsed->placeholders, request.faults));
  if (request.filter_expression) {
    DYNOLITH_ASSIGN_OR_RETURN(parsed->filter,
                              Condition::Parse(*request.filter_expression, ExpressionKind::kFilter,
                                               &parsed->placeholders));
  }
  DYNOLITH_RETURN_IF_ERROR(
      ParseProjectionOf(request.projection_expression, &parsed->placeholders, &parsed->projection));
  return parsed->placeholders.CheckAllUsed();
}

// A start key belongs to the segment that it came from.
absl::Status CheckStartSegment(const ScanRequest& request, std::string_view start_row_key) {
  if (!request.segment || SegmentOf(start_row_key, *request.total_segments) == *request.segment) {
    return absl::OkStatus();
  }
  return ValidationError(messages::StartKeyWrongSegment(*request.total_segments, *request.segment));
}

}  // namespace

absl::StatusOr<PageOutput> Scan(const OperationContext& context, const ScanRequest& request,
                                ItemSink sink) {
  ScanExpressions parsed(request);
  DYNOLITH_RETURN_IF_ERROR(CheckRequest(request, &parsed));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindUsableTable(context, request.table_name));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  DYNOLITH_ASSIGN_OR_RETURN(const IndexSchema* const index,
                            FindIndex(*meta, request.index_name, request.consistent_read, "Scan"));
  PagePlan plan(*meta, index);
  if (request.exclusive_start_key) {
    const ItemView start_key = request.exclusive_start_key->view();
    DYNOLITH_RETURN_IF_ERROR(CheckStartKey(plan.source, start_key, PageOperation::kScan));
    plan.start_after = plan.source.RowKeyOf(start_key);
    DYNOLITH_RETURN_IF_ERROR(CheckStartSegment(request, *plan.start_after));
  }
  plan.projection = std::move(parsed.projection);
  plan.filter = PointerTo(parsed.filter);
  DYNOLITH_RETURN_IF_ERROR(CheckPaths(plan));
  DYNOLITH_RETURN_IF_ERROR(BindSelection(request.select, &plan));
  const StorageId id = plan.source.id();
  plan.range = request.segment ? RangeOfSegment(id, *request.segment, *request.total_segments)
                               : RangeOfId(id);
  plan.limit = request.limit;
  plan.mode = request.consistent_read ? ReadMode::kStrong : ReadMode::kEventual;
  plan.charged_by_partition = true;
  return RunPage(context, plan, request.table_name, request.return_consumed_capacity, sink);
}

}  // namespace dynolith
