#include "tools/lab/load/access_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "absl/types/span.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/partition/stored_bytes.h"
#include "tools/lab/load/load_rate.h"

namespace dynolith::lab {
namespace {

Tokens TokensOfUnits(double units) {
  return std::llround(units * static_cast<double>(kTokensPerUnit));
}

uint32_t CalculateSuffix(uint64_t number, int64_t shards) {
  return static_cast<uint32_t>(Scrambled(number) % static_cast<uint64_t>(shards)) + 1;
}

Growth ToGrowth(const Access& access) {
  if (access.adds) return *access.adds ? Growth::kAlways : Growth::kNone;
  return access.operation == Operation::kDeleteItem ? Growth::kIfGone : Growth::kIfNew;
}

// Whether an access needs existing items, which dynolith lab measure loads.
bool NeedsItems(const Access& access) {
  return !IsWrite(access.operation) || access.operation == Operation::kUpdateItem ||
         access.operation == Operation::kDeleteItem;
}

// Whether its items exist at the start: the table has storage, or some access reads or changes
// items by the same keys.
bool FindsItems(const Experiment& experiment, const Access& access) {
  const TableDesign& table = experiment.tables[access.table];
  if (table.bytes > 0) return true;
  const auto has_keys_of = [&](const Access& other) {
    if (other.table != access.table || other.index || !NeedsItems(other)) return false;
    const auto is_same = [&](const KeyPart& part) {
      const auto own = access.key.find(part.attribute);
      const auto others = other.key.find(part.attribute);
      if (own == access.key.end() || others == other.key.end()) {
        return own == access.key.end() && others == other.key.end();
      }
      return own->second == others->second;
    };
    return is_same(table.partition_key) && (!table.sort_key || is_same(*table.sort_key));
  };
  return std::any_of(experiment.accesses.begin(), experiment.accesses.end(),
                     [&](const Access& other) {
                       const absl::Span<const Access> parts = ListParts(other);
                       return std::any_of(parts.begin(), parts.end(), has_keys_of);
                     });
}

// The outer source within whose keys this source's keys are.
std::optional<size_t> FindOuterSource(const Experiment& experiment, size_t source) {
  const std::string& name = experiment.sources[source].within;
  for (size_t i = 0; !name.empty() && i < experiment.sources.size(); ++i) {
    if (experiment.sources[i].name == name) return i;
  }
  return std::nullopt;
}

constexpr double kEndless = std::numeric_limits<double>::infinity();

double RequestsMost(const Experiment& experiment, const Access& access) {
  const Load& load = access.load ? *access.load : *experiment.load;
  if (load.shape == Load::Shape::kOnce) return 1;
  if (load.shape == Load::Shape::kPolling || load.unit != Load::Unit::kRequests) return kEndless;
  double shares = access.share;
  if (!access.load) {
    shares = 0;
    for (const Access& other : experiment.accesses) shares += other.load ? 0 : other.share;
  }
  // Like Arrivals: a second has the rate of its beginning.
  double mean = 0;
  for (Micros at = 0; at < experiment.duration; at += kSecond) mean += RateAt(load, at);
  const auto weight = static_cast<double>(experiment.sample);
  mean *= access.share / shares / weight;
  // Eight standard deviations above the mean.
  return (mean + 8 * std::sqrt(mean) + 8) * weight;
}

}  // namespace

double ItemsMost(const Experiment& experiment, size_t table) {
  const TableDesign& design = experiment.tables[table];
  const auto items_of = [&](const Access& access) {
    double items = 1;
    for (const KeyPart& part : {design.partition_key, design.sort_key.value_or(KeyPart())}) {
      const auto found = access.key.find(part.attribute);
      if (found == access.key.end()) continue;
      const KeySource& source = experiment.sources[found->second];
      const bool ends = source.count > 0;
      items *=
          ends ? static_cast<double>(source.count) * static_cast<double>(source.shards) : kEndless;
    }
    return items;
  };
  double most = 0;
  for (const Access& access : experiment.accesses) {
    for (const Access& part : ListParts(access)) {
      if (part.table == table && (IsWrite(part.operation) || part.then)) most += items_of(part);
    }
  }
  return most;
}

double OperationsMost(const Experiment& experiment, size_t at) {
  const Access& access = experiment.accesses[at];
  if (experiment.replay || access.operation == Operation::kScan || access.bulk) return kEndless;
  const double requests = RequestsMost(experiment, access) * (access.then ? 2 : 1);
  if (access.gathers) {
    // One operation for each shard of the key or of the index.
    double shards = 1;
    for (const KeySource& source : experiment.sources) {
      shards = std::max(shards, static_cast<double>(source.shards));
    }
    if (!access.index) return requests * shards;
    const IndexDesign& index = experiment.tables[access.table].indexes[*access.index];
    return requests * shards * static_cast<double>(index.shards);
  }
  const bool is_one = IsTransaction(access.operation) || access.operation == Operation::kQuery;
  return is_one ? requests : requests * static_cast<double>(access.items);
}

AccessPlan::AccessPlan(const Experiment& experiment, const Access& access,
                       const KeyGenerators& generators, uint64_t seed)
    : AccessPlan(experiment, access, generators, seed, {}) {
  AddSlots(experiment, SharedSources(experiment, access), generators, {});
  members_.reserve(access.members.size());
  for (const Access& member : access.members) {
    members_.push_back(AccessPlan(experiment, member, generators, NextRandom(&random_), slots_));
    changes_sparse_indexes_ = changes_sparse_indexes_ || members_.back().changes_sparse_indexes_;
  }
}

AccessPlan::AccessPlan(const Experiment& experiment, const Access& access,
                       const KeyGenerators& generators, uint64_t seed,
                       const std::vector<Slot>& shared)
    : access_(access),
      table_(experiment.tables[access.table]),
      sizes_(access.item ? *access.item : table_.item),
      placement_(experiment.trial.placement),
      random_(seed) {
  for (size_t i = 0; i < access.table; ++i) resource_ += 1 + experiment.tables[i].indexes.size();
  AddSlots(experiment, ListSources(experiment, access), generators, shared);
  for (Slot& slot : slots_) {
    const KeySource& source = slot.generator->source();
    if (source.is_calculated()) slot.calculated_from = FindSlot(source.calculated_from);
  }
  if (access.operation != Operation::kScan && !access.key.empty()) AddKeys(experiment);
}

// The outermost first.
AccessPlan::SlotSources AccessPlan::ListSources(const Experiment& experiment,
                                                const Access& access) {
  SlotSources found(access.key.begin(), access.key.end());
  for (size_t i = 0; i < found.size(); ++i) {
    const std::optional<size_t> outer = FindOuterSource(experiment, found[i].second);
    const bool is_known = !outer || std::any_of(found.begin(), found.end(), [&](const auto& each) {
      return each.second == *outer;
    });
    if (!is_known) found.emplace_back("", *outer);
  }
  const auto depth = [&](size_t source) {
    int depth = 0;
    for (auto at = FindOuterSource(experiment, source); at; at = FindOuterSource(experiment, *at))
      ++depth;
    return depth;
  };
  std::stable_sort(found.begin(), found.end(), [&depth](const auto& left, const auto& right) {
    return depth(left.second) < depth(right.second);
  });
  return found;
}

// A source that several members of a transaction name draws one key for all of them.
AccessPlan::SlotSources AccessPlan::SharedSources(const Experiment& experiment,
                                                  const Access& access) {
  std::map<size_t, size_t> members;
  Access all;
  for (const Access& member : access.members) {
    std::set<size_t> own;
    for (const auto& [attribute, source] : ListSources(experiment, member)) own.insert(source);
    for (const size_t source : own) {
      if (++members[source] == 2) all.key.emplace(Concat(source), source);
    }
  }
  SlotSources shared = ListSources(experiment, all);
  for (auto& [attribute, source] : shared) attribute.clear();
  return shared;
}

void AccessPlan::AddSlots(const Experiment& experiment, const SlotSources& sources,
                          const KeyGenerators& generators, const std::vector<Slot>& shared) {
  const auto find = [](const std::vector<Slot>& slots, const KeyGenerator* generator) {
    return std::find_if(slots.begin(), slots.end(),
                        [generator](const Slot& slot) { return slot.generator == generator; });
  };
  for (const auto& [attribute, source] : sources) {
    KeyGenerator* const generator = generators[source].get();
    Slot slot{.attribute = attribute,
              .generator = generator,
              .shards = attribute.empty() ? 1 : experiment.sources[source].shards};
    if (const std::optional<size_t> outer = FindOuterSource(experiment, source)) {
      slot.within = find(slots_, generators[*outer].get()) - slots_.begin();
    }
    const auto drawn = find(shared, generator);
    if (drawn != shared.end()) slot.shared = &*drawn;
    has_suffixes_ = has_suffixes_ || slot.shards > 1;
    slots_.push_back(std::move(slot));
  }
}

void AccessPlan::AddKeys(const Experiment& experiment) {
  const Access& access = access_;
  if (access.index) {
    const IndexDesign& index = table_.indexes[*access.index];
    target_ = MakeKeyPlan(index.partition_key, index.sort_key);
    target_->index_shards = index.shards;
    target_->entry_bytes = index.entry_bytes;
    return;
  }
  target_ = MakeKeyPlan(table_.partition_key, table_.sort_key);
  if (!IsWrite(access.operation) && !access.then) return;
  growth_ = ToGrowth(access);
  finds_items_ = FindsItems(experiment, access);
  for (size_t i = 0; i < table_.indexes.size(); ++i) {
    const IndexDesign& index = table_.indexes[i];
    const IndexChange change = access.index_changes[i];
    if (change == IndexChange::kNone || !FindSlot(index.partition_key.attribute)) continue;
    KeyPlan plan = MakeKeyPlan(index.partition_key, index.sort_key);
    plan.index = i;
    plan.change = change;
    if (experiment.IsSparse(access.table, i)) plan.entries = index.entries.value_or(1);
    changes_sparse_indexes_ = changes_sparse_indexes_ || plan.entries;
    plan.index_shards = index.shards;
    plan.entry_bytes = index.entry_bytes;
    maintained_.push_back(std::move(plan));
  }
}

std::optional<size_t> AccessPlan::FindSlot(const std::string& attribute) const {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].attribute == attribute) return i;
  }
  return std::nullopt;
}

