#include "tools/lab/report/verdict.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "engine/base/limits.h"
#include "tools/lab/report/bottleneck.h"
#include "tools/lab/report/messages.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kKinds[] = {AccessKind::kRead, AccessKind::kWrite};
// How long the service saves unused provisioned units (api/facts/capacity.md §2).
constexpr double kSavedSeconds = 300;
// Less use of saved capacity than this is chance.
constexpr double kDrawnSeconds = 5;
// The period of the service's own metrics.
constexpr double kReserveSeconds = 60;

double IntervalSeconds(const RunResult& run) {
  return static_cast<double>(run.interval) / static_cast<double>(kSecond);
}

bool IsWriteKind(AccessKind kind) { return kind == AccessKind::kWrite; }

void SetEpisode(const RunResult& run, const Episode& episode, Finding* finding) {
  finding->from = static_cast<Micros>(episode.first) * run.interval;
  finding->to = std::min(run.simulated, static_cast<Micros>(episode.last + 1) * run.interval);
}

// --- throttled

bool ReadsStrongly(const RunResult& run, const ResourceResult& resource) {
  const auto& accesses = run.experiment.accesses;
  return std::any_of(accesses.begin(), accesses.end(), [&](const Access& access) {
    return access.table == resource.table && access.index == resource.index &&
           !IsWrite(access.operation) && access.consistency == ReadMode::kStrong;
  });
}

std::string KeyRangeHelpText(const RunResult& run, const Bottleneck& bottleneck) {
  const ResourceResult& resource = *bottleneck.resource;
  const bool divides =
      !run.given_to(resource).on_demand && run.experiment.admission != Admission::kGlobal;
  if (IsWarmLimit(run, resource, bottleneck.kind)) return messages::LabHelpWarm();
  if (divides) return messages::LabHelpShare(resource.index.has_value());
  if (IsWriteKind(bottleneck.kind)) return messages::LabHelpWrites(resource.index.has_value());
  return messages::LabHelpReads(ReadsStrongly(run, resource));
}

std::string HelpText(const RunResult& run, const Bottleneck& bottleneck) {
  switch (bottleneck.limit) {
    case ThroughputLimit::kProvisionedThroughput:
      return run.given_to(*bottleneck.resource).auto_scaling.rules[bottleneck.kind]
                 ? messages::LabHelpScaling(IsScaledToMaximum(run, bottleneck))
                 : messages::LabHelpUnits(IsWriteKind(bottleneck.kind));
    case ThroughputLimit::kKeyRange:
      return KeyRangeHelpText(run, bottleneck);
    case ThroughputLimit::kMaxOnDemand:
      return messages::LabHelpMaximum();
    case ThroughputLimit::kAccount:
      return messages::LabHelpQuota();
  }
  return "";
}

Finding ThrottledFinding(const RunResult& run, const Bottleneck& bottleneck) {
  const ResourceResult& resource = *bottleneck.resource;
  const AccessKind kind = bottleneck.kind;
  Finding finding{.kind = Finding::Kind::kThrottled,
                  .resource = resource.name,
                  .access = kind,
                  .limit = bottleneck.limit,
                  .throttled = bottleneck.throttled(),
                  .attempts = resource.served[kind]};
  for (const uint64_t count : resource.throttled[kind]) finding.attempts += count;
  finding.share = static_cast<double>(finding.throttled) / static_cast<double>(finding.attempts);
  const Episode episode = WhenThrottled(bottleneck);
  SetEpisode(run, episode, &finding);
  if (IsOneKey(bottleneck)) finding.key = MostThrottledKey(bottleneck)->key;
  finding.helps = HelpText(run, bottleneck);
  finding.sentence = messages::LabThrottledFinding(
      PartText(finding.share), resource.name, IsWriteKind(kind), CountText(finding.throttled),
      CountText(finding.attempts), WhenText(run, episode), WhatWasMet(run, bottleneck),
      finding.helps);
  return finding;
}

