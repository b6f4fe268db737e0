#include "tools/lab/report/trace_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/experiment/recorded_trace.h"
#include "tools/lab/report/messages.h"
#include "tools/lab/result/run_result.h"
#include "tools/lab/text/figures_text.h"
#include "tools/server/trace/trace_reader.h"

namespace dynolith::lab {
namespace {

using trace::Request;
using trace::Use;

constexpr size_t kHottestOfTrace = 5;
constexpr size_t kTimeRows = 20;
constexpr size_t kBarWidth = 40;

// The use by requests, or of a key.
struct TracedSum {
  uint64_t count = 0;
  uint64_t throttled = 0;
  PerKind<double> units;

  void Add(const Use& use) {
    ++(use.throttled ? throttled : count);
    units[use.kind] += static_cast<double>(use.half_units) / 2;
  }
};

struct TracedResource {
  TracedSum sum;
  absl::flat_hash_map<uint64_t, std::pair<TracedSum, std::string>> keys;  // by hash; and its text
};

// Adds up a trace while it is read.
class TraceSums {
 public:
  void Add(const Request& request) {
    ++requests_;
    begin_ = std::min(begin_, request.at);
    end_ = std::max(end_, request.at);
    Second& second = seconds_[request.at / kSecond];
    ++second.requests;
    if (request.uses.empty()) return;
    TracedSum& operation = operations_[{request.operation, request.uses.front().resource}];
    ++operation.count;
    bool is_throttled = false;
    for (const Use& use : request.uses) {
      is_throttled = is_throttled || use.throttled;
      operation.units[use.kind] += static_cast<double>(use.half_units) / 2;
      second.units[use.kind] += static_cast<double>(use.half_units) / 2;
      AddTo(&resources_[use.resource], use);
    }
    if (is_throttled) ++operation.throttled;
  }

  std::string Text(const std::string& file, const trace::TraceContents& contents, size_t width) {
    std::string text = messages::TraceHolds(file, WholeText(requests_), contents.files,
                                            BytesText(contents.bytes), contents.has_plain_keys);
    if (contents.dropped > 0) text += messages::TraceDropped(contents.dropped);
    if (requests_ == 0) return text;
    text += messages::TracePeriod(DateText(begin_), DateText(end_), TimeText(end_ - begin_));
    text += Concat("\n", Operations(contents, width), "\n", Resources(contents, width), "\n",
                   OverTime(width));
    return text;
  }

 private:
  struct Second {
    uint64_t requests = 0;
    PerKind<double> units;
  };

  static void AddTo(TracedResource* resource, const Use& use) {
    resource->sum.Add(use);
    if (!use.has_key) return;
    auto& [sum, text] = resource->keys[use.hash];
    sum.Add(use);
    // In the form of the trace; only a few are converted to text at the end.
    if (text.empty()) text = use.partition_key;
  }

  double PerSecond(double count) const {
    return count / std::max(1.0, static_cast<double>(end_ - begin_) / kSecond);
  }
  std::string RateText(double count) const { return count > 0 ? FigureText(PerSecond(count)) : ""; }

  static std::string DateText(Micros at) {
    const absl::Time time = absl::FromUnixMicros(at);
    return absl::FormatTime("%Y-%m-%d %H:%M:%E3S", time, absl::UTCTimeZone());
  }

  std::string Operations(const trace::TraceContents& contents, size_t width) const {
    TextColumns columns({{"operation"},
                         {"table or index", true},
                         {"requests"},
                         {"requests/s"},
                         {"throttled"},
                         {"read units/s"},
                         {"write units/s"}});
    std::vector<std::pair<uint64_t, std::pair<trace::Operation, uint32_t>>> order;
    for (const auto& [what, sum] : operations_) order.emplace_back(sum.count, what);
    std::sort(order.begin(), order.end(), [](const auto& left, const auto& right) {
      return std::pair(~left.first, left.second) < std::pair(~right.first, right.second);
    });
    for (const auto& [count, what] : order) {
      const TracedSum& sum = operations_.at(what);
      columns.Add({std::string(trace::OperationName(what.first)),
                   ResourceName(contents.resources[what.second]), WholeText(count),
                   RateText(static_cast<double>(count)), CountText(sum.throttled),
                   RateText(sum.units.read), RateText(sum.units.write)});
    }
    return columns.Text(2, width);
  }

  static std::string WholeText(uint64_t count) {
    return count < 1'000 ? Concat(count) : FigureText(static_cast<double>(count));
  }
  static std::string CountText(uint64_t count) { return count == 0 ? "" : WholeText(count); }

  std::string Resources(const trace::TraceContents& contents, size_t width) const {
    TextColumns columns({{"table or index"},
                         {"billing", true},
                         {"partition keys"},
                         {"read units/s"},
                         {"write units/s"},
                         {"throttled"},
                         {"hottest keys, units/s", true}});
    for (const auto& [number, used] : resources_) {
      const trace::Resource& resource = contents.resources[number];
      columns.Add({ResourceName(resource),
                   resource.on_demand
                       ? "on demand"
                       : Concat(resource.units.read, " read, ", resource.units.write, " write"),
                   CountText(used.keys.size()), RateText(used.sum.units.read),
                   RateText(used.sum.units.write), CountText(used.sum.throttled),
                   Hottest(resource, used)});
    }
    return columns.Text(2, width);
  }