AccessPlan::KeyPlan AccessPlan::MakeKeyPlan(const KeyPart& partition,
                                            const std::optional<KeyPart>& sort) const {
  KeyPlan plan;
  plan.partition_slot = FindSlot(partition.attribute).value_or(0);
  plan.has_sort_key = sort.has_value();
  if (sort) plan.sort_slot = FindSlot(sort->attribute);
  plan.hashes = std::make_unique<PartitionHashes>(slots_[plan.partition_slot].generator->source(),
                                                  partition.type, placement_);
  return plan;
}

// --- requests

void AccessPlan::Request(Micros now, DrawnOperations* operations) {
  if (access_.gathers) {
    return EachShard(now, [operations](LabUses* uses) { *operations->Add() = *uses; });
  }
  if (IsTransaction(access_.operation)) {
    return EachItem(now, operations->Add(), [](const AccessPlan&) {});
  }
  fails_ = DrawFailure();
  for (int64_t i = 0; i < items_of_request(); ++i) NextItem(now, i == 0, operations->Add());
}

void AccessPlan::EachItem(Micros now, LabUses* uses,
                          absl::FunctionRef<void(const AccessPlan& of)> each) {
  fails_ = DrawFailure();
  if (!members_.empty()) Draw(now);
  const absl::Span<AccessPlan> parts =
      members_.empty() ? absl::MakeSpan(this, 1) : absl::MakeSpan(members_);
  bool is_first = true;
  for (AccessPlan& part : parts) {
    part.fails_ = fails_;
    for (int64_t i = 0; i < part.items_of_request(); ++i) {
      part.NextItem(now, std::exchange(is_first, false), uses);
      each(part);
    }
  }
}

