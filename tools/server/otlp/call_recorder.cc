#include "tools/server/otlp/call_recorder.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/json/named_tables.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/model/shapes.h"
#include "engine/text/utf8.h"
#include "tools/server/otlp/span.h"
#include "tools/server/otlp/trace_context.h"

namespace dynolith::otlp {
namespace {

// What the call has used that this thread works for, until it is recorded.
struct CallUnderWay {
  const CallRecorder* recorder = nullptr;
  CallUse use;
};
CallUnderWay& CurrentCall() {
  thread_local CallUnderWay current;
  return current;
}

constexpr std::string_view kTables = "DynamoDB";
constexpr std::string_view kStreams = "DynamoDBStreams";

struct CallName {
  std::string_view service = kTables;
  std::string_view operation;
};

// "DynamoDBStreams_20120810.GetRecords"; what is none of the service's may be anything.
CallName NameOfTarget(std::string_view target) {
  CallName name;
  const bool is_of_streams = target.substr(0, target.find('_')) == kStreams;
  if (is_of_streams) name.service = kStreams;
  const OperationShape* const found =
      FindOperation(is_of_streams ? Service::kStreams : Service::kDynamo,
                    target.substr(std::min(target.find('.'), target.size() - 1) + 1));
  if (found != nullptr) name.operation = found->name;
  return name;
}

std::string_view NameOfError(const http::ExchangeRecord& exchange) {
  if (exchange.is_dropped) return "dropped";
  if (exchange.error) return InfoOf(*exchange.error).exception_name;
  return exchange.status == 200 ? "" : "_OTHER";
}

std::vector<std::string> TablesOf(const http::ExchangeRecord& exchange, const CallUse& use) {
  std::vector<std::string> tables;
  for (const auto& [table, of] : use) tables.push_back(table);
  if (!tables.empty() || exchange.request->Find("content-encoding")) return tables;
  const std::string named = ReplaceNonUtf8(TablesNamedIn(exchange.request->body));
  for (size_t at = 0; at < named.size();) {
    const size_t end = std::min(named.find(',', at), named.size());
    tables.push_back(named.substr(at, end - at));
    at = end + 1;
  }
  return tables;
}

}  // namespace

void CallRecorder::BeginCall(std::string_view /*operation*/) {
  CallUnderWay& current = CurrentCall();
  current.recorder = this;
  current.use.clear();
}

void CallRecorder::NoteAccesses(absl::Span<const ObservedAccess> accesses) {
  CallUnderWay& current = CurrentCall();
  if (current.recorder != this) return;
  for (const ObservedAccess& access : accesses) {
    TableUse& use = current.use[access.table->name];
    if (access.limit) continue;
    Tokens& tokens = access.index == nullptr ? use.of_table : use.of_indexes[access.index->name];
    tokens += access.use->tokens;
  }
}

void CallRecorder::EndCall(const ObservedEnd& end) {
  if (end.given_up) CurrentCall().use.clear();
}

void CallRecorder::Record(const http::ExchangeRecord& exchange) const {
  CallUnderWay& current = CurrentCall();
  CallUse use;
  if (current.recorder == this) use.swap(current.use);
  if (exchange.request == nullptr || exchange.target.empty()) return;
  std::optional<TraceContext> context = FindTraceContext(*exchange.request);
  if (!context) context.emplace(TraceContext{.trace = DrawTraceId()});
  if (!context->sampled.value_or(IsSampled(context->trace, ratio_))) return;
  const CallName name = NameOfTarget(exchange.target);
  const absl::Time end = SystemClock().Now();
  std::vector<std::string> tables = TablesOf(exchange, use);
  keep_(EncodeSpan({.context = *std::move(context),
                    .id = DrawSpanId(),
                    .service = name.service,
                    .operation = name.operation,
                    .start = end - exchange.duration,
                    .end = end,
                    .request_id = exchange.request_id,
                    .http_status = exchange.status,
                    .error = NameOfError(exchange),
                    .request_bytes = exchange.request_bytes,
                    .response_bytes = exchange.response_bytes,
                    .tables = std::move(tables),
                    .use = std::move(use)}));
}

}  // namespace dynolith::otlp
