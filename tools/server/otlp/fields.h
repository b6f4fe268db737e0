// The numbers of the fields of OTLP's messages (opentelemetry/proto/…/v1, version 1), and the
// values of their enumerations.
#ifndef DYNOLITH_TOOLS_SERVER_OTLP_FIELDS_H_
#define DYNOLITH_TOOLS_SERVER_OTLP_FIELDS_H_

#include <cstdint>

namespace dynolith::otlp::fields {

// KeyValue, AnyValue, ArrayValue, InstrumentationScope and Resource.
inline constexpr uint32_t kKey = 1;
inline constexpr uint32_t kValue = 2;
inline constexpr uint32_t kStringValue = 1;
inline constexpr uint32_t kIntValue = 3;
inline constexpr uint32_t kArrayValue = 5;
inline constexpr uint32_t kArrayValues = 1;
inline constexpr uint32_t kScopeName = 1;
inline constexpr uint32_t kResourceAttributes = 1;

// ExportTraceServiceRequest and ExportMetricsServiceRequest, ResourceSpans and ResourceMetrics,
// ScopeSpans and ScopeMetrics.
inline constexpr uint32_t kOfResources = 1;
inline constexpr uint32_t kResource = 1;
inline constexpr uint32_t kOfScopes = 2;
inline constexpr uint32_t kScope = 1;
inline constexpr uint32_t kInScope = 2;

// ExportTraceServiceResponse and ExportMetricsServiceResponse, their partial successes, and
// google.rpc.Status.
inline constexpr uint32_t kPartialSuccess = 1;
inline constexpr uint32_t kRejected = 1;
inline constexpr uint32_t kErrorMessage = 2;
inline constexpr uint32_t kRpcMessage = 2;

// Span and Status.
inline constexpr uint32_t kTraceId = 1;
inline constexpr uint32_t kSpanId = 2;
inline constexpr uint32_t kTraceState = 3;
inline constexpr uint32_t kParentSpanId = 4;
inline constexpr uint32_t kSpanName = 5;
inline constexpr uint32_t kKind = 6;
inline constexpr uint64_t kServerKind = 2;  // SPAN_KIND_SERVER
inline constexpr uint32_t kSpanStart = 7;
inline constexpr uint32_t kSpanEnd = 8;
inline constexpr uint32_t kSpanAttributes = 9;
inline constexpr uint32_t kStatus = 15;
inline constexpr uint32_t kStatusCode = 3;
inline constexpr uint64_t kErrorCode = 2;  // STATUS_CODE_ERROR
inline constexpr uint32_t kFlags = 16;
inline constexpr uint32_t kSampledFlag = 1;  // of W3C
// SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK and SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK.
inline constexpr uint32_t kRemoteParentFlags = 0x300;

// Metric, and its Gauge, Sum or Histogram.
inline constexpr uint32_t kMetricName = 1;
inline constexpr uint32_t kDescription = 2;
inline constexpr uint32_t kUnit = 3;
inline constexpr uint32_t kGauge = 5;
inline constexpr uint32_t kSum = 7;
inline constexpr uint32_t kHistogram = 9;
inline constexpr uint32_t kPoints = 1;
inline constexpr uint32_t kTemporality = 2;
inline constexpr uint64_t kCumulative = 2;  // AGGREGATION_TEMPORALITY_CUMULATIVE
inline constexpr uint32_t kIsMonotonic = 3;

// NumberDataPoint and HistogramDataPoint.
inline constexpr uint32_t kPointStart = 2;
inline constexpr uint32_t kPointTime = 3;
inline constexpr uint32_t kAsDouble = 4;
inline constexpr uint32_t kNumberAttributes = 7;
inline constexpr uint32_t kCount = 4;
inline constexpr uint32_t kSumOfValues = 5;
inline constexpr uint32_t kBucketCounts = 6;
inline constexpr uint32_t kExplicitBounds = 7;
inline constexpr uint32_t kHistogramAttributes = 9;

}  // namespace dynolith::otlp::fields

#endif  // DYNOLITH_TOOLS_SERVER_OTLP_FIELDS_H_