void AccessPlan::NextItem(Micros now, bool is_first, LabUses* uses) {
  Draw(now);
  if (!IsWrite(access_.operation)) AddRead(uses);
  if (IsWrite(access_.operation) || access_.then) AddWrite(now, is_first, uses);
}

void AccessPlan::Draw(Micros now) {
  for (Slot& slot : slots_) slot.drawn = {.number = NextNumber(slots_, slot, now)};
  if (!has_suffixes_) return;
  for (Slot& slot : slots_) {
    if (slot.shards == 1) continue;
    if (slot.calculated_from) {
      slot.drawn.suffix = CalculateSuffix(slots_[*slot.calculated_from].drawn.number, slot.shards);
    } else {
      slot.drawn.suffix =
          static_cast<uint32_t>(NextBelow(&random_, static_cast<uint64_t>(slot.shards))) + 1;
    }
  }
}

uint64_t AccessPlan::NextNumber(const std::vector<Slot>& slots, const Slot& slot, Micros now) {
  if (slot.shared != nullptr) return slot.shared->drawn.number;
  const uint64_t number = slot.generator->Next(now);
  if (!slot.within) return number;
  return slots[*slot.within].drawn.number * slot.generator->source().count_within + number;
}

// One query for each shard of the key and of the index; the items lie evenly in them.
void AccessPlan::EachShard(Micros now, absl::FunctionRef<void(LabUses*)> run) {
  Draw(now);
  Slot& slot = slots_[target_->partition_slot];
  const int64_t all = slot.shards * target_->index_shards;
  for (int64_t i = 0; i < all; ++i) {
    if (slot.shards > 1) slot.drawn.suffix = static_cast<uint32_t>(i % slot.shards) + 1;
    KeyNumber key = slot.drawn;
    if (target_->index_shards > 1) key.index_suffix = static_cast<uint32_t>(i / slot.shards) + 1;
    uses_.clear();
    LabUse& use = AddUse(&*target_, key, target_resource(), &uses_);
    const double part = static_cast<double>(ReadBytes()) / static_cast<double>(all);
    use.bytes = std::llround(part);
    use.tokens = TokensOfUnits(ReadUnits(static_cast<size_t>(use.bytes), access_.consistency));
    run(&uses_);
  }
}