void AddThrottled(const RunResult& run, std::vector<Finding>* findings) {
  for (const ResourceResult& resource : run.resources) {
    for (const AccessKind kind : kKinds) {
      for (size_t i = 0; i < kThroughputLimits; ++i) {
        const Bottleneck bottleneck{&resource, kind, static_cast<ThroughputLimit>(i)};
        if (bottleneck.throttled() > 0) findings->push_back(ThrottledFinding(run, bottleneck));
      }
    }
  }
  std::stable_sort(
      findings->begin(), findings->end(),
      [](const Finding& left, const Finding& right) { return left.throttled > right.throttled; });
  // For a measured run whose answers name no limit.
  const AccessMoment total = run.total();
  if (!findings->empty() || total.throttled == 0) return;
  Finding finding{.kind = Finding::Kind::kThrottled,
                  .throttled = total.throttled,
                  .attempts = total.served + total.throttled};
  finding.share = static_cast<double>(finding.throttled) / static_cast<double>(finding.attempts);
  finding.sentence = messages::LabThrottledSomehow(
      PartText(finding.share), CountText(finding.throttled), CountText(finding.attempts));
  findings->push_back(std::move(finding));
}

// --- carried by burst capacity

// The most saved capacity that was used at a time.
struct Drawn {
  Episode episode;
  double taken = 0;  // units
  double part = 0;   // of all that can be saved
};

Drawn MostDrawn(const RunResult& run, const ResourceResult& resource, AccessKind kind) {
  const double seconds = IntervalSeconds(run);
  Drawn most;
  double taken = 0;
  size_t since = 0;
  for (size_t i = 0; i < resource.moments.size(); ++i) {
    const ResourceMoment& moment = resource.moments[i];
    if (taken <= 0) since = i;
    taken = std::max(0.0, taken + moment.units[kind] - moment.capacity[kind] * seconds);
    const double part = taken / (moment.capacity[kind] * kSavedSeconds);
    if (part > most.part) most = {{since, i}, taken, part};
  }
  return most;
}

void AddBurst(const RunResult& run, const ResourceResult& resource, AccessKind kind,
              std::vector<Finding>* findings) {
  // Throttling is reported instead.
  const auto limit = static_cast<size_t>(ThroughputLimit::kProvisionedThroughput);
  if (run.given_to(resource).on_demand || resource.throttled[kind][limit] > 0) return;
  const Drawn drawn = MostDrawn(run, resource, kind);
  if (drawn.part < kDrawnSeconds / kSavedSeconds) return;
  Finding finding{.kind = Finding::Kind::kBurst, .resource = resource.name, .access = kind};
  for (size_t i = drawn.episode.first; i <= drawn.episode.last; ++i) {
    finding.units += resource.moments[i].units[kind];
    finding.provisioned += resource.moments[i].capacity[kind];
  }
  SetEpisode(run, drawn.episode, &finding);
  finding.provisioned /= static_cast<double>(drawn.episode.last - drawn.episode.first + 1);
  finding.units *= static_cast<double>(kSecond) / static_cast<double>(*finding.to - *finding.from);
  const double more = finding.units - finding.provisioned;
  finding.empty_after = static_cast<Micros>(
      std::llround(finding.provisioned * kSavedSeconds / more * static_cast<double>(kSecond)));
  const std::optional<ScalingRule>& rule = run.given_to(resource).auto_scaling.rules[kind];
  finding.helps = rule
                      ? messages::LabHelpScaling(std::llround(finding.provisioned) >= rule->maximum)
                      : messages::LabHelpUnits(IsWriteKind(kind));
  finding.sentence = messages::LabBurstFinding(resource.name, FigureText(finding.units),
                                               FigureText(finding.provisioned), IsWriteKind(kind),
                                               WhenText(run, drawn.episode), PartText(drawn.part),
                                               TimeText(*finding.empty_after), finding.helps);
  findings->push_back(std::move(finding));
}

// --- errors, and what was served

