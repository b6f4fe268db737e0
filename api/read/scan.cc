#include "api/read/scan.h"

#include "api/read/messages.h"
#include "api/read/page_binding.h"
#include "api/request/request_checks.h"
#include "api/table/table_gate.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

absl::Status CheckRequestParameters(const ScanRequest& request) {
  return CheckParameters({{"AttributesToGet", request.attributes_to_get.has_value()},
                          {"ScanFilter", request.scan_filter.has_value()},
                          {"ConditionalOperator", request.conditional_operator.has_value()}},
                         {{"ProjectionExpression", request.projection_expression.has_value()},
                          {"FilterExpression", request.filter_expression.has_value()}},
                         {{"FilterExpression", request.filter_expression.has_value()}},
                         {.names = request.expression_attribute_names.has_value(),
                          .values = request.expression_attribute_values.has_value()},
                         Wording::kLegacy);
}

absl::Status CheckSegment(const ScanRequest& request) {
  if (request.segment && !request.total_segments) {
    return ValidationError(messages::TotalSegmentsMissing());
  }
  if (request.total_segments && !request.segment) {
    return ValidationError(messages::SegmentMissing());
  }
  if (!request.segment) return absl::OkStatus();
  if (*request.segment >= *request.total_segments) {
    return ValidationError(messages::SegmentTooLarge(*request.segment, *request.total_segments));
  }
  return absl::OkStatus();
}

// Everything that can be said without the table.
absl::Status CheckRequest(const OperationContext& context, const ScanRequest& request,
                          PageExpressions* parsed) {
  DYNOLITH_RETURN_IF_ERROR(CheckRequestParameters(request));
  DYNOLITH_RETURN_IF_ERROR(
      CheckSelect(request.select,
                  {.index = request.index_name.has_value(),
                   .attributes_to_get = request.attributes_to_get.has_value(),
                   .projection_expression = request.projection_expression.has_value()},
                  PageOperation::kScan));
  DYNOLITH_RETURN_IF_ERROR(context.violations->Of(&request).values);
  DYNOLITH_RETURN_IF_ERROR(LowerProjectionAndFilter(request.attributes_to_get, request.scan_filter,
                                                    request.conditional_operator, parsed));
  DYNOLITH_RETURN_IF_ERROR(CheckSegment(request));
  DYNOLITH_RETURN_IF_ERROR(
      CheckPlaceholders(parsed->placeholders, context.violations->Of(&request)));
  return ParseFilterAndProjection(request.filter_expression, request.projection_expression, parsed);
}

// A start key belongs to the segment that it came from.
absl::Status CheckStartSegment(const ScanRequest& request, std::string_view start_row_key) {
  if (!request.segment || FindSegment(start_row_key, *request.total_segments) == *request.segment) {
    return absl::OkStatus();
  }
  return ValidationError(messages::StartKeyWrongSegment(*request.total_segments, *request.segment));
}

absl::StatusOr<PageOutput> ScanOnce(const OperationContext& context, const ScanRequest& request,
                                    ItemSink sink) {
  PageExpressions parsed(request);
  DYNOLITH_RETURN_IF_ERROR(CheckRequest(context, request, &parsed));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindUsableTable(context, request.table_name));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  DYNOLITH_ASSIGN_OR_RETURN(PagePlan plan,
                            BeginPlan(*meta, request.index_name, request.consistent_read,
                                      request.exclusive_start_key, PageOperation::kScan));
  if (plan.start_after) {
    DYNOLITH_RETURN_IF_ERROR(CheckStartSegment(request, *plan.start_after));
  }
  const auto check_filter_path = [&](const Path& path) {
    return CheckKeyPath(path, meta->schema.key, plan.source.indexes());
  };
  DYNOLITH_RETURN_IF_ERROR(BindProjectionAndFilter(&parsed, check_filter_path, &plan));
  DYNOLITH_RETURN_IF_ERROR(BindSelection(request.select, &plan));
  const StorageId id = plan.source.id();
  plan.range = request.segment ? RangeOfSegment(id, *request.segment, *request.total_segments)
                               : RangeOfId(id);
  plan.limit = request.limit;
  DYNOLITH_RETURN_IF_ERROR(BindMoment(context, &plan));
  return ReadPage(context, plan, request.table_name, request.return_consumed_capacity, sink);
}

}  // namespace

absl::StatusOr<PageOutput> Scan(const OperationContext& context, const ScanRequest& request,
                                ItemSink sink) {
  return ReadWhereItIs([&] { return ScanOnce(context, request, sink); });
}

}  // namespace dynolith
