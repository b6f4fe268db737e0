#include "api/read/batch_get_item.h"

#include "api/read/projection_request.h"
#include "api/request/call_bounds.h"
#include "api/request/current_tables.h"
#include "api/request/key_checks.h"
#include "api/request/request_checks.h"
#include "api/staleness/stale_reads.h"
#include "api/table/request_capacity.h"
#include "api/table/strong_moment.h"
#include "api/table/table_gate.h"
#include "api/write/consumed_capacity.h"
#include "api/write/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/partition/capacity.h"
#include "engine/value/equal_items.h"
#include "index/entry.h"

namespace dynolith {
namespace {

// Rows that were read before any of them is looked at.
struct RowsTogether {
  explicit RowsTogether(RowKeys row_keys) : keys(std::move(row_keys)) {}

  const RowKeys keys;
  std::vector<Row> rows;
  std::vector<RowRead> reads;
};

// One table's part of the request.
struct TableRead {
  const KeysAndAttributes* request = nullptr;
  std::optional<Projection> projection;
  std::shared_ptr<Table> table;
  std::shared_ptr<const TableMeta> meta;
  std::optional<RowsTogether> together;
};

// Everything that can be said of one table's part without the table.
absl::Status CheckTablePart(const OperationContext& context, const KeysAndAttributes& request,
                            std::optional<Projection>* projection) {
  Placeholders placeholders(PointerTo(request.expression_attribute_names), nullptr);
  DYNOLITH_RETURN_IF_ERROR(CheckParameters(
      {{"AttributesToGet", request.attributes_to_get.has_value()}},
      {{"ProjectionExpression", request.projection_expression.has_value()}}, {},
      {.names = request.expression_attribute_names.has_value()}, Wording::kCurrent));
  DYNOLITH_RETURN_IF_ERROR(LowerRequestAttributesToGet(request.attributes_to_get, projection));
  DYNOLITH_RETURN_IF_ERROR(CheckPlaceholders(placeholders, context.violations->Of(&request)));
  DYNOLITH_RETURN_IF_ERROR(
      ParseRequestProjection(request.projection_expression, &placeholders, projection));
  return placeholders.CheckAllUsed();
}

absl::Status CheckKeysOfPart(const OperationContext& context, const KeysAndAttributes& request) {
  DYNOLITH_RETURN_IF_ERROR(context.violations->Of(&request).values);
  return HasEqualItems(request.keys) ? ValidationError(messages::DuplicateKeys())
                                     : absl::OkStatus();
}

// What one table's part may not mix the parts together may not either.
absl::Status CheckNotMixed(const BatchGetItemRequest& request) {
  bool plain = false;
  bool expression = false;
  for (const auto& [table_name, part] : request.request_items) {
    plain |= part.attributes_to_get.has_value();
    expression |= part.projection_expression.has_value();
  }
  return CheckParameters({{"AttributesToGet", plain}}, {{"ProjectionExpression", expression}}, {},
                         {}, Wording::kCurrent);
}

absl::StatusOr<std::vector<TableRead>> CheckRequest(const OperationContext& context,
                                                    const BatchGetItemRequest& request) {
  if (request.request_items.empty()) {
    return ValidationError(messages::RequestItemsRequired("BatchGetItem"));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckNotMixed(request));
  std::vector<TableRead> reads(request.request_items.size());
  for (size_t i = 0; i < reads.size(); ++i) {
    reads[i].request = &request.request_items[i].second;
    DYNOLITH_RETURN_IF_ERROR(CheckTablePart(context, *reads[i].request, &reads[i].projection));
  }
  size_t keys = 0;
  for (const TableRead& read : reads) {
    DYNOLITH_RETURN_IF_ERROR(CheckKeysOfPart(context, *read.request));
    keys += read.request->keys.size();
  }
  if (keys > kBatchGetKeysMax) return ValidationError(messages::TooManyItems("BatchGetItem"));
  return reads;
}

absl::Status BindTables(const OperationContext& context, const BatchGetItemRequest& request,
                        std::vector<TableRead>* reads) {
  for (size_t i = 0; i < reads->size(); ++i) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                              FindUsableTable(context, request.request_items[i].first));
    (*reads)[i].table = table;
    (*reads)[i].meta = table->meta();
  }
  for (const TableRead& read : *reads) {
    const KeySchema& schema = read.meta->schema.key;
    for (const Item& key : read.request->keys) {
      DYNOLITH_RETURN_IF_ERROR(CheckKey(schema, key.view()));
    }
    DYNOLITH_RETURN_IF_ERROR(CheckKeyPaths(read.projection, schema));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const Snapshot>> ChooseReadMoment(const OperationContext& context,
                                                                 const TableRead& read) {
  const std::string& table = read.meta->schema.name;
  if (!read.request->consistent_read) {
    return ChooseMoment(context.staleness, table, "", StaleReads::Mode::kEventual);
  }
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<const Snapshot> moment,
                            StrongMoment(context, *read.meta));
  if (moment != nullptr) return moment;
  return ChooseMoment(context.staleness, table, "", StaleReads::Mode::kStrong);
}

// In a store in another process: reads the rows of all tables before anything is answered, those of
// the present in one round trip.
absl::Status ReadTogether(const OperationContext& context, std::vector<TableRead>* tables) {
  std::vector<RowRead> present;
  for (TableRead& table : *tables) {
    const TableSchema& schema = table.meta->schema;
    const std::vector<Item>& keys = table.request->keys;
    RowsTogether& together = table.together.emplace(RowKeys(schema.id, schema.key, keys));
    together.rows.resize(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      together.reads.push_back(
          {.family = Family::kTables, .key = together.keys[i], .row = &together.rows[i]});
    }
    DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const Snapshot> moment,
                              ChooseReadMoment(context, table));
    if (moment == nullptr) {
      present.insert(present.end(), together.reads.begin(), together.reads.end());
    } else {
      DYNOLITH_RETURN_IF_ERROR(moment->MultiGet(absl::MakeSpan(together.reads)));
    }
  }
  if (present.empty()) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(MultiGetCurrent(context, nullptr, absl::MakeSpan(present)));
  // Those of a table lie together, in the order of the tables.
  size_t next = 0;
  for (TableRead& table : *tables) {
    std::vector<RowRead>& reads = table.together->reads;
    if (next == present.size() || reads.empty() || present[next].row != reads[0].row) continue;
    for (RowRead& read : reads) read.found = present[next++].found;
  }
  return absl::OkStatus();
}

