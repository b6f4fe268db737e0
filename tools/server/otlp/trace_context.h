// Which trace a call belongs to: what its caller has said in a header, or one of its own.
//
//   traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01   (W3C Trace Context)
//   X-Amzn-Trace-Id: Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1
//                                        ("Tracing header" of the AWS X-Ray developer guide)
#ifndef DYNOLITH_TOOLS_SERVER_OTLP_TRACE_CONTEXT_H_
#define DYNOLITH_TOOLS_SERVER_OTLP_TRACE_CONTEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include "tools/server/http/request.h"

namespace dynolith::otlp {

// As in OTLP: 16 and 8 bytes, not all of them zero.
using TraceId = std::string;
using SpanId = std::string;

struct TraceContext {
  TraceId trace;
  SpanId parent;                // empty: the trace has no span yet
  std::optional<bool> sampled;  // the caller's decision; nullopt: it has left that to others
  std::string state;            // of the header tracestate
};

// nullopt: the header is invalid.
std::optional<TraceContext> ParseTraceparent(std::string_view header);
std::optional<TraceContext> ParseAmazonTraceId(std::string_view header);

// Of W3C's header, else of Amazon's; nullopt: the caller has no valid one.
std::optional<TraceContext> FindTraceContext(const http::Request& request);

// Random ones. Thread-safe.
TraceId DrawTraceId();
SpanId DrawSpanId();

// Whether a trace is among those of that ratio, from 0 to 1: by the last 56 bits of its id, so that
// all who ask the same ratio keep the same traces (W3C Trace Context, level 2: those bits are
// random).
bool IsSampled(const TraceId& trace, double ratio);

}  // namespace dynolith::otlp

#endif  // DYNOLITH_TOOLS_SERVER_OTLP_TRACE_CONTEXT_H_
