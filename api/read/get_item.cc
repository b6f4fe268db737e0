#include "api/read/get_item.h"

#include "api/read/projection_request.h"
#include "api/request/key_checks.h"
#include "api/request/request_checks.h"
#include "api/staleness/stale_reads.h"
#include "api/table/enforced_capacity.h"
#include "api/table/table_gate.h"
#include "api/write/consumed_capacity.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/partition/capacity.h"
#include "index/entry.h"

namespace dynolith {
namespace {

// Everything that can be said without the table.
absl::StatusOr<std::optional<Projection>> CheckRequest(const OperationContext& context,
                                                       const GetItemRequest& request,
                                                       Placeholders* placeholders) {
  const Parameters expressions = {
      {"ProjectionExpression", request.projection_expression.has_value()}};
  DYNOLITH_RETURN_IF_ERROR(CheckParameters(
      {{"AttributesToGet", request.attributes_to_get.has_value()}}, expressions, {},
      {.names = request.expression_attribute_names.has_value()}, Wording::kCurrent));
  DYNOLITH_RETURN_IF_ERROR(context.faults->Of(&request).values);
  std::optional<Projection> projection;
  DYNOLITH_RETURN_IF_ERROR(LowerAttributesToGetOf(request.attributes_to_get, &projection));
  DYNOLITH_RETURN_IF_ERROR(CheckPlaceholders(*placeholders, context.faults->Of(&request)));
  DYNOLITH_RETURN_IF_ERROR(
      ParseProjectionOf(request.projection_expression, placeholders, &projection));
  DYNOLITH_RETURN_IF_ERROR(placeholders->CheckAllUsed());
  return projection;
}

}  // namespace

absl::StatusOr<GetItemOutput> GetItem(const OperationContext& context,
                                      const GetItemRequest& request, ItemSink sink) {
  Placeholders placeholders(PointerTo(request.expression_attribute_names), nullptr);
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<Projection> projection,
                            CheckRequest(context, request, &placeholders));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindUsableTable(context, request.table_name));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  const TableSchema& schema = meta->schema;
  DYNOLITH_RETURN_IF_ERROR(CheckKey(schema.key, request.key.view()));
  DYNOLITH_RETURN_IF_ERROR(CheckKeyPaths(projection, schema.key));

  std::string row_key;
  AppendRowKey(schema.id, schema.key, request.key.view(), &row_key);
  EnforcedCapacity capacity(context, table.get(), *meta);
  Row row;
  const std::shared_ptr<const Snapshot> moment = ChooseMoment(
      context.staleness, schema.name, "",
      request.consistent_read ? StaleReads::Mode::kStrong : StaleReads::Mode::kEventual);
  DYNOLITH_ASSIGN_OR_RETURN(const bool found,
                            context.store->At(moment.get()).Get(Family::kTables, row_key, &row));
  size_t bytes = 0;
  if (found && (request.return_consumed_capacity != ReturnConsumedCapacity::kNone ||
                capacity.wants_uses())) {
    const ItemView item = ItemView::Unchecked(row.value());
    bytes = context.observer != nullptr ? TableBilledBytes(schema, item)
                                        : TableBilledBytesOfRead(schema, item);
  }
  const double units =
      ReadUnits(bytes, request.consistent_read ? ReadMode::kStrong : ReadMode::kEventual);
  if (capacity.wants_uses()) {
    const size_t use = capacity.Add(AccessKind::kRead, nullptr, row_key);
    capacity.AddUnits(use, units);
    capacity.AddSize(use, bytes);
    DYNOLITH_RETURN_IF_ERROR(capacity.CheckAndCharge());
  }
  if (found) {
    ItemBuilder builder;
    Emit(ItemView::Unchecked(row.value()), projection, &builder, sink);
  }
  GetItemOutput output;
  CapacityTotal total;
  total.AddTable(units);
  output.consumed_capacity = total.Report(request.table_name, request.return_consumed_capacity);
  return output;
}

}  // namespace dynolith
