#include "tools/server/otlp/export_request.h"

#include <cmath>
#include <utility>

#include "tools/server/otlp/attributes.h"
#include "tools/server/otlp/fields.h"
#include "tools/server/otlp/protobuf.h"

namespace dynolith::otlp {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;

// A request with one resource and one scope, whose spans or metrics `write` appends.
template <typename Write>
std::string EncodeRequest(std::string_view resource, const Write& write) {
  std::string bytes;
  ProtobufWriter(&bytes).Message(fields::kOfResources, [&](ProtobufWriter* of_resource) {
    of_resource->Bytes(fields::kResource, resource);
    of_resource->Message(fields::kOfScopes, [&](ProtobufWriter* of_scope) {
      of_scope->Message(fields::kScope, [](ProtobufWriter* scope) {
        scope->Bytes(fields::kScopeName, "dynolith");
      });
      write(of_scope);
    });
  });
  return bytes;
}

// By the words that Prometheus' names end with; empty: a count of something.
std::string_view UnitOf(std::string_view name) {
  constexpr std::string_view kTotal = "_total";
  if (name.ends_with(kTotal)) name.remove_suffix(kTotal.size());
  if (name.ends_with("_seconds")) return "s";
  if (name.ends_with("_bytes_per_second")) return "By/s";
  if (name.ends_with("_bytes")) return "By";
  return "";
}

std::string KeyOf(const MetricFamily& family, const ClientMetric& series) {
  std::string key = family.name;
  for (const ClientMetric::Label& label : series.label) {
    key.append(1, '\0').append(label.name).append(1, '\0').append(label.value);
  }
  return key;
}

uint64_t Nanoseconds(absl::Time time) { return static_cast<uint64_t>(absl::ToUnixNanos(time)); }

void AddLabels(uint32_t field, const ClientMetric& series, ProtobufWriter* point) {
  for (const ClientMetric::Label& label : series.label) {
    AddText(field, label.name, label.value, point);
  }
}

void AddNumber(const ClientMetric& series, double value, ProtobufWriter* point) {
  AddLabels(fields::kNumberAttributes, series, point);
  point->Double(fields::kAsDouble, value);
}

// Prometheus counts in a bucket what is in those before it, too.
void AddBuckets(const prometheus::ClientMetric::Histogram& histogram, ProtobufWriter* point) {
  std::vector<uint64_t> counts;
  std::vector<double> bounds;
  uint64_t before = 0;
  for (const ClientMetric::Bucket& bucket : histogram.bucket) {
    counts.push_back(bucket.cumulative_count - before);
    before = bucket.cumulative_count;
    if (!std::isinf(bucket.upper_bound)) bounds.push_back(bucket.upper_bound);
  }
  point->Fixed64(fields::kCount, histogram.sample_count);
  point->Double(fields::kSumOfValues, histogram.sample_sum);
  point->PackedFixed64(fields::kBucketCounts, counts);
  point->PackedDoubles(fields::kExplicitBounds, bounds);
}

class MetricEncoder {
 public:
  MetricEncoder(absl::Time now, SeriesStarts* starts) : now_(Nanoseconds(now)), starts_(starts) {}

  void Add(const MetricFamily& family, ProtobufWriter* metric) {
    metric->Bytes(fields::kMetricName, family.name);
    metric->Bytes(fields::kDescription, family.help);
    const std::string_view unit = UnitOf(family.name);
    if (!unit.empty()) metric->Bytes(fields::kUnit, unit);
    switch (family.type) {
      case MetricType::Counter:
        return metric->Message(fields::kSum, [&](ProtobufWriter* sum) { AddSum(family, sum); });
      case MetricType::Histogram:
        return metric->Message(fields::kHistogram,
                               [&](ProtobufWriter* histogram) { AddHistogram(family, histogram); });
      default:
        return metric->Message(fields::kGauge,
                               [&](ProtobufWriter* gauge) { AddGauge(family, gauge); });
    }
  }

 private:
  // Fields of both kinds of points.
  void AddTimes(const MetricFamily& family, const ClientMetric& series, double counted,
                ProtobufWriter* point) {
    point->Fixed64(fields::kPointStart,
                   Nanoseconds(starts_->StartOf(KeyOf(family, series), counted)));
    point->Fixed64(fields::kPointTime, now_);
  }

  void AddSum(const MetricFamily& family, ProtobufWriter* sum) {
    for (const ClientMetric& series : family.metric) {
      sum->Message(fields::kPoints, [&](ProtobufWriter* point) {
        AddTimes(family, series, series.counter.value, point);
        AddNumber(series, series.counter.value, point);
      });
    }
    sum->Varint(fields::kTemporality, fields::kCumulative);
    sum->Varint(fields::kIsMonotonic, 1);
  }

  void AddHistogram(const MetricFamily& family, ProtobufWriter* histogram) {
    for (const ClientMetric& series : family.metric) {
      histogram->Message(fields::kPoints, [&](ProtobufWriter* point) {
        AddTimes(family, series, static_cast<double>(series.histogram.sample_count), point);
        AddBuckets(series.histogram, point);
        AddLabels(fields::kHistogramAttributes, series, point);
      });
    }
    histogram->Varint(fields::kTemporality, fields::kCumulative);
  }

  void AddGauge(const MetricFamily& family, ProtobufWriter* gauge) const {
    for (const ClientMetric& series : family.metric) {
      gauge->Message(fields::kPoints, [&](ProtobufWriter* point) {
        point->Fixed64(fields::kPointTime, now_);
        AddNumber(series, series.gauge.value, point);
      });
    }
  }

  const uint64_t now_;
  SeriesStarts* const starts_;
};

}  // namespace

absl::Time SeriesStarts::StartOf(const std::string& key, double value) {
  const auto before = known_.find(key);
  const bool goes_on = before != known_.end() && before->second.value <= value;
  const absl::Time start = goes_on ? before->second.start : last_look_;
  seen_[key] = {.start = start, .value = value};
  return start;
}

void SeriesStarts::End(absl::Time now) {
  known_ = std::exchange(seen_, {});
  last_look_ = now;
}

std::string EncodeMetrics(const MetricFamilies& families, std::string_view resource, absl::Time now,
                          SeriesStarts* starts) {
  MetricEncoder encoder(now, starts);
  starts->Begin();
  std::string bytes = EncodeRequest(resource, [&](ProtobufWriter* scope) {
    for (const MetricFamily& family : families) {
      if (family.metric.empty()) continue;
      scope->Message(fields::kInScope,
                     [&](ProtobufWriter* metric) { encoder.Add(family, metric); });
    }
  });
  starts->End(now);
  return bytes;
}

std::string EncodeTraces(const std::vector<std::string>& spans, std::string_view resource) {
  return EncodeRequest(resource, [&](ProtobufWriter* scope) {
    for (const std::string& span : spans) scope->Bytes(fields::kInScope, span);
  });
}

}  // namespace dynolith::otlp