// Returns the number of errors that it explains.
uint64_t AddFullCollections(const RunResult& run, const ResourceResult& resource,
                            std::vector<Finding>* findings) {
  if (resource.full_collections.empty()) return 0;
  uint64_t refused = 0;
  for (const FullCollection& full : resource.full_collections) refused += full.refused;
  const FullCollection& first = resource.full_collections.front();
  Finding finding{.kind = Finding::Kind::kErrors,
                  .resource = resource.name,
                  .access = AccessKind::kWrite,
                  .from = first.at,
                  .to = run.simulated,
                  .key = first.key,
                  .helps = messages::LabHelpCollections()};
  for (const AccessResult& access : run.accesses) {
    const auto at = static_cast<size_t>(&access - run.accesses.data());
    if (!UsesTable(run.experiment.accesses[at], resource.table)) continue;
    finding.attempts += access.total.operations;
  }
  finding.share = static_cast<double>(refused) / static_cast<double>(finding.attempts);
  finding.sentence = messages::LabFullFinding(
      PartText(finding.share), resource.name, CountText(refused), CountText(finding.attempts),
      messages::LabFromOn(ClockText(first.at)), WhichAreFull(resource), finding.helps);
  findings->push_back(std::move(finding));
  return refused;
}

void AddErrors(const RunResult& run, std::vector<Finding>* findings) {
  AccessMoment total = run.total();
  for (const ResourceResult& resource : run.resources) {
    total.errors -= AddFullCollections(run, resource, findings);
  }
  if (total.errors == 0) return;
  std::map<std::string, uint64_t> kinds;
  for (const AccessResult& access : run.accesses) {
    for (const auto& [kind, count] : access.errors) kinds[kind] += count;
  }
  const auto most = std::max_element(
      kinds.begin(), kinds.end(),
      [](const auto& left, const auto& right) { return left.second < right.second; });
  const auto all = static_cast<double>(std::max<uint64_t>(1, total.operations));
  Finding finding{.kind = Finding::Kind::kErrors,
                  .attempts = total.operations,
                  .share = static_cast<double>(total.errors) / all};
  finding.sentence = messages::LabErrorsFinding(PartText(finding.share), CountText(total.errors),
                                                CountText(total.operations),
                                                most == kinds.end() ? "" : most->first);
  findings->push_back(std::move(finding));
}

// --- streams

bool FallsBehind(const ResourceResult& resource) {
  return resource.stream && resource.stream->behind_from.has_value();
}

void AddStream(const RunResult& run, const ResourceResult& resource,
               std::vector<Finding>* findings) {
  constexpr int64_t kReadersOfShard = 2;
  const StreamResult& stream = *resource.stream;
  const StreamReaders& readers = *run.experiment.tables[resource.table].stream;
  Finding finding{
      .kind = Finding::Kind::kStream, .resource = resource.name, .access = AccessKind::kWrite};
  std::string how = messages::LabStreamKeepsUp(readers.readers == 1);
  if (FallsBehind(resource)) {
    finding.from = stream.behind_from;
    finding.to = run.simulated;
    finding.helps = messages::LabHelpStream(readers.readers > kReadersOfShard);
    how =
        messages::LabStreamBehind(readers.readers == 1, ClockText(*stream.behind_from),
                                  FigureText(stream.behind_most), FigureText(stream.behind_at_end));
  }
  const std::string answered = stream.calls > kStreamCallsOfSecond
                                   ? CountText(static_cast<uint64_t>(kStreamCallsOfSecond))
                                   : "";
  const bool is_whole = stream.calls == std::floor(stream.calls);
  const std::string calls =
      is_whole ? CountText(static_cast<uint64_t>(stream.calls)) : FigureText(stream.calls);
  finding.sentence = messages::LabStreamFinding(
      readers.readers, resource.name, how,
      messages::LabStreamShards(stream.shards, calls, answered),
      messages::LabStreamLoad(CountText(static_cast<uint64_t>(std::llround(stream.records))),
                              BytesText(static_cast<int64_t>(std::llround(stream.bytes)))),
      finding.helps);
  findings->push_back(std::move(finding));
}

// The used part of a limit.
struct Taken {
  double part = 0;
  std::string resource;
  std::optional<AccessKind> kind;
  std::string text;
};

