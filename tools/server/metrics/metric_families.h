// A server's figures as they are described once: rendered for Prometheus, and sent by OTLP. Each
// family has a name, what it means, and its series.
#ifndef DYNOLITH_TOOLS_SERVER_METRICS_METRIC_FAMILIES_H_
#define DYNOLITH_TOOLS_SERVER_METRICS_METRIC_FAMILIES_H_

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>

#include <string>
#include <string_view>
#include <vector>

namespace dynolith {

using MetricFamily = prometheus::MetricFamily;
using MetricFamilies = std::vector<MetricFamily>;
using MetricLabels = std::vector<prometheus::ClientMetric::Label>;

// "requests_total" becomes "dynolith_requests_total". The family is the last one, and valid until
// the next one is added.
MetricFamily& AddCounters(std::string_view name, std::string_view help, MetricFamilies* families);
MetricFamily& AddGauges(std::string_view name, std::string_view help, MetricFamilies* families);
MetricFamily& AddHistograms(std::string_view name, std::string_view help, MetricFamilies* families);

// A series of a family of that type. Counters count from the start of the server.
void AddCounter(MetricLabels labels, double value, MetricFamily* family);
void AddGauge(MetricLabels labels, double value, MetricFamily* family);

// A family with one series without labels.
void AddCount(std::string_view name, std::string_view help, double value, MetricFamilies* families);
void AddLevel(std::string_view name, std::string_view help, double value, MetricFamilies* families);

// In Prometheus' format.
std::string MetricsText(const MetricFamilies& families);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_METRICS_METRIC_FAMILIES_H_