DrawnItem AccessPlan::drawn() const {
  DrawnItem item{.bytes = bytes_};
  for (const Slot& slot : slots_) {
    if (slot.attribute.empty()) continue;
    const Type type = table_.FindType(slot.attribute);
    item.keys.push_back(
        {slot.attribute, type, KeyText(slot.generator->source(), type, slot.drawn)});
  }
  return item;
}

int64_t AccessPlan::ReadBytes() {
  if (access_.operation != Operation::kQuery) return bytes_ = NextSize(sizes_, &random_);
  const int64_t fewest = access_.items_least;
  items_ = access_.items;
  if (fewest > 0 && fewest < items_) {
    items_ = fewest +
             static_cast<int64_t>(NextBelow(&random_, static_cast<uint64_t>(items_ - fewest + 1)));
  }
  const double each =
      target_->entry_bytes > 0 ? static_cast<double>(target_->entry_bytes) : sizes_.mean();
  return bytes_ = static_cast<int64_t>(each * static_cast<double>(items_));
}

// Constructed in place: a copy would have to wait until the stores to its parts are done, which
// takes as long as half a hash.
LabUse& AccessPlan::AddUse(KeyPlan* plan, const KeyNumber& key, size_t resource,
                           LabUses* uses) const {
  const std::optional<uint64_t> ahead = slots_[plan->partition_slot].generator->Ahead();
  if (ahead) __builtin_prefetch(plan->hashes->FindHashSlot(*ahead));
  LabUse& use = uses->emplace_back();
  use.resource = resource;
  use.position.SetHash(plan->hashes->FindHash(key));
  if (plan->has_sort_key) {
    use.position.Append(plan->sort_slot ? slots_[*plan->sort_slot].drawn.number : 0);
  }
  use.texts = plan->hashes.get();
  use.key.number = key.number;
  use.key.suffix = key.suffix;
  use.key.index_suffix = key.index_suffix;
  return use;
}

void AccessPlan::AddRead(LabUses* uses) {
  // Not copied, for the same reason.
  const KeyNumber& drawn = slots_[target_->partition_slot].drawn;
  KeyNumber in_shard;
  if (target_->index_shards > 1) {
    const auto shards = static_cast<uint64_t>(target_->index_shards);
    in_shard = drawn;
    in_shard.index_suffix = static_cast<uint32_t>(NextBelow(&random_, shards)) + 1;
  }
  LabUse& use =
      AddUse(&*target_, target_->index_shards > 1 ? in_shard : drawn, target_resource(), uses);
  use.bytes = ReadBytes();
  use.tokens = ToCost(use.bytes, AccessKind::kRead);
}

Tokens AccessPlan::ToCost(int64_t bytes, AccessKind kind) {
  if (bytes == cost_bytes_[kind]) return cost_[kind];
  cost_bytes_[kind] = bytes;
  const auto size = static_cast<size_t>(bytes);
  if (kind == AccessKind::kRead) {
    return cost_[kind] = TokensOfUnits(ReadUnits(size, access_.consistency));
  }
  const double units = WriteUnits(size);
  const bool is_transaction = access_.consistency == ReadMode::kTransactional;
  // The entry of each local index is one more write at the item's position.
  return cost_[kind] = TokensOfUnits((is_transaction ? 2 * units : units) +
                                     units * static_cast<double>(table_.local_indexes));
}

