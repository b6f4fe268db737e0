#include "engine/partition/table_throughput.h"

#include <iterator>
#include <utility>

#include "engine/base/limits.h"

namespace dynolith {

TableThroughput::TableThroughput(const std::optional<CapacitySettings>& settings,
                                 ThroughputStates kept)
    : is_enforced_(settings.has_value()), settings_(settings), kept_(std::move(kept)) {}

void TableThroughput::Enforce(const std::optional<CapacitySettings>& settings) {
  absl::MutexLock lock(&mutex_);
  for (auto& [id, entry] : entries_) kept_.insert_or_assign(id, entry.model.state());
  entries_.clear();
  nodes_.reset();
  settings_ = settings;
  is_enforced_ = settings.has_value();
}

std::optional<CapacitySettings> TableThroughput::settings() const {
  absl::MutexLock lock(&mutex_);
  return settings_;
}

TableThroughput::Entry& TableThroughput::FindEntry(const ThroughputUse& use, Micros now) {
  const auto it = entries_.find(use.id);
  if (it != entries_.end()) {
    Entry& entry = it->second;
    if (!entry.rates.IsSameAs(*use.rates)) entry.model.SetRates(*use.rates, now);
    if (entry.rates.version != use.rates->version) entry.rates = *use.rates;
    return entry;
  }
  if (!nodes_ && settings_->nodes > 0) nodes_.emplace(*settings_, now);
  Nodes* const nodes = nodes_ ? &*nodes_ : nullptr;
  auto kept = kept_.extract(use.id);
  // Partitions never merge, so those of a new model have to be there again when its rates are
  // lower.
  has_changed_ = has_changed_ || kept.empty();
  ThroughputModel model =
      kept.empty() ? ThroughputModel(*settings_, *use.rates, nodes, now)
                   : ThroughputModel(*settings_, *use.rates, nodes, std::move(kept.mapped()), now);
  const PerKind<int64_t> warm = model.warm();
  return entries_.emplace(use.id, Entry{*use.rates, std::move(model), warm}).first->second;
}

ThroughputRefusals TableThroughput::FindRefusals(absl::Span<const ThroughputUse> uses, Micros now) {
  ThroughputRefusals refusals(uses.size());
  for (size_t i = 0; i < uses.size(); ++i) {
    refusals[i] = FindEntry(uses[i], now).model.Refusal(uses[i].kind, uses[i].position.key, now);
  }
  return refusals;
}

void TableThroughput::ChargeAll(absl::Span<const ThroughputUse> uses, Micros now) {
  for (const ThroughputUse& use : uses) {
    Entry& entry = FindEntry(use, now);
    if (use.tokens > 0) entry.model.Charge(use.kind, use.position, use.tokens, now);
    NoteCharge(use, now, &entry);
  }
}

void TableThroughput::NoteCharge(const ThroughputUse& use, Micros now, Entry* entry) {
  if (use.bytes != 0) entry->model.AddBytes(use.position, use.bytes, now);
  NoteChanges(use.id, now, entry);
}

ThroughputRefusals TableThroughput::Refusals(absl::Span<const ThroughputUse> uses, Micros now) {
  absl::MutexLock lock(&mutex_);
  return settings_ ? FindRefusals(uses, now) : ThroughputRefusals(uses.size());
}

bool TableThroughput::Charge(absl::Span<const ThroughputUse> uses, Micros now) {
  absl::MutexLock lock(&mutex_);
  if (!settings_) return false;
  ChargeAll(uses, now);
  return has_changed_;
}

ThroughputRefusals TableThroughput::RefusalsOrCharge(absl::Span<const ThroughputUse> uses,
                                                     Micros now, bool* has_changed) {
  absl::MutexLock lock(&mutex_);
  if (!settings_) return ThroughputRefusals(uses.size());
  ThroughputRefusals refusals = FindRefusals(uses, now);
  if (AreAllAdmitted(refusals)) ChargeAll(uses, now);
  *has_changed = has_changed_;
  return refusals;
}

std::optional<ThroughputLimit> TableThroughput::RefusalOrCharge(const ThroughputUse& use,
                                                                Micros now, bool* has_changed) {
  absl::MutexLock lock(&mutex_);
  if (!settings_) return std::nullopt;
  Entry& entry = FindEntry(use, now);
  const std::optional<ThroughputLimit> refusal =
      entry.model.RefusalOrCharge(use.kind, use.position, use.tokens, now);
  if (!refusal) NoteCharge(use, now, &entry);
  *has_changed = has_changed_;
  return refusal;
}

void TableThroughput::NoteChanges(uint64_t id, Micros now, Entry* entry) {
  if (!entry->model.has_splits() && entry->told_warm == entry->model.warm()) return;
  for (PartitionSplit& split : entry->model.TakeSplits()) {
    entry->splits.push_back({now, split});
    if (entry->splits.size() > kPastSplitsMax) entry->splits.pop_front();
    splits_.push_back({id, std::move(split)});
    has_changed_ = true;
  }
  if (entry->told_warm == entry->model.warm()) return;
  entry->told_warm = entry->model.warm();
  has_changed_ = true;
}

std::optional<PerKind<int64_t>> TableThroughput::FindWarmThroughput(uint64_t id, Micros now) {
  absl::MutexLock lock(&mutex_);
  if (const auto it = entries_.find(id); it != entries_.end()) {
    it->second.model.Advance(now);
    NoteChanges(id, now, &it->second);
    return it->second.model.warm();
  }
  const auto kept = kept_.find(id);
  if (kept == kept_.end()) return std::nullopt;
  return kept->second.warm;
}

absl::Status TableThroughput::KeepChanges(
    absl::FunctionRef<absl::Status(const ThroughputChanges&)> keep) {
  absl::MutexLock keeping(&keeping_);
  ThroughputChanges changes;
  {
    absl::MutexLock lock(&mutex_);
    if (!has_changed_) return absl::OkStatus();
    has_changed_ = false;
    changes.splits.swap(splits_);
    changes.states = kept_;
    for (const auto& [id, entry] : entries_) {
      changes.states.insert_or_assign(id, entry.model.state());
    }
  }
  absl::Status status = keep(changes);
  if (!status.ok()) {
    absl::MutexLock lock(&mutex_);
    has_changed_ = true;
    splits_.insert(splits_.begin(), std::make_move_iterator(changes.splits.begin()),
                   std::make_move_iterator(changes.splits.end()));
  }
  return status;
}

std::vector<std::string> TableThroughput::ListPartitions(uint64_t id) const {
  std::vector<std::string> begins;
  absl::MutexLock lock(&mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end()) return begins;
  for (const Partition& partition : it->second.model.partitions().partitions()) {
    begins.push_back(partition.begin);
  }
  return begins;
}

std::optional<TableThroughput::Report> TableThroughput::MakeReport(uint64_t id, Micros now) {
  absl::MutexLock lock(&mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end()) return std::nullopt;
  Entry& entry = it->second;
  ThroughputModel& model = entry.model;
  model.Advance(now);
  NoteChanges(id, now, &entry);
  Report report{.rates = entry.rates,
                .state = model.state(),
                .partitions = {},
                .table_level = {},
                .splits = {entry.splits.begin(), entry.splits.end()}};
  for (size_t i = 0; i < report.state.partitions.size(); ++i) {
    report.partitions.push_back(model.Report(i, now));
  }
  for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
    report.table_level[kind] = model.TableLevel(kind, now);
  }
  return report;
}

}  // namespace dynolith