// Reads one table's keys until the response holds 16 MB; keys from there on are left unprocessed,
// and those for which there is no capacity, of which the first tells `throttled` why.
absl::Status ReadTable(const OperationContext& context, TableRead& read, size_t* bytes_left,
                       CapacityTotal* total, ItemSink sink, std::vector<Item>* unprocessed,
                       absl::Status* throttled) {
  const TableSchema& schema = read.meta->schema;
  const ReadMode mode = read.request->consistent_read ? ReadMode::kStrong : ReadMode::kEventual;
  std::shared_ptr<const Snapshot> moment;
  if (!read.together) {
    DYNOLITH_ASSIGN_OR_RETURN(moment, ChooseReadMoment(context, read));
  }
  ItemBuilder builder;
  const std::vector<Item>& keys = read.request->keys;
  const RowKeys row_keys(schema.id, schema.key, keys);
  RequestCapacity capacity(context, read.table.get(), *read.meta);
  Row row;
  for (size_t i = 0; i < keys.size(); ++i) {
    const Item& key = keys[i];
    const std::string_view row_key = row_keys[i];
    const bool is_left_out = context.left_out != nullptr && context.left_out->Has(&key);
    if (is_left_out || *bytes_left == 0) {
      unprocessed->push_back(key);
      continue;
    }
    ThroughputUse use = capacity.MakeUse(AccessKind::kRead, nullptr, row_key);
    if (absl::Status admitted = capacity.Admit({use}); !admitted.ok()) {
      if (throttled->ok()) *throttled = std::move(admitted);
      unprocessed->push_back(key);
      continue;
    }
    const auto charge = [&](size_t bytes) {
      const double units = ReadUnits(bytes, mode);
      total->AddTable(units);
      SetCost(units, bytes, &use);
      capacity.Charge({use});
    };
    bool found = false;
    if (read.together) {
      found = read.together->reads[i].found;
      row = std::move(read.together->rows[i]);
    } else {
      DYNOLITH_ASSIGN_OR_RETURN(
          found, context.store->At(moment.get()).Get(Family::kTables, row_key, &row));
    }
    if (!found) {
      DYNOLITH_RETURN_IF_ERROR(SpendWork(context, kGetWork));
      charge(0);
      continue;
    }
    const ItemView item = ItemView::Unchecked(row.value());
    const size_t bytes = TableBilledBytes(schema, item);
    if (bytes > *bytes_left) {
      *bytes_left = 0;
      unprocessed->push_back(key);
      continue;
    }
    DYNOLITH_RETURN_IF_ERROR(SpendWork(context, kGetWork + bytes));
    *bytes_left -= bytes;
    charge(bytes);
    Emit(item, read.projection, &builder, sink);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<BatchGetItemOutput> BatchGetItem(const OperationContext& context,
                                                const BatchGetItemRequest& request,
                                                TableItemSink sink) {
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<TableRead> reads, CheckRequest(context, request));
  DYNOLITH_RETURN_IF_ERROR(BindTables(context, request, &reads));
  if (context.known_tables) DYNOLITH_RETURN_IF_ERROR(ReadTogether(context, &reads));

  BatchGetItemOutput output;
  size_t bytes_left = kBatchGetBytesMax;
  size_t keys = 0;
  size_t keys_left = 0;
  absl::Status throttled;
  for (size_t i = 0; i < reads.size(); ++i) {
    const std::string& name = request.request_items[i].first;
    CapacityTotal total;
    std::vector<Item> unprocessed;
    const auto take = [&](ItemView item) { sink(i, item); };
    DYNOLITH_RETURN_IF_ERROR(
        ReadTable(context, reads[i], &bytes_left, &total, take, &unprocessed, &throttled));
    keys += reads[i].request->keys.size();
    keys_left += unprocessed.size();
    if (!unprocessed.empty()) {
      KeysAndAttributes rest = *reads[i].request;
      rest.keys = std::move(unprocessed);
      output.unprocessed_keys.emplace_back(name, std::move(rest));
    }
    if (auto report = total.Report(name, request.return_consumed_capacity)) {
      output.consumed_capacity.push_back(*std::move(report));
    }
  }
  // Only if nothing at all was read.
  if (keys_left == keys) DYNOLITH_RETURN_IF_ERROR(throttled);
  return output;
}

}  // namespace dynolith