// A failing condition is that of the first item. A cancelled transaction is charged only for that
// item, but needs capacity for all (api/facts/capacity.md §1, §5).
void AccessPlan::AddWrite(Micros now, bool is_first, LabUses* uses) {
  const int64_t bytes = bytes_ = NextSize(sizes_, &random_);
  LabUse& use = AddUse(&*target_, slots_[target_->partition_slot].drawn, resource_, uses);
  use.kind = AccessKind::kWrite;
  if (fails_ || access_.only_checks) {
    const bool is_charged = is_first || !fails_;
    const bool is_transaction = access_.consistency == ReadMode::kTransactional;
    const double units = WriteUnits(static_cast<size_t>(bytes));
    use.fails = fails_ && is_first;
    use.tokens = is_charged ? TokensOfUnits(is_transaction ? 2 * units : units) : 0;
    use.bytes = is_charged ? bytes : 0;
    return;
  }
  use.tokens = ToCost(bytes, AccessKind::kWrite);
  use.bytes = bytes * (1 + table_.local_indexes);
  use.growth = growth_;
  use.was_there = finds_items_;
  use.lives = static_cast<uint32_t>(access_.ttl / kSecond);
  use.added_bytes = StoredWithLocals(bytes, table_.local_indexes);
  use.changed_vectors = access_.changed_vectors;
  const LabPosition base = use.position;
  for (KeyPlan& plan : maintained_) AddIndexWrite(now, &plan, base, bytes, uses);
}

void AccessPlan::AddIndexWrite(Micros now, KeyPlan* plan, const LabPosition& base,
                               int64_t item_bytes, LabUses* uses) {
  const Slot& slot = slots_[plan->partition_slot];
  KeyNumber key = slot.drawn;
  if (plan->index_shards > 1) key.index_suffix = CalculateSuffix(base.hash(), plan->index_shards);
  const int64_t bytes = plan->entry_bytes > 0 ? plan->entry_bytes : item_bytes;
  AddEntry(plan, key, base, bytes, FirstEntryChange(*plan), uses);
  if (plan->change != IndexChange::kMove) return;
  // The old entry has a key of the same distribution; a source whose keys only advance is not
  // advanced.
  if (slot.generator->is_stateless()) key.number = NextNumber(slots_, slot, now);
  AddEntry(plan, key, base, bytes, EntryChange::kMoveFrom, uses);
}

EntryChange AccessPlan::FirstEntryChange(const KeyPlan& plan) const {
  if (access_.operation == Operation::kDeleteItem) return EntryChange::kRemove;
  if (plan.change == IndexChange::kRemove) return EntryChange::kRemove;
  return plan.change == IndexChange::kAdd ? EntryChange::kAdd : EntryChange::kWrite;
}

void AccessPlan::AddEntry(KeyPlan* plan, const KeyNumber& key, const LabPosition& base,
                          int64_t bytes, EntryChange change, LabUses* uses) const {
  LabUse& use = AddUse(plan, key, resource_ + 1 + plan->index, uses);
  use.position.Append(base.hash());
  use.kind = AccessKind::kWrite;
  // In a transaction, too (api/facts/capacity.md §1).
  use.tokens = TokensOfUnits(WriteUnits(static_cast<size_t>(bytes)));
  use.bytes = bytes;
  if (plan->entries) {
    use.growth = Growth::kAsEntry;
    use.entry = change;
    use.item = base.mixed();
    // An item that was there at the start had an entry by a chance that is always the same for it.
    const double chance = static_cast<double>(Scrambled(use.item) >> 11) * 0x1p-53;
    use.was_there = finds_items_ && growth_ != Growth::kAlways && chance < *plan->entries;
  } else if (change != EntryChange::kMoveFrom && growth_ != Growth::kNone) {
    use.growth = Growth::kAsItsItem;
  }
  if (use.growth != Growth::kNone) use.added_bytes = StoredBytes(bytes, /*is_entry=*/true);
}

LabUse AccessPlan::Page(double at, int64_t bytes) const {
  LabUse use;
  use.resource = target_resource();
  use.position = LabPosition(static_cast<uint64_t>(std::min(at, 1 - 0x1p-53) * 0x1p64));
  use.bytes = bytes;
  use.tokens = TokensOfUnits(ReadUnits(static_cast<size_t>(bytes), access_.consistency));
  return use;
}

}  // namespace dynolith::lab