// In the minute with the highest use relative to its capacity.
Taken TakenOfUnits(const RunResult& run, const ResourceResult& resource, AccessKind kind) {
  const auto moments = static_cast<size_t>(std::max(1.0, kReserveSeconds / IntervalSeconds(run)));
  Taken most{.resource = resource.name, .kind = kind};
  double used = 0;
  double capacity = 0;
  size_t begin = 0;
  for (size_t i = 0; i < resource.moments.size(); ++i) {
    used += resource.moments[i].units[kind];
    capacity += resource.moments[i].capacity[kind] * IntervalSeconds(run);
    // A rest of less than a minute counts only in a run without a whole minute.
    const bool is_whole = i + 1 - begin == moments;
    if (!is_whole && (begin > 0 || i + 1 < resource.moments.size())) continue;
    const double seconds = static_cast<double>(i + 1 - begin) * IntervalSeconds(run);
    if (capacity > 0 && used / capacity > most.part) {
      most.part = used / capacity;
      most.text = messages::LabTookOfUnits(resource.name, FigureText(used / seconds),
                                           UnitsText(run, capacity / seconds, kind),
                                           run.given_to(resource).on_demand);
    }
    used = capacity = 0;
    begin = i + 1;
  }
  return most;
}

// The part of a partition's maximum that the hottest key uses on average.
Taken TakenOfPartition(const RunResult& run, const ResourceResult& resource, AccessKind kind) {
  Taken most{.resource = resource.name, .kind = kind};
  const bool divides =
      !run.given_to(resource).on_demand && run.experiment.admission != Admission::kGlobal;
  if (divides) return most;
  const auto limit =
      static_cast<double>(IsWriteKind(kind) ? kPartitionWriteUnits : kPartitionReadUnits);
  for (const HotKey& key : resource.hottest) {
    const double rate = run.rate_of(key.units[kind]);
    if (rate / limit <= most.part) continue;
    most.part = rate / limit;
    most.text = messages::LabTookOfPartition(key.key, resource.name, FigureText(rate),
                                             UnitsText(run, limit, kind));
  }
  return most;
}

void AddServed(const RunResult& run, std::vector<Finding>* findings) {
  const AccessMoment total = run.total();
  if (total.throttled > 0) return;
  Taken most;
  for (const ResourceResult& resource : run.resources) {
    for (const AccessKind kind : kKinds) {
      for (const Taken& taken :
           {TakenOfUnits(run, resource, kind), TakenOfPartition(run, resource, kind)}) {
        if (taken.part > most.part) most = taken;
      }
    }
  }
  Finding finding{.kind = Finding::Kind::kServed,
                  .resource = most.resource,
                  .access = most.kind,
                  .attempts = total.operations,
                  .share = total.operations == 0 ? 1
                                                 : static_cast<double>(total.served) /
                                                       static_cast<double>(total.operations)};
  if (most.part > 0) finding.reserve = std::max(0.0, 1 - most.part);
  finding.sentence = messages::LabServedFinding(
      PartText(finding.share), CountText(total.operations),
      finding.reserve ? messages::LabReserve(PartText(*finding.reserve), most.text) : "");
  findings->push_back(std::move(finding));
}

}  // namespace

std::vector<Finding> MakeVerdict(const RunResult& run) {
  std::vector<Finding> findings;
  AddThrottled(run, &findings);
  for (const ResourceResult& resource : run.resources) {
    for (const AccessKind kind : kKinds) AddBurst(run, resource, kind, &findings);
  }
  AddErrors(run, &findings);
  for (const ResourceResult& resource : run.resources) {
    if (FallsBehind(resource)) AddStream(run, resource, &findings);
  }
  AddServed(run, &findings);
  for (const ResourceResult& resource : run.resources) {
    if (resource.stream && !FallsBehind(resource)) AddStream(run, resource, &findings);
  }
  return findings;
}

std::string_view KindName(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kThrottled:
      return "throttled";
    case Finding::Kind::kBurst:
      return "burst";
    case Finding::Kind::kErrors:
      return "errors";
    case Finding::Kind::kStream:
      return "stream";
    case Finding::Kind::kServed:
      return "served";
  }
  return "";
}

std::string_view LimitName(ThroughputLimit limit) {
  switch (limit) {
    case ThroughputLimit::kProvisionedThroughput:
      return "provisioned units";
    case ThroughputLimit::kKeyRange:
      return "partition limit";
    case ThroughputLimit::kMaxOnDemand:
      return "own maximum";
    case ThroughputLimit::kAccount:
      return "table quota";
  }
  return "";
}

}  // namespace dynolith::lab
