#include "tools/server/otlp/span.h"

#include <cstdint>

#include "api/json/json_writer.h"
#include "engine/base/strings.h"
#include "tools/server/otlp/attributes.h"
#include "tools/server/otlp/fields.h"
#include "tools/server/otlp/protobuf.h"

namespace dynolith::otlp {
namespace {

constexpr int kServerErrors = 500;
constexpr size_t kUsualSpanBytes = 1024;

void AddUnits(std::string_view name, Tokens tokens, JsonWriter* writer) {
  writer->Key(name);
  writer->Double(static_cast<double>(tokens) / static_cast<double>(kTokensPerUnit));
}

void AddAttributes(const CallSpan& span, ProtobufWriter* writer) {
  const auto text = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) AddText(fields::kSpanAttributes, key, value, writer);
  };
  text("rpc.system", "aws-api");
  text("rpc.service", span.service);
  text("rpc.method", span.operation);
  text("db.system.name", "aws.dynamodb");
  text("aws.request_id", span.request_id);
  if (!span.tables.empty()) {
    AddTexts(fields::kSpanAttributes, "aws.dynamodb.table_names", span.tables, writer);
  }
  if (!span.use.empty()) {
    std::vector<std::string> consumed;
    consumed.reserve(span.use.size());
    for (const auto& [table, use] : span.use) consumed.push_back(ConsumedCapacityText(table, use));
    AddTexts(fields::kSpanAttributes, "aws.dynamodb.consumed_capacity", consumed, writer);
  }
  const auto number = [&](std::string_view key, int64_t value) {
    AddInteger(fields::kSpanAttributes, key, value, writer);
  };
  number("http.response.status_code", span.http_status);
  number("http.request.body.size", static_cast<int64_t>(span.request_bytes));
  number("http.response.body.size", static_cast<int64_t>(span.response_bytes));
  text("error.type", span.error);
}

}  // namespace

std::string ConsumedCapacityText(std::string_view table, const TableUse& use) {
  std::string text;
  JsonWriter writer(&text);
  writer.BeginObject();
  writer.Key("TableName");
  writer.String(table);
  Tokens all = use.of_table;
  for (const auto& [index, tokens] : use.of_indexes) all += tokens;
  AddUnits("CapacityUnits", all, &writer);
  writer.Key("Table");
  writer.BeginObject();
  AddUnits("CapacityUnits", use.of_table, &writer);
  writer.EndObject();
  if (!use.of_indexes.empty()) {
    writer.Key("GlobalSecondaryIndexes");
    writer.BeginObject();
    for (const auto& [index, tokens] : use.of_indexes) {
      writer.Key(index);
      writer.BeginObject();
      AddUnits("CapacityUnits", tokens, &writer);
      writer.EndObject();
    }
    writer.EndObject();
  }
  writer.EndObject();
  return text;
}

std::string EncodeSpan(const CallSpan& span) {
  std::string bytes;
  bytes.reserve(kUsualSpanBytes);
  ProtobufWriter writer(&bytes);
  writer.Bytes(fields::kTraceId, span.context.trace);
  writer.Bytes(fields::kSpanId, span.id);
  if (!span.context.state.empty()) writer.Bytes(fields::kTraceState, span.context.state);
  if (!span.context.parent.empty()) writer.Bytes(fields::kParentSpanId, span.context.parent);
  writer.Bytes(fields::kSpanName, span.operation.empty()
                                      ? std::string(span.service)
                                      : Concat(span.service, ".", span.operation));
  writer.Varint(fields::kKind, fields::kServerKind);
  writer.Fixed64(fields::kSpanStart, static_cast<uint64_t>(absl::ToUnixNanos(span.start)));
  writer.Fixed64(fields::kSpanEnd, static_cast<uint64_t>(absl::ToUnixNanos(span.end)));
  AddAttributes(span, &writer);
  // What a caller has done wrong is not a failure of the server.
  if (span.http_status >= kServerErrors) {
    writer.Message(fields::kStatus, [](ProtobufWriter* status) {
      status->Varint(fields::kStatusCode, fields::kErrorCode);
    });
  }
  writer.Fixed32(
      fields::kFlags,
      fields::kSampledFlag | (span.context.parent.empty() ? 0 : fields::kRemoteParentFlags));
  return bytes;
}

}  // namespace dynolith::otlp
