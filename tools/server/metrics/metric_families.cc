#include "tools/server/metrics/metric_families.h"

#include <prometheus/text_serializer.h>

#include <utility>

#include "engine/base/strings.h"

namespace dynolith {
namespace {

using prometheus::MetricType;

MetricFamily& AddFamily(std::string_view name, std::string_view help, MetricType type,
                        MetricFamilies* families) {
  return families->emplace_back(
      MetricFamily{Concat("dynolith_", name), std::string(help), type, {}});
}

}  // namespace

MetricFamily& AddCounters(std::string_view name, std::string_view help, MetricFamilies* families) {
  return AddFamily(name, help, MetricType::Counter, families);
}
MetricFamily& AddGauges(std::string_view name, std::string_view help, MetricFamilies* families) {
  return AddFamily(name, help, MetricType::Gauge, families);
}
MetricFamily& AddHistograms(std::string_view name, std::string_view help,
                            MetricFamilies* families) {
  return AddFamily(name, help, MetricType::Histogram, families);
}

void AddCounter(MetricLabels labels, double value, MetricFamily* family) {
  prometheus::ClientMetric& metric = family->metric.emplace_back();
  metric.label = std::move(labels);
  metric.counter.value = value;
}
void AddGauge(MetricLabels labels, double value, MetricFamily* family) {
  prometheus::ClientMetric& metric = family->metric.emplace_back();
  metric.label = std::move(labels);
  metric.gauge.value = value;
}

void AddCount(std::string_view name, std::string_view help, double value,
              MetricFamilies* families) {
  AddCounter({}, value, &AddCounters(name, help, families));
}
void AddLevel(std::string_view name, std::string_view help, double value,
              MetricFamilies* families) {
  AddGauge({}, value, &AddGauges(name, help, families));
}

std::string MetricsText(const MetricFamilies& families) {
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace dynolith
