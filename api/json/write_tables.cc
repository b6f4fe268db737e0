#include "api/json/write_tables.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/json/write_members.h"
#include "api/json/write_table_parts.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"

namespace dynolith {

std::string_view TableStatusWord(TableStatus status) {
  switch (status) {
    case TableStatus::kCreating:
      return "CREATING";
    case TableStatus::kUpdating:
      return "UPDATING";
    case TableStatus::kDeleting:
      return "DELETING";
    default:
      return "ACTIVE";
  }
}

std::string_view IndexStatusWord(IndexStatus status) {
  return TableStatusWord(static_cast<TableStatus>(status));
}

namespace {

std::string_view Word(TableStatus status) { return TableStatusWord(status); }
std::string_view Word(IndexStatus status) { return IndexStatusWord(status); }
static_assert(static_cast<int>(IndexStatus::kDeleting) == static_cast<int>(TableStatus::kDeleting));

std::string_view Word(TableClass table_class) {
  return table_class == TableClass::kStandard ? "STANDARD" : "STANDARD_INFREQUENT_ACCESS";
}

void WriteDefinitions(const std::vector<KeyAttribute>& definitions, JsonWriter* writer) {
  writer->Key("AttributeDefinitions");
  writer->BeginArray();
  for (const KeyAttribute& attribute : definitions) {
    writer->BeginObject();
    Text("AttributeName", attribute.name, writer);
    Text("AttributeType", TypeName(attribute.type), writer);
    writer->EndObject();
  }
  writer->EndArray();
}

void WriteThroughput(const Throughput& throughput, JsonWriter* writer) {
  writer->Key("ProvisionedThroughput");
  writer->BeginObject();
  Time("LastIncreaseDateTime", throughput.last_increase, writer);
  Time("LastDecreaseDateTime", throughput.last_decrease, writer);
  Integer("NumberOfDecreasesToday", throughput.decreases_today, writer);
  Integer("ReadCapacityUnits", throughput.read_units, writer);
  Integer("WriteCapacityUnits", throughput.write_units, writer);
  writer->EndObject();
}

// Always present: what was asked for, or what the mode starts with (facts/newest.md §2).
void WriteWarm(const std::optional<WarmThroughput>& warm, const Throughput& throughput,
               BillingMode mode, bool is_updating, JsonWriter* writer) {
  const WarmThroughput initial =
      mode == BillingMode::kPayPerRequest
          ? WarmThroughput{kOnDemandInitialReadUnits, kOnDemandInitialWriteUnits}
          : WarmThroughput{throughput.read_units, throughput.write_units};
  const WarmThroughput& shown = warm ? *warm : initial;
  writer->Key("WarmThroughput");
  writer->BeginObject();
  Integer("ReadUnitsPerSecond", shown.read_units, writer);
  Integer("WriteUnitsPerSecond", shown.write_units, writer);
  Text("Status", is_updating ? "UPDATING" : "ACTIVE", writer);
  writer->EndObject();
}

TableDescription::IndexSize SizeOf(const TableDescription& table, size_t i) {
  return i < table.index_sizes.size() ? table.index_sizes[i] : TableDescription::IndexSize();
}

void WriteIndexBasics(const TableDescription& table, size_t i, JsonWriter* writer) {
  const IndexSchema& index = table.meta.schema.indexes[i];
  WriteIndexSchema(index, writer);
  const TableDescription::IndexSize size = SizeOf(table, i);
  Integer("IndexSizeBytes", size.size_bytes, writer);
  Integer("ItemCount", size.item_count, writer);
  Text("IndexArn", Concat(table.table_arn, "/index/", index.name), writer);
}

IndexState StateOf(const TableDescription& table, size_t i) {
  return i < table.meta.index_states.size() ? table.meta.index_states[i] : IndexState();
}

void WriteStatus(const IndexState& state, bool shows_backfilling, JsonWriter* writer) {
  Text("IndexStatus", Word(state.status), writer);
  if (!shows_backfilling) return;
  writer->Key("Backfilling");
  writer->Bool(state.backfilling);
}

// Indexes that come with their table have nothing to fill.
bool IsBackfilled(const TableDescription& table, const IndexState& state) {
  return state.status == IndexStatus::kCreating && table.meta.status != TableStatus::kCreating;
}

void WriteVectorState(const TableDescription& table, size_t i, JsonWriter* writer) {
  const IndexState state = StateOf(table, i);
  WriteStatus(state, IsBackfilled(table, state), writer);
}

void WriteGlobalState(const TableDescription& table, size_t i, JsonWriter* writer) {
  const IndexState state = StateOf(table, i);
  WriteStatus(state, IsBackfilled(table, state), writer);
  WriteThroughput(state.throughput, writer);
  WriteOnDemand(state.on_demand, writer);
  WriteWarm(state.warm, state.throughput, table.meta.billing_mode,
            SizeOf(table, i).warm_is_updating, writer);
}

void WriteIndexes(std::string_view key, IndexKind kind, const TableDescription& table,
                  JsonWriter* writer) {
  const std::vector<IndexSchema>& indexes = table.meta.schema.indexes;
  bool open = false;
  for (size_t i = 0; i < indexes.size(); ++i) {
    if (indexes[i].kind != kind) continue;
    if (!open) {
      writer->Key(key);
      writer->BeginArray();
      open = true;
    }
    writer->BeginObject();
    WriteIndexBasics(table, i, writer);
    if (kind == IndexKind::kGlobal) WriteGlobalState(table, i, writer);
    if (kind == IndexKind::kVector) WriteVectorState(table, i, writer);
    writer->EndObject();
  }
  if (open) writer->EndArray();
}

// The same twice: the second, undocumented name is sent, too (facts/operations.md §5.1).
void WriteBilling(const TableMeta& meta, JsonWriter* writer) {
  if (meta.billing_mode != BillingMode::kPayPerRequest && !meta.last_pay_per_request) return;
  for (const auto& [summary, mode] :
       {std::pair("BillingModeSummary", "BillingMode"),
        std::pair("TableThroughputModeSummary", "TableThroughputMode")}) {
    writer->Key(summary);
    writer->BeginObject();
    Text(mode, BillingModeWord(meta.billing_mode), writer);
    if (meta.status != TableStatus::kCreating) {
      Time("LastUpdateToPayPerRequestDateTime", meta.last_pay_per_request, writer);
    }
    writer->EndObject();
  }
}

void WriteStream(const TableDescription& table, JsonWriter* writer) {
  const StreamState& stream = table.meta.stream;
  if (stream.enabled) WriteStreamSpecification("StreamSpecification", stream, writer);
  // The last stream stays visible after it has been disabled.
  if (stream.label.empty()) return;
  Text("LatestStreamLabel", stream.label, writer);
  Text("LatestStreamArn", Concat(table.table_arn, "/stream/", stream.label), writer);
}

// The way back to the default key is shown while it lasts.
void WriteEncryption(const TableMeta& meta, JsonWriter* writer) {
  const bool enabled = meta.encryption && meta.encryption->enabled;
  if (!enabled && !meta.encryption_until) return;
  writer->Key("SSEDescription");
  writer->BeginObject();
  Text("Status", meta.encryption_until ? "UPDATING" : "ENABLED", writer);
  Text("SSEType", "KMS", writer);
  if (enabled && !meta.encryption->kms_key_arn.empty()) {
    Text("KMSMasterKeyArn", meta.encryption->kms_key_arn, writer);
  }
  writer->EndObject();
}

// As long as the table is being created, it is being restored.
void WriteRestore(const TableMeta& meta, JsonWriter* writer) {
  if (!meta.restore) return;
  const RestoreSummary& restore = *meta.restore;
  writer->Key("RestoreSummary");
  writer->BeginObject();
  if (!restore.source_backup_arn.empty()) {
    Text("SourceBackupArn", restore.source_backup_arn, writer);
  }
  Text("SourceTableArn", restore.source_table_arn, writer);
  Time("RestoreDateTime", restore.restored, writer);
  writer->Key("RestoreInProgress");
  writer->Bool(meta.status == TableStatus::kCreating);
  writer->EndObject();
}

void WriteTableClass(const TableMeta& meta, JsonWriter* writer) {
  if (!meta.table_class) return;
  writer->Key("TableClassSummary");
  writer->BeginObject();
  Text("TableClass", Word(*meta.table_class), writer);
  Time("LastUpdateDateTime", meta.table_class_changed, writer);
  writer->EndObject();
}

void WriteIndexParameters(std::string_view key, IndexKind kind, const TableMeta& meta,
                          JsonWriter* writer) {
  const std::vector<IndexSchema>& indexes = meta.schema.indexes;
  const auto is_of_kind = [kind](const IndexSchema& index) { return index.kind == kind; };
  if (std::none_of(indexes.begin(), indexes.end(), is_of_kind)) return;
  writer->Key(key);
  writer->BeginArray();
  for (size_t i = 0; i < indexes.size(); ++i) {
    if (indexes[i].kind != kind) continue;
    writer->BeginObject();
    WriteIndexSchema(indexes[i], writer);
    if (kind == IndexKind::kGlobal && meta.billing_mode == BillingMode::kProvisioned) {
      WriteUnits(meta.index_states[i].throughput, writer);
    }
    WriteOnDemand(meta.index_states[i].on_demand, writer);
    writer->EndObject();
  }
  writer->EndArray();
}

void WriteEncryptionParameters(const ServerSideEncryption& encryption, JsonWriter* writer) {
  writer->Key("SSESpecification");
  writer->BeginObject();
  writer->Key("Enabled");
  writer->Bool(encryption.enabled);
  if (encryption.enabled) Text("SSEType", "KMS", writer);
  if (!encryption.kms_key_arn.empty()) Text("KMSMasterKeyId", encryption.kms_key_arn, writer);
  writer->EndObject();
}

// What is left of a table: its keys, indexes and warm throughput are not shown any more.
enum class Shown { kWhole, kDeleted };

void WriteDescription(const TableDescription& table, Shown shown, JsonWriter* writer) {
  const TableMeta& meta = table.meta;
  const bool whole = shown == Shown::kWhole;
  writer->BeginObject();
  if (whole) WriteDefinitions(meta.attribute_definitions, writer);
  Text("TableName", meta.schema.name, writer);
  if (whole) WriteKeySchema(meta.schema.key, writer);
  Text("TableStatus", Word(meta.status), writer);
  if (whole) Time("CreationDateTime", meta.created, writer);
  WriteThroughput(meta.throughput, writer);
  Integer("TableSizeBytes", table.table_size_bytes, writer);
  Integer("ItemCount", table.item_count, writer);
  Text("TableArn", table.table_arn, writer);
  Text("TableId", meta.uuid, writer);
  WriteBilling(meta, writer);
  if (whole) WriteIndexes("LocalSecondaryIndexes", IndexKind::kLocal, table, writer);
  if (whole) WriteIndexes("GlobalSecondaryIndexes", IndexKind::kGlobal, table, writer);
  WriteStream(table, writer);
  WriteRestore(meta, writer);
  WriteEncryption(meta, writer);
  WriteTableClass(meta, writer);
  writer->Key("DeletionProtectionEnabled");
  writer->Bool(meta.deletion_protection);
  WriteOnDemand(meta.on_demand, writer);
  if (whole) {
    WriteWarm(meta.warm, meta.throughput, meta.billing_mode, table.warm_is_updating, writer);
    WriteIndexes("VectorIndexes", IndexKind::kVector, table, writer);
  }
  writer->EndObject();
}

}  // namespace

void WriteTableParameters(const TableMeta& meta, JsonWriter* writer) {
  writer->BeginObject();
  Text("TableName", meta.schema.name, writer);
  WriteDefinitions(meta.attribute_definitions, writer);
  WriteKeySchema(meta.schema.key, writer);
  Text("BillingMode", BillingModeWord(meta.billing_mode), writer);
  if (meta.billing_mode == BillingMode::kProvisioned) WriteUnits(meta.throughput, writer);
  WriteOnDemand(meta.on_demand, writer);
  if (meta.encryption) WriteEncryptionParameters(*meta.encryption, writer);
  WriteIndexParameters("GlobalSecondaryIndexes", IndexKind::kGlobal, meta, writer);
  WriteIndexParameters("VectorIndexes", IndexKind::kVector, meta, writer);
  writer->EndObject();
}

void WriteTableJson(std::string_view key, const TableDescription& description, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key(key);
  WriteDescription(description, Shown::kWhole, writer);
  writer->EndObject();
}

void WriteDeletedTableJson(const TableDescription& description, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("TableDescription");
  WriteDescription(description, Shown::kDeleted, writer);
  writer->EndObject();
}

void WriteOutputJson(const ListTablesOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("TableNames");
  writer->BeginArray();
  for (const std::string& name : output.table_names) writer->String(name);
  writer->EndArray();
  if (output.last_evaluated_table_name) {
    Text("LastEvaluatedTableName", *output.last_evaluated_table_name, writer);
  }
  writer->EndObject();
}

void WriteOutputJson(const DescribeLimitsOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  Integer("AccountMaxReadCapacityUnits", output.account_max_read_capacity_units, writer);
  Integer("AccountMaxWriteCapacityUnits", output.account_max_write_capacity_units, writer);
  Integer("TableMaxReadCapacityUnits", output.table_max_read_capacity_units, writer);
  Integer("TableMaxWriteCapacityUnits", output.table_max_write_capacity_units, writer);
  writer->EndObject();
}

void WriteOutputJson(const DescribeEndpointsOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("Endpoints");
  writer->BeginArray();
  writer->BeginObject();
  Text("Address", output.address, writer);
  Integer("CachePeriodInMinutes", output.cache_period_in_minutes, writer);
  writer->EndObject();
  writer->EndArray();
  writer->EndObject();
}

}  // namespace dynolith
