#include "tools/program/top/top_frame.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "absl/strings/str_format.h"
#include "engine/base/strings.h"
#include "tools/program/top/messages.h"

namespace dynolith {
namespace {

std::string Left(std::string_view text, int width) {
  return absl::StrFormat("%-*s", width, ToAbsl(text));
}

// With one decimal below 100, else without.
std::string Number(double number, int width) {
  return absl::StrFormat("%*.*f", width, number < 99.95 ? 1 : 0, number);
}

std::string Milliseconds(std::optional<double> seconds) {
  if (!seconds) return absl::StrFormat("%10s", "-");
  return absl::StrFormat("%7.2f ms", *seconds * 1e3);
}

std::string TopResourceName(const TopSample::TableAndIndex& of) {
  return of.second.empty() ? of.first : Concat(of.first, "/", of.second);
}

// The growth of a counter, which restarts at 0 with the server.
double Grown(double before, double after) { return after >= before ? after - before : after; }

// At most `columns` characters of UTF-8, without control characters: keys hold arbitrary text.
std::string Printable(std::string_view text, size_t columns) {
  std::string shown;
  size_t characters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool begins = (byte & 0xC0) != 0x80;
    if (begins && characters++ == columns) break;
    shown.push_back(byte < 0x20 || byte == 0x7F ? '?' : c);
  }
  return shown;
}

// The latency that `part` of the calls do not exceed, interpolated linearly within its bucket.
std::optional<double> Quantile(const std::map<double, double>& calls, double part) {
  if (calls.empty() || calls.rbegin()->second <= 0) return std::nullopt;
  const double wanted = part * calls.rbegin()->second;
  double low = 0;
  double below = 0;
  for (const auto& [bound, count] : calls) {
    if (count >= wanted) {
      if (std::isinf(bound)) return low;
      const double within = count > below ? (wanted - below) / (count - below) : 1;
      return low + (bound - low) * within;
    }
    low = bound;
    below = count;
  }
  return low;
}

// Lines with their weights; the heaviest are shown first.
using Weighted = std::vector<std::pair<double, std::string>>;

// The frame of the time between two samples.
class Frame {
 public:
  Frame(const TopSample& before, const TopSample& after, const TopSize& size)
      : before_(before),
        after_(after),
        size_(size),
        seconds_(std::max(0.001, absl::ToDoubleSeconds(after.taken - before.taken))) {}

  std::vector<std::string> Lines(std::string_view url) {
    Head(url);
    Operations();
    Tables();
    Partitions();
    Indexes();
    Links();
    Regions();
    HotKeys(messages::TopHotKeys(), "units/s", before_.accessed, after_.accessed);
    HotItems(messages::TopHotItems(), "units/s", before_.accessed_items, after_.accessed_items);
    HotKeys(messages::TopThrottledKeys(), "a second", before_.throttled, after_.throttled);
    HotItems(messages::TopThrottledItems(), "a second", before_.throttled_items,
             after_.throttled_items);
    return std::move(lines_);
  }

 private:
  double Rate(double before, double after) const { return Grown(before, after) / seconds_; }

  void Line(std::string_view text) { lines_.push_back(Printable(text, size_.columns)); }

