#include "api/transfer/transfer_records.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/request/arn.h"
#include "api/request/uuid.h"
#include "api/transfer/messages.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/entry_fields.h"
#include "engine/model/constraint_failures.h"
#include "engine/model/members.h"
#include "engine/model/shapes.h"
#include "engine/store/meta_keys.h"

namespace dynolith {
namespace {

template <typename Description>
constexpr MetaPrefix kKeys = {};
template <>
constexpr MetaPrefix kKeys<ExportState> = kExportKeys;
template <>
constexpr MetaPrefix kKeys<ImportState> = kImportKeys;
template <>
constexpr MetaPrefix kKeys<BulkPutState> = kBulkPutKeys;

std::string TransferKey(std::string_view prefix, std::string_view id) { return Concat(prefix, id); }

void WriteText(std::string_view name, const std::optional<std::string>& text, FieldWriter* out) {
  if (text) out->Text(name, *text);
}

std::optional<std::string> ReadText(std::string_view name, FieldReader* in) {
  if (!in->Has(name)) return std::nullopt;
  return in->Text(name);
}

// What all have.
template <typename Description>
void WriteOutcome(const Description& description, FieldWriter* out) {
  out->Enumerator("status", description.status);
  out->Time("start_time", description.start_time);
  out->Time("end_time", description.end_time);
  WriteText("failure_code", description.failure_code, out);
  WriteText("failure_message", description.failure_message, out);
}

template <typename Description>
void ReadOutcome(FieldReader* in, Description* description) {
  description->status = in->Enumerator("status", TransferStatus::kCompletedWithErrors);
  description->start_time = in->Time("start_time");
  description->end_time = in->OptionalTime("end_time");
  description->failure_code = ReadText("failure_code", in);
  description->failure_message = ReadText("failure_message", in);
}

void WriteIncrement(const IncrementalExportSpecification& increment, FieldWriter* out) {
  out->Time("from_time", increment.export_from_time);
  out->Time("to_time", increment.export_to_time);
  if (increment.export_view_type) out->Enumerator("view_type", *increment.export_view_type);
}

IncrementalExportSpecification ReadIncrement(FieldReader in) {
  IncrementalExportSpecification increment;
  increment.export_from_time = in.OptionalTime("from_time");
  increment.export_to_time = in.OptionalTime("to_time");
  if (in.Has("view_type")) {
    increment.export_view_type = in.Enumerator("view_type", ExportViewType::kNewAndOldImages);
  }
  return increment;
}

// The names in one order, since this is what requests are compared by.
void WriteFilter(const FilterSpecification& filter, FieldWriter* out) {
  WriteText("filter", filter.filter_expression, out);
  WriteText("projection", filter.projection_expression, out);
  WriteText("key_condition", filter.key_condition_expression, out);
  if (filter.expression_attribute_names) {
    AttributeNames names = *filter.expression_attribute_names;
    std::sort(names.begin(), names.end());
    out->List("names", names, [out](const auto& name) {
      out->Text("placeholder", name.first);
      out->Text("attribute", name.second);
    });
  }
  if (const auto& values = filter.expression_attribute_values) {
    out->Bytes("values", values->bytes());
  }
}

FilterSpecification ReadFilter(FieldReader in) {
  FilterSpecification filter;
  filter.filter_expression = ReadText("filter", &in);
  filter.projection_expression = ReadText("projection", &in);
  filter.key_condition_expression = ReadText("key_condition", &in);
  if (in.Has("names")) {
    AttributeNames& names = filter.expression_attribute_names.emplace();
    in.List("names", [&names](FieldReader name) {
      names.emplace_back(name.Text("placeholder"), name.Text("attribute"));
    });
  }
  if (in.Has("values")) {
    const std::string bytes = in.Bytes("values");
    const absl::StatusOr<ItemView> values = ItemView::Parse(bytes);
    values.ok() ? void(filter.expression_attribute_values = Item::Copy(*values))
                : in.Damaged("values");
  }
  return filter;
}

void WriteExportRequest(const ExportTableToPointInTimeRequest& request, FieldWriter* out) {
  out->Text("table_arn", request.table_arn);
  out->Time("export_time", request.export_time);
  WriteText("client_token", request.client_token, out);
  out->Text("s3_bucket", request.s3_bucket);
  WriteText("s3_bucket_owner", request.s3_bucket_owner, out);
  WriteText("s3_prefix", request.s3_prefix, out);
  WriteText("s3_sse_algorithm", request.s3_sse_algorithm, out);
  WriteText("s3_sse_kms_key_id", request.s3_sse_kms_key_id, out);
  if (request.export_format) out->Enumerator("export_format", *request.export_format);
  if (request.export_type) out->Enumerator("export_type", *request.export_type);
  if (const auto& increment = request.incremental_export_specification) {
    out->Map("incremental", [&] { WriteIncrement(*increment, out); });
  }
  if (const auto& filter = request.filter_specification) {
    out->Map("filter", [&] { WriteFilter(*filter, out); });
  }
}

ExportTableToPointInTimeRequest ReadExportRequest(FieldReader* in) {
  ExportTableToPointInTimeRequest request;
  request.table_arn = in->Text("table_arn");
  request.export_time = in->OptionalTime("export_time");
  request.client_token = ReadText("client_token", in);
  request.s3_bucket = in->Text("s3_bucket");
  request.s3_bucket_owner = ReadText("s3_bucket_owner", in);
  request.s3_prefix = ReadText("s3_prefix", in);
  request.s3_sse_algorithm = ReadText("s3_sse_algorithm", in);
  request.s3_sse_kms_key_id = ReadText("s3_sse_kms_key_id", in);
  if (in->Has("export_format")) {
    request.export_format = in->Enumerator("export_format", ExportFormat::kIon);
  }
  if (in->Has("export_type")) {
    request.export_type = in->Enumerator("export_type", ExportType::kIncremental);
  }
  if (in->Has("incremental")) {
    request.incremental_export_specification = ReadIncrement(in->Map("incremental"));
  }
  if (in->Has("filter")) request.filter_specification = ReadFilter(in->Map("filter"));
  return request;
}

void Write(const ExportState& description, FieldWriter* out) {
  WriteOutcome(description, out);
  WriteExportRequest(description.request, out);
  out->Text("arn", description.export_arn);
  out->Text("table_id", description.table_id);
  WriteText("manifest", description.export_manifest, out);
  out->Integer("billed_size_bytes", description.billed_size_bytes);
  out->Integer("item_count", description.item_count);
}

absl::Status Read(FieldReader in, ExportState* description) {
  ReadOutcome(&in, description);
  description->request = ReadExportRequest(&in);
  description->export_arn = in.Text("arn");
  description->table_id = in.Text("table_id");
  description->export_manifest = ReadText("manifest", &in);
  description->billed_size_bytes = in.OptionalInteger("billed_size_bytes");
  description->item_count = in.OptionalInteger("item_count");
  return absl::OkStatus();
}

// From where an import comes, without the table.
void WriteSource(const ImportState& description, FieldWriter* out) {
  WriteText("client_token", description.client_token, out);
  out->Text("s3_bucket", description.s3_bucket_source.s3_bucket);
  WriteText("s3_bucket_owner", description.s3_bucket_source.s3_bucket_owner, out);
  WriteText("s3_key_prefix", description.s3_bucket_source.s3_key_prefix, out);
  out->Enumerator("input_format", description.input_format);
  out->Enumerator("input_compression", description.input_compression_type);
  if (const auto& csv = description.csv_options) {
    out->Map("csv", [&] {
      WriteText("delimiter", csv->delimiter, out);
      if (!csv->header_list) return;
      out->List("headers", *csv->header_list,
                [out](const std::string& name) { out->Text("name", name); });
    });
  }
}

CsvOptions ReadCsv(FieldReader in) {
  CsvOptions csv;
  csv.delimiter = ReadText("delimiter", &in);
  if (!in.Has("headers")) return csv;
  csv.header_list.emplace();
  in.List("headers",
          [&csv](FieldReader header) { csv.header_list->push_back(header.Text("name")); });
  return csv;
}

// An entry of a table has ids, which this one is only given when it is created.
TableMeta WithIds(TableMeta table) {
  table.schema.id = 1;
  for (IndexSchema& index : table.schema.indexes) index.id = 1;
  return table;
}

void Write(const ImportState& description, FieldWriter* out) {
  WriteOutcome(description, out);
  WriteSource(description, out);
  out->Bytes("table", EncodeTableMeta(WithIds(description.table)));
  out->Text("arn", description.import_arn);
  out->Text("table_arn", description.table_arn);
  out->Text("log_group_arn", description.cloud_watch_log_group_arn);
  out->Integer("error_count", description.error_count);
  out->Integer("processed_size_bytes", description.processed_size_bytes);
  out->Integer("processed_item_count", description.processed_item_count);
  out->Integer("imported_item_count", description.imported_item_count);
  out->Integer("interruptions", description.interruptions);
}

absl::Status Read(FieldReader in, ImportState* description) {
  ReadOutcome(&in, description);
  description->client_token = ReadText("client_token", &in);
  description->s3_bucket_source.s3_bucket = in.Text("s3_bucket");
  description->s3_bucket_source.s3_bucket_owner = ReadText("s3_bucket_owner", &in);
  description->s3_bucket_source.s3_key_prefix = ReadText("s3_key_prefix", &in);
  description->input_format = in.Enumerator("input_format", InputFormat::kCsv);
  description->input_compression_type =
      in.Enumerator("input_compression", InputCompressionType::kZstd);
  if (in.Has("csv")) description->csv_options = ReadCsv(in.Map("csv"));
  description->import_arn = in.Text("arn");
  description->table_arn = in.Text("table_arn");
  description->cloud_watch_log_group_arn = in.Text("log_group_arn");
  description->error_count = in.Integer("error_count", 0);
  description->processed_size_bytes = in.OptionalInteger("processed_size_bytes");
  description->processed_item_count = in.OptionalInteger("processed_item_count");
  description->imported_item_count = in.OptionalInteger("imported_item_count");
  description->interruptions = in.OptionalInteger("interruptions");
  DYNOLITH_ASSIGN_OR_RETURN(description->table, DecodeTableMeta(in.Bytes("table")));
  return absl::OkStatus();
}

void WriteBulkRequest(const StartBulkPutItemsRequest& request, FieldWriter* out) {
  const InputS3Configuration& input = request.input;
  const OutputS3Configuration& output = request.output;
  out->Text("table_name", request.table_name);
  WriteText("client_token", request.client_token, out);
  out->Text("s3_bucket", input.s3_bucket);
  WriteText("s3_bucket_owner", input.s3_bucket_owner, out);
  WriteText("s3_key_prefix", input.s3_key_prefix, out);
  out->Enumerator("input_format", input.input_format);
  if (input.input_compression_type) {
    out->Enumerator("input_compression", *input.input_compression_type);
  }
  WriteText("output_bucket", output.s3_bucket, out);
  WriteText("output_bucket_owner", output.s3_bucket_owner, out);
  WriteText("output_key_prefix", output.s3_key_prefix, out);
  WriteText("output_sse_algorithm", output.s3_sse_algorithm, out);
  WriteText("output_sse_kms_key_id", output.s3_sse_kms_key_id, out);
  out->List("output_types", output.output_type,
            [out](BulkOutputType type) { out->Enumerator("type", type); });
  out->Integer("max_write_request_units", request.max_write_request_units);
  if (request.performance_tier) out->Enumerator("performance_tier", *request.performance_tier);
}

StartBulkPutItemsRequest ReadBulkRequest(FieldReader* in) {
  StartBulkPutItemsRequest request;
  InputS3Configuration& input = request.input;
  OutputS3Configuration& output = request.output;
  request.table_name = in->Text("table_name");
  request.client_token = ReadText("client_token", in);
  input.s3_bucket = in->Text("s3_bucket");
  input.s3_bucket_owner = ReadText("s3_bucket_owner", in);
  input.s3_key_prefix = ReadText("s3_key_prefix", in);
  input.input_format = in->Enumerator("input_format", InputFormat::kCsv);
  if (in->Has("input_compression")) {
    input.input_compression_type = in->Enumerator("input_compression", InputCompressionType::kZstd);
  }
  output.s3_bucket = ReadText("output_bucket", in);
  output.s3_bucket_owner = ReadText("output_bucket_owner", in);
  output.s3_key_prefix = ReadText("output_key_prefix", in);
  output.s3_sse_algorithm = ReadText("output_sse_algorithm", in);
  output.s3_sse_kms_key_id = ReadText("output_sse_kms_key_id", in);
  in->List("output_types", [&output](FieldReader type) {
    output.output_type.push_back(type.Enumerator("type", BulkOutputType::kConditionCheckFailure));
  });
  request.max_write_request_units = in->OptionalInteger("max_write_request_units");
  if (in->Has("performance_tier")) {
    request.performance_tier =
        in->Enumerator("performance_tier", BulkOperationPerformanceTier::kAccelerated);
  }
  return request;
}

void WriteUsage(const BulkOperationUsage& usage, FieldWriter* out) {
  const auto write_index = [out](const auto& entry, int64_t bytes) {
    out->Text("index", entry.first);
    out->Integer("bytes", bytes);
  };
  const auto write_plain = [&](const auto& entry) {
    write_index(entry, entry.second.bulk_put_bytes);
  };
  out->Integer("table_bytes", usage.table.bulk_put_bytes);
  out->List("local_bytes", usage.local_secondary_indexes, write_plain);
  out->List("global_bytes", usage.global_secondary_indexes, write_plain);
  out->List("vector_bytes", usage.vector_indexes,
            [&](const auto& entry) { write_index(entry, entry.second.bulk_put_vector_bytes); });
}

BulkOperationUsage ReadUsage(std::string_view table_name, FieldReader* in) {
  BulkOperationUsage usage;
  usage.table_name = table_name;
  usage.table.bulk_put_bytes = usage.bulk_put_bytes = in->Integer("table_bytes", 0);
  const auto read_plain = [&](auto* indexes) {
    return [&usage, indexes](FieldReader entry) {
      const int64_t bytes = entry.Integer("bytes", 0);
      usage.bulk_put_bytes += bytes;
      indexes->emplace_back(entry.Text("index"), BulkOperationBytes{.bulk_put_bytes = bytes});
    };
  };
  in->List("local_bytes", read_plain(&usage.local_secondary_indexes));
  in->List("global_bytes", read_plain(&usage.global_secondary_indexes));
  in->List("vector_bytes", [&usage](FieldReader entry) {
    usage.vector_indexes.emplace_back(
        entry.Text("index"),
        BulkOperationVectorBytes{.bulk_put_vector_bytes = entry.Integer("bytes", 0)});
  });
  return usage;
}

void Write(const BulkPutState& description, FieldWriter* out) {
  WriteOutcome(description, out);
  WriteBulkRequest(description.request, out);
  WriteUsage(description.usage, out);
  out->Text("arn", description.bulk_operation_arn);
  out->Text("plain_table_name", description.table_name);
  out->Text("table_id", description.table_id);
  out->Integer("processed_item_count", description.processed_item_count);
  out->Integer("processed_input_bytes", description.processed_input_bytes);
  out->Integer("total_input_bytes", description.total_input_bytes);
  out->Integer("failed_item_count", description.failed_item_count);
}

absl::Status Read(FieldReader in, BulkPutState* description) {
  ReadOutcome(&in, description);
  description->request = ReadBulkRequest(&in);
  description->usage = ReadUsage(description->request.table_name, &in);
  description->bulk_operation_arn = in.Text("arn");
  description->table_name = in.Text("plain_table_name");
  description->table_id = in.Text("table_id");
  description->processed_item_count = in.Integer("processed_item_count", 0);
  description->processed_input_bytes = in.Integer("processed_input_bytes", 0);
  description->total_input_bytes = in.OptionalInteger("total_input_bytes");
  description->failed_item_count = in.Integer("failed_item_count", 0);
  return absl::OkStatus();
}

template <typename Description>
std::string Encode(const TransferRecord<Description>& record) {
  FieldWriter out;
  out.Begin();
  out.Bytes("fingerprint", record.fingerprint);
  Write(record.description, &out);
  return out.Finish();
}

template <typename Description>
absl::StatusOr<TransferRecord<Description>> Decode(std::string_view id, std::string_view bytes) {
  const std::string key = TransferKey(kKeys<Description>.begin, id);
  const auto damaged = [&key](std::string_view what) {
    return absl::DataLossError(messages::TransferEntryDamaged(key, what));
  };
  const absl::StatusOr<ItemView> fields = ItemView::Parse(bytes);
  if (!fields.ok()) return damaged(ToStd(fields.status().message()));
  TransferRecord<Description> record;
  std::string first_damaged;
  FieldReader in(*fields, &first_damaged);
  record.id = id;
  record.fingerprint = in.Bytes("fingerprint");
  const absl::Status read = Read(in, &record.description);
  if (!first_damaged.empty()) return damaged(first_damaged);
  if (!read.ok()) return damaged(ToStd(read.message()));
  return record;
}

const std::optional<std::string>& GetClientToken(const ExportState& description) {
  return description.request.client_token;
}
const std::optional<std::string>& GetClientToken(const ImportState& description) {
  return description.client_token;
}
const std::optional<std::string>& GetClientToken(const BulkPutState& description) {
  return description.request.client_token;
}

// From when on the hours of its token are counted.
template <typename Description>
absl::Time TokenBegins(const Description& description, absl::Time now) {
  return description.end_time.value_or(now);
}
absl::Time TokenBegins(const BulkPutState& description, absl::Time /*now*/) {
  return description.start_time;
}

bool CanBeTable(std::string_view name) {
  const Shape& input = ShapeAt(members::RestoreTableFromBackupInput::kShape);
  const ShapeMember& member =
      input.members()[members::RestoreTableFromBackupInput::kTargetTableName];
  return IsSound(ShapeAt(member.shape), name);
}

}  // namespace

template <typename Description>
absl::StatusOr<std::string> TransferRecords<Description>::NewId(absl::Time now) const {
  for (;;) {
    std::string id = NewTimedId(now);
    Row row;
    DYNOLITH_ASSIGN_OR_RETURN(
        const bool taken,
        store_->Get(Family::kMeta, TransferKey(kKeys<Description>.begin, id), &row));
    if (!taken) return id;
  }
}

template <typename Description>
absl::StatusOr<std::optional<TransferRecord<Description>>> TransferRecords<Description>::Find(
    std::string_view id) const {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(
      const bool found,
      store_->Get(Family::kMeta, TransferKey(kKeys<Description>.begin, id), &row));
  if (!found) return std::optional<Record>();
  return Decode<Description>(id, row.value());
}

template <typename Description>
absl::Status TransferRecords<Description>::ForEach(
    std::string_view before, absl::FunctionRef<bool(const Record& record)> visit) const {
  const std::string_view prefix = kKeys<Description>.begin;
  const std::string end =
      before.empty() ? std::string(kKeys<Description>.end) : TransferKey(prefix, before);
  Cursor cursor = store_->Scan(Family::kMeta, prefix, end, Direction::kBackward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    DYNOLITH_ASSIGN_OR_RETURN(
        const Record record,
        Decode<Description>(cursor.key().substr(prefix.size()), cursor.value()));
    if (!visit(record)) break;
  }
  return cursor.status();
}

template <typename Description>
absl::StatusOr<std::optional<TransferRecord<Description>>>
TransferRecords<Description>::FindByToken(const std::optional<std::string>& token,
                                          absl::Time now) const {
  std::optional<Record> found;
  if (!token) return found;
  const auto visit = [&](const Record& record) {
    const absl::Duration age = now - TokenBegins(record.description, now);
    if (GetClientToken(record.description) == token && age <= absl::Hours(kTransferTokenHours)) {
      found = record;
    }
    return !found;
  };
  DYNOLITH_RETURN_IF_ERROR(ForEach("", visit));
  return found;
}

template <typename Description>
absl::StatusOr<int> TransferRecords<Description>::CountInProgress() const {
  int count = 0;
  DYNOLITH_RETURN_IF_ERROR(ForEach("", [&count](const Record& record) {
    if (IsUnderWay(record.description.status)) ++count;
    return true;
  }));
  return count;
}

template <typename Description>
absl::Status TransferRecords<Description>::Put(const Record& record) const {
  WriteBatch batch;
  Put(record, &batch);
  return store_->Commit(batch);
}

template <typename Description>
void TransferRecords<Description>::Put(const Record& record, WriteBatch* batch) const {
  batch->Put(Family::kMeta, TransferKey(kKeys<Description>.begin, record.id), Encode(record));
}

template <typename Description>
absl::Status TransferRecords<Description>::Purge(absl::Time now) const {
  const absl::Time oldest = now - absl::Hours(24 * kTransferDays);
  if (oldest <= absl::UnixEpoch()) return absl::OkStatus();
  const std::string_view prefix = kKeys<Description>.begin;
  // As NewTimedId begins.
  constexpr size_t kDigits = 14;
  const std::string millis = std::to_string(absl::ToUnixMillis(oldest));
  const std::string end =
      Concat(prefix, std::string(kDigits - std::min(kDigits, millis.size()), '0'), millis);
  Cursor cursor = store_->Scan(Family::kMeta, prefix, end, Direction::kForward);
  WriteBatch batch;
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    batch.Delete(Family::kMeta, cursor.key());
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return batch.empty() ? absl::OkStatus() : store_->Commit(batch);
}

template class TransferRecords<ExportState>;
template class TransferRecords<ImportState>;
template class TransferRecords<BulkPutState>;

std::string CanonicalExport(const ExportTableToPointInTimeRequest& request) {
  FieldWriter out;
  out.Begin();
  WriteExportRequest(request, &out);
  return out.Finish();
}

std::string CanonicalBulkPut(const StartBulkPutItemsRequest& request) {
  FieldWriter out;
  out.Begin();
  WriteBulkRequest(request, &out);
  return out.Finish();
}

std::string TransferArn(std::string_view table_arn, std::string_view kind, std::string_view id) {
  return Concat(table_arn, "/", kind, "/", id);
}

std::string_view TransferIdFromArn(std::string_view arn, std::string_view kind) {
  const ArnParts parts = SplitArn(arn);
  if (!arn.starts_with("arn:") || parts.service != "dynamodb" ||
      !parts.resource.starts_with(kTableResource)) {
    return "";
  }
  const std::string_view resource = parts.resource.substr(kTableResource.size());
  const size_t at = resource.find(Concat("/", kind, "/"));
  if (at == std::string_view::npos || !CanBeTable(resource.substr(0, at))) return "";
  return resource.substr(at + kind.size() + 2);
}

}  // namespace dynolith
