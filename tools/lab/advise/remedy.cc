#include "tools/lab/advise/remedy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/base/limits.h"
#include "tools/lab/advise/design_change.h"
#include "tools/lab/advise/explanation.h"
#include "tools/lab/advise/messages.h"
#include "tools/lab/experiment/open_members.h"

namespace dynolith::lab {
namespace {

using OpenKind = OpenMember::Kind;

class Remedies {
 public:
  Remedies(const RunResult& run, const AccessResult& worst, const AdviceRequest& request)
      : run_(run),
        request_(request),
        access_(static_cast<size_t>(&worst - run.accesses.data())),
        full_(FullTable(run, worst)),
        bottleneck_(FindBottleneck(run, worst)) {}

  std::vector<std::string> Take() {
    if (full_ != nullptr) {
      Shards(*full_);
      texts_.push_back(messages::AdviceNoLocalIndex(full_->name));
    } else if (run_.accesses[access_].total.throttled > 0) {
      OfLimit();
    }
    return std::move(texts_);
  }

 private:
  using Text = std::string (*)(std::string_view path);

  void OfLimit() {
    switch (bottleneck_.limit) {
      case ThroughputLimit::kProvisionedThroughput:
        Open(OpenKind::kUnits, messages::AdviceOpenThis);
        Open(OpenKind::kBilling, messages::AdviceOpenThis);
        break;
      case ThroughputLimit::kKeyRange:
        IsWarmLimit(run_, *bottleneck_.resource, bottleneck_.kind) ? Warm() : Spread();
        break;
      case ThroughputLimit::kMaxOnDemand:
        Open(OpenKind::kMaximum, messages::AdviceOpenThis);
        break;
      case ThroughputLimit::kAccount:
        texts_.push_back(messages::AdviceAskForQuota());
        break;
    }
  }

  bool IsOpen(const OpenMember& member) const {
    const std::string path = OpenMemberPath(run_.experiment, member);
    return std::any_of(request_.open.begin(), request_.open.end(), [&](const OpenMember& open) {
      return OpenMemberPath(run_.experiment, open) == path;
    });
  }
  bool IsOfBottleneck(const OpenMember& member) const {
    const bool is_of_access =
        member.kind == OpenKind::kConsistency || member.kind == OpenKind::kCache;
    if (is_of_access) return member.access == access_;
    if (member.kind == OpenKind::kReserved) return false;  // the account's
    return member.table == bottleneck_.resource->table;
  }
  // Existing members of this kind that are not open.
  void Open(OpenKind kind, Text text) {
    for (const OpenMember& member : MembersToOpen(run_.experiment)) {
      if (member.kind != kind || !IsOfBottleneck(member) || IsOpen(member)) continue;
      texts_.push_back(text(OpenMemberPath(run_.experiment, member)));
    }
  }

  void Warm() {
    Open(OpenKind::kWarm, messages::AdviceOpenWarm);
    Open(OpenKind::kBilling, messages::AdviceOpenThis);
    Open(OpenKind::kUnits, messages::AdviceOpenThis);
  }

  // A partition is at its limit.
  void Spread() {
    if (bottleneck_.kind == AccessKind::kRead) {
      Open(OpenKind::kConsistency, messages::AdviceEventual);
      Open(OpenKind::kCache, messages::AdviceCache);
      Copies();
    }
    Shards(*bottleneck_.resource);
    const Access& access = run_.experiment.accesses[access_];
    const bool can_wait = access.operation == Operation::kUpdateItem && access.aggregate == 0;
    if (can_wait && !run_.experiment.replay) texts_.push_back(messages::AdviceQueue(access.name));
  }

  // Shards of the keys of a table or an index.
  void Shards(const ResourceResult& resource) {
    for (const OpenMember& member : MembersToOpen(run_.experiment)) {
      const bool is_shards =
          member.kind == OpenKind::kShards || member.kind == OpenKind::kIndexShards;
      if (!is_shards || !SpreadsKeys(run_.experiment, resource, member)) continue;
      if (FindAccessThatMisses(run_.experiment, member)) {
        CalculatedSuffix(member.source);
        continue;
      }
      if (!CanShard(run_.experiment, member)) continue;
      const std::string path = OpenMemberPath(run_.experiment, member);
      if (IsOpen(member)) {
        texts_.push_back(messages::AdviceMoreShards(path));
      } else if (!MustAskAll(member)) {
        texts_.push_back(messages::AdviceOpenShards(path));
      }
    }
  }

  // Items that exist are only found if their shard can be calculated.
  void CalculatedSuffix(size_t source) {
    const OpenMember suffix = {.kind = OpenKind::kSuffix, .source = source};
    const std::vector<std::string> from = ListSuffixAttributes(run_.experiment, source);
    if (from.empty() || IsOpen(suffix)) return;
    texts_.push_back(
        messages::AdviceOpenSuffix(OpenMemberPath(run_.experiment, suffix), from.front()));
  }

  // Each read of one item would then be one of every shard.
  bool MustAskAll(const OpenMember& shards) const {
    const Access& access = run_.experiment.accesses[access_];
    return shards.kind == OpenKind::kShards && access.operation == Operation::kGetItem;
  }

  // Enough copies that each gets no more than its partition can serve.
  void Copies() {
    const HotKey* const hottest = MostThrottledKey(bottleneck_);
    if (hottest == nullptr || hottest->operations == 0) return;
    const double each = hottest->units.read / static_cast<double>(hottest->operations);
    const double asked = hottest->units.read + each * static_cast<double>(hottest->throttled.read);
    const double limit =
        static_cast<double>(kPartitionReadUnits) * run_.experiment.trial.utilization;
    const auto copies = static_cast<int64_t>(std::ceil(run_.rate_of(asked) / limit));
    if (copies > 1) texts_.push_back(messages::AdviceCopies(copies, hottest->key));
  }

  const RunResult& run_;
  const AdviceRequest& request_;
  const size_t access_;  // that was denied the most
  const ResourceResult* const full_;
  const Bottleneck bottleneck_;
  std::vector<std::string> texts_;
};

}  // namespace

std::vector<std::string> WhatHelps(const RunResult& run, const AdviceRequest& request) {
  const AccessResult* const worst = MostDenied(run);
  return worst == nullptr ? std::vector<std::string>() : Remedies(run, *worst, request).Take();
}

}  // namespace dynolith::lab
