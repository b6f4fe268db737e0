// The span of a call: OTLP's Span, with the attributes of OpenTelemetry's conventions for calls of
// DynamoDB and of AWS's API.
#ifndef DYNOLITH_TOOLS_SERVER_OTLP_SPAN_H_
#define DYNOLITH_TOOLS_SERVER_OTLP_SPAN_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "engine/partition/tokens.h"
#include "tools/server/otlp/trace_context.h"

namespace dynolith::otlp {

// What a call has consumed of a table.
struct TableUse {
  Tokens of_table = 0;  // with its local indexes
  std::map<std::string, Tokens, std::less<>> of_indexes;
};
// By the table's name.
using CallUse = std::map<std::string, TableUse, std::less<>>;

struct CallSpan {
  TraceContext context;  // sampled, or undecided
  SpanId id;
  std::string_view service;    // "DynamoDB"
  std::string_view operation;  // "PutItem"; empty: none of the service's
  absl::Time start;            // by the machine's clock
  absl::Time end;
  std::string_view request_id;
  int http_status = 0;
  std::string_view error;  // an exception's name; empty: it has succeeded
  size_t request_bytes = 0;
  size_t response_bytes = 0;
  std::vector<std::string> tables;
  CallUse use;
};

// "DynamoDB.PutItem".
std::string EncodeSpan(const CallSpan& span);

// One table's use as a member of ConsumedCapacity: {"TableName":"songs","CapacityUnits":1.5,…}.
std::string ConsumedCapacityText(std::string_view table, const TableUse& use);

}  // namespace dynolith::otlp

#endif  // DYNOLITH_TOOLS_SERVER_OTLP_SPAN_H_