  std::string Hottest(const trace::Resource& resource, const TracedResource& used) const {
    std::vector<std::pair<double, uint64_t>> order;
    for (const auto& [hash, key] : used.keys) {
      order.emplace_back(-PartitionSeconds(key.first.units), hash);
    }
    const size_t shown = std::min(kHottestOfTrace, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown),
                      order.end());
    std::string text;
    for (size_t i = 0; i < shown; ++i) {
      const uint64_t hash = order[i].second;
      const PerKind<double>& units = used.keys.at(hash).first.units;
      Use use;
      use.hash = hash;
      use.partition_key = used.keys.at(hash).second;
      const std::string key = use.partition_key.empty() ? trace::HashText(hash)
                                                        : trace::PartitionKeyText(resource, use);
      text += Concat(i == 0 ? "" : ", ", key, " ",
                     FiguresText({PerSecond(units.read), PerSecond(units.write)}));
    }
    return text;
  }

  // A row for each of some equal parts of the time.
  std::string OverTime(size_t width) const {
    const Micros first = begin_ / kSecond;
    const Micros all = end_ / kSecond - first + 1;
    const Micros step = (all + static_cast<Micros>(kTimeRows) - 1) / static_cast<Micros>(kTimeRows);
    std::vector<Second> rows(static_cast<size_t>((all + step - 1) / step));
    for (const auto& [at, second] : seconds_) {
      Second& row = rows[static_cast<size_t>((at - first) / step)];
      row.requests += second.requests;
      for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
        row.units[kind] += second.units[kind];
      }
    }
    uint64_t most = 1;
    for (const Second& row : rows) most = std::max(most, row.requests);
    TextColumns columns(
        {{"from"}, {"requests/s"}, {"read units/s"}, {"write units/s"}, {"", true}});
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto rate = [&](double sum) { return FigureText(sum / static_cast<double>(step)); };
      columns.Add({TimeText(static_cast<Micros>(i) * step * kSecond),
                   rate(static_cast<double>(rows[i].requests)), rate(rows[i].units.read),
                   rate(rows[i].units.write),
                   std::string(rows[i].requests * kBarWidth / most, '#')});
    }
    return columns.Text(2, width);
  }

  uint64_t requests_ = 0;
  Micros begin_ = std::numeric_limits<Micros>::max();
  Micros end_ = 0;
  std::map<std::pair<trace::Operation, uint32_t>, TracedSum> operations_;
  std::map<uint32_t, TracedResource> resources_;
  std::map<Micros, Second> seconds_;
};

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string_view ThrottlingReasonText(const Use& use) {
  if (!use.throttled) return "";
  switch (*use.throttled) {
    case ThroughputLimit::kProvisionedThroughput:
      return "provisioned";
    case ThroughputLimit::kKeyRange:
      return "key_range";
    case ThroughputLimit::kMaxOnDemand:
      return "max_on_demand";
    case ThroughputLimit::kAccount:
      return "account";
  }
  return "";
}

}  // namespace

absl::StatusOr<TraceText> SummaryOfTrace(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read, size_t width) {
  TraceSums sums;
  DYNOLITH_ASSIGN_OR_RETURN(
      const RequestsRead requests,
      ReadRequests(file, read, {}, [&](const Request& request) { sums.Add(request); }));
  return TraceText{sums.Text(file, requests.contents, width), requests.contents.warnings};
}

absl::StatusOr<TraceText> CsvOfTrace(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read) {
  // Names are known only after reading everything.
  struct Row {
    uint64_t request = 0;
    Micros at = 0;
    trace::Operation operation = trace::Operation::kOther;
    Use use;
    std::string key;
  };
  std::vector<Row> rows;
  uint64_t requests = 0;
  const auto add = [&](const Request& request) {
    ++requests;
    for (const Use& use : request.uses) {
      rows.push_back(
          {requests, request.at, request.operation, use, std::string(use.partition_key)});
    }
  };
  DYNOLITH_ASSIGN_OR_RETURN(const RequestsRead all, ReadRequests(file, read, {}, add));
  const trace::TraceContents& contents = all.contents;
  std::string text =
      "request,time,operation,table,index,kind,units,bytes,throttled,position,partition_key\n";
  for (Row& row : rows) {
    const trace::Resource& resource = contents.resources[row.use.resource];
    row.use.partition_key = row.key;
    row.use.sort_key = {};
    const std::string key = !row.use.has_key  ? ""
                            : row.key.empty() ? trace::HashText(row.use.hash)
                                              : trace::PartitionKeyText(resource, row.use);
    text += Concat(
        row.request, ",", ExactText(static_cast<double>(row.at) * 1e-6), ",",
        trace::OperationName(row.operation), ",", CsvField(resource.table), ",",
        CsvField(resource.index), ",", row.use.kind == AccessKind::kWrite ? "write" : "read", ",",
        ExactText(static_cast<double>(row.use.half_units) / 2), ",", row.use.bytes, ",",
        ThrottlingReasonText(row.use), ",",
        ExactText(static_cast<double>(row.use.hash >> 32) * 0x1p-32), ",", CsvField(key), "\n");
  }
  return TraceText{std::move(text), contents.warnings};
}

}  // namespace dynolith::lab