  void Section(std::string_view head, Weighted* lines, std::string_view otherwise) {
    Line("");
    Line(head);
    std::stable_sort(lines->begin(), lines->end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (lines->size() > size_.rows) lines->resize(size_.rows);
    for (const auto& [weight, text] : *lines) Line(text);
    if (lines->empty()) Line(otherwise);
  }

  const TopSample::Operation& OperationBefore(const std::string& name) const {
    static const TopSample::Operation kNone;
    const auto it = before_.operations.find(name);
    return it == before_.operations.end() ? kNone : it->second;
  }

  void Head(std::string_view url) {
    double calls = 0;
    for (const auto& [name, operation] : after_.operations) {
      calls += CallsPerSecond(name, operation, /*only_failed=*/false);
    }
    double throttled = 0;
    for (const auto& [of, use] : after_.uses) {
      for (const auto& [reason, rate] : ThrottledPerSecond(of, use)) throttled += rate;
    }
    Line(absl::StrFormat("dynolith top  %s  %s   %.0f connection%s  %.1f calls/s  %.1f throttled/s",
                         ToAbsl(url),
                         absl::FormatTime("%H:%M:%S", after_.taken, absl::LocalTimeZone()),
                         after_.connections, after_.connections == 1 ? "" : "s", calls, throttled));
  }

  double CallsPerSecond(const std::string& name, const TopSample::Operation& operation,
                        bool only_failed) const {
    const TopSample::Operation& before = OperationBefore(name);
    double rate = 0;
    for (const auto& [outcome, count] : operation.outcomes) {
      if (only_failed && outcome == "success") continue;
      const auto it = before.outcomes.find(outcome);
      rate += Rate(it == before.outcomes.end() ? 0 : it->second, count);
    }
    return rate;
  }

  void Operations() {
    Weighted lines;
    for (const auto& [name, operation] : after_.operations) {
      const double rate = CallsPerSecond(name, operation, /*only_failed=*/false);
      if (rate <= 0) continue;
      std::map<double, double> latencies;
      const TopSample::Operation& before = OperationBefore(name);
      for (const auto& [bound, count] : operation.latencies) {
        const auto it = before.latencies.find(bound);
        latencies[bound] = Grown(it == before.latencies.end() ? 0 : it->second, count);
      }
      lines.emplace_back(
          rate,
          Concat(Left(name, 32), Number(rate, 10),
                 Number(CallsPerSecond(name, operation, /*only_failed=*/true), 10),
                 Milliseconds(Quantile(latencies, 0.5)), Milliseconds(Quantile(latencies, 0.99))));
    }
    Section(
        absl::StrFormat("%-32s%10s%10s%10s%10s", "OPERATION", "calls/s", "failed/s", "p50", "p99"),
        &lines, messages::TopNoCalls());
  }

  // Throttled accesses a second, by kind and reason, without zeros.
  std::map<std::string, double> ThrottledPerSecond(const TopSample::TableAndIndex& of,
                                                   const TopSample::Use& use) const {
    std::map<std::string, double> rates;
    const auto before = before_.uses.find(of);
    for (const auto& [reason, count] : use.throttled) {
      double had = 0;
      if (before != before_.uses.end()) {
        const auto it = before->second.throttled.find(reason);
        if (it != before->second.throttled.end()) had = it->second;
      }
      const double rate = Rate(had, count);
      if (rate > 0) rates[reason] = rate;
    }
    return rates;
  }

  void Tables() {
    Weighted lines;
    for (const auto& [of, use] : after_.uses) {
      const auto it = before_.uses.find(of);
      const TopSample::Use before = it == before_.uses.end() ? TopSample::Use() : it->second;
      const double reads = Rate(before.reads, use.reads);
      const double writes = Rate(before.writes, use.writes);
      double throttled = 0;
      std::string why;
      for (const auto& [reason, rate] : ThrottledPerSecond(of, use)) {
        throttled += rate;
        why += Concat(why.empty() ? "" : ", ", reason, " ", ToStd(Number(rate, 0)));
      }
      if (reads + writes + throttled <= 0) continue;
      lines.emplace_back(reads + writes + throttled,
                         Concat(Left(TopResourceName(of), 32), Number(reads, 10),
                                Number(writes, 10), Number(throttled, 12), "  ", why));
    }
    Section(absl::StrFormat("%-32s%10s%10s%12s  %s", "TABLE", "RCU/s", "WCU/s", "throttled/s",
                            "by reason"),
            &lines, messages::TopNothingUsed());
  }

  void Partitions() {
    if (after_.partitions.empty()) return;
    Weighted lines;
    for (const auto& [place, partition] : after_.partitions) {
      const auto it = before_.partitions.find(place);
      const bool is_new = it == before_.partitions.end();
      const double reads = Rate(is_new ? 0 : it->second.reads, partition.reads);
      const double writes = Rate(is_new ? 0 : it->second.writes, partition.writes);
      if (reads + writes <= 0 && partition.split_at == 0) continue;
      const std::string split =
          partition.split_at == 0
              ? ""
              : absl::FormatTime("%H:%M:%S",
                                 absl::FromUnixSeconds(std::llround(partition.split_at)),
                                 absl::LocalTimeZone());
      lines.emplace_back(
          reads + writes,
          Concat(Left(Concat(TopResourceName(place.first), " #", place.second), 32),
                 Number(reads, 10), Number(writes, 10), Number(partition.read_level, 12),
                 Number(partition.write_level, 12), "  ", split));
    }
    Section(absl::StrFormat("%-32s%10s%10s%12s%12s  %s", "PARTITION", "RCU/s", "WCU/s",
                            "reads left", "writes left", "splits at"),
            &lines, messages::TopNothingUsed());
  }

  // Indexes with several shards, those that are being filled, and tags that wait for an index.
  void Indexes() {
    Weighted lines;
    for (const auto& [table, tag] : after_.waiting_tags) {
      lines.emplace_back(3, Concat(Left(Concat(table, "/", tag), 32), messages::TopWaitingTag()));
    }
    for (const auto& [of, index] : after_.indexes) {
      if (index.filling.empty() && index.shards <= 1) continue;
      const std::string to =
          index.moving_to > 0 ? absl::StrFormat("%10.0f", index.moving_to) : std::string(10, ' ');
      const std::string part =
          index.filling == "rows" ? absl::StrFormat(" %.0f %%", 100 * index.filled) : "";
      lines.emplace_back(
          index.filling.empty() ? 1 : 2,
          Concat(Left(TopResourceName(of), 32), absl::StrFormat("%10.0f", index.shards), to, "  ",
                 index.filling, part));
    }
    if (lines.empty()) return;
    Section(absl::StrFormat("%-32s%10s%10s  %s", "INDEX", "shards", "moving to", "filling"), &lines,
            "");
  }

  // How far the regions lag behind each other.
  void Links() {
    if (after_.links.empty()) return;
    Weighted lines;
    for (const auto& [of, link] : after_.links) {
      const auto it = before_.links.find(of);
      const TopSample::Link before = it == before_.links.end() ? TopSample::Link() : it->second;
      const double arrived = Rate(before.arrived, link.arrived);
      const std::string_view state = link.is_cut      ? messages::kTopCut
                                     : link.is_paused ? messages::kTopPaused
                                                      : std::string_view();
      // What is late comes first.
      lines.emplace_back(
          1e9 * link.behind + 1e3 * link.pending + arrived,
          Concat(Left(Concat(of.first, " to ", of.second), 32),
                 absl::StrFormat("%10.0f", link.pending), Number(link.behind, 10),
                 Number(arrived, 12), Number(Rate(before.lost, link.lost), 10), "  ", state));
    }
    Section(absl::StrFormat("%-32s%10s%10s%12s%10s  %s", "REPLICATION", "pending", "behind s",
                            "arrived/s", "lost/s", "state"),
            &lines, "");
  }

  void Regions() {
    if (after_.regions.empty()) return;
    Weighted lines;
    for (const auto& [name, region] : after_.regions) {
      const auto it = before_.regions.find(name);
      const double before = it == before_.regions.end() ? 0 : it->second.conflicts;
      const double conflicts = Rate(before, region.conflicts);
      lines.emplace_back(
          conflicts, Concat(Left(name, 32), absl::StrFormat("%10.0f", region.tables),
                            Number(conflicts, 13), absl::StrFormat("%12.0f", region.conflicts)));
    }
    Section(absl::StrFormat("%-32s%10s%13s%12s", "REGION", "tables", "conflicts/s", "in all"),
            &lines, "");
  }

  // Without a sort key the items are the partition keys, so there is no list of their own.
  void HotItems(std::string_view head, std::string_view unit, const TopSample::HotKeys& before,
                const TopSample::HotKeys& after) {
    if (!after.empty()) HotKeys(head, unit, before, after);
  }

  void HotKeys(std::string_view head, std::string_view unit, const TopSample::HotKeys& before,
               const TopSample::HotKeys& after) {
    Weighted lines;
    for (const auto& [place, heat] : after) {
      const auto it = before.find(place);
      // A key that is new in the list begins with its error as its amount.
      const double had = it == before.end() ? heat.error : it->second.amount;
      const double rate = Rate(had, heat.amount);
      if (rate <= 0) continue;
      lines.emplace_back(
          rate, Concat(Left(TopResourceName(place.first), 32), Number(rate, 10),
                       Number(heat.amount, 12), Number(heat.error, 10), "  ", place.second));
    }
    Section(absl::StrFormat("%-32s%10s%12s%10s  %s", ToAbsl(head), ToAbsl(unit), "in all", "error",
                            "key"),
            &lines, after_.watches_keys ? messages::TopNone() : messages::TopNobodyWatches());
  }

  const TopSample& before_;
  const TopSample& after_;
  const TopSize& size_;
  const double seconds_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> TopFrame(std::string_view url, const TopSample& before,
                                  const TopSample& after, const TopSize& size) {
  return Frame(before, after, size).Lines(url);
}

}  // namespace dynolith
