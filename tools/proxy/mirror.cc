#include "tools/proxy/mirror.h"

#include <functional>
#include <memory>
#include <set>

#include "absl/cleanup/cleanup.h"
#include "absl/time/clock.h"
#include "api/control/create_table.h"
#include "api/control/delete_table.h"
#include "api/json/table_text.h"
#include "api/table/request_capacity.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/text/json_string.h"
#include "engine/text/json_tree.h"
#include "tools/proxy/call_texts.h"
#include "tools/proxy/measured_uses.h"
#include "tools/proxy/table_definition_text.h"

namespace dynolith::proxy {
namespace {

// For so long a description counts, and for so long a failed one is not repeated.
constexpr absl::Duration kDescribed = absl::Minutes(10);
constexpr absl::Duration kNotDescribed = absl::Seconds(30);

// Makes uses have names where hot keys are not watched, too.
class NoObserver final : public AccessObserver {
 public:
  void NoteAccesses(absl::Span<const ObservedAccess> /*accesses*/) override {}
};

// The limit that an exception is about, as far as its kind says; nullopt: it is about none.
std::optional<ThroughputLimit> LimitOf(std::optional<ErrorKind> error) {
  if (!error) return std::nullopt;
  switch (*error) {
    case ErrorKind::kProvisionedThroughputExceeded:
      return ThroughputLimit::kProvisionedThroughput;
    case ErrorKind::kThrottling:
      return ThroughputLimit::kKeyRange;
    case ErrorKind::kRequestLimitExceeded:
      return ThroughputLimit::kAccount;
    default:
      return std::nullopt;
  }
}

std::set<std::string> TablesIn(std::string_view by_table) {
  std::set<std::string> names;
  if (by_table.empty()) return names;
  const std::optional<JsonTree> tree = ParseJson(by_table, kBodyDepthMax);
  if (!tree) return names;
  for (const auto& [name, _] : tree->members) names.emplace(TableOf(name));
  return names;
}

// Of a call, the part that is about one table.
class TableCall {
 public:
  TableCall(const OperationContext& context, const AnsweredCall& call, AccessObserver* trace)
      : context_(context), call_(call), trace_(trace) {
    if (trace_ != nullptr) context_.observer = &nobody_;
  }

  // Whether the model would have refused it. `consumed`: nullptr: it was throttled.
  bool Charge(Table* table, const std::vector<const CallElement*>& elements,
              const Consumed* consumed) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    RequestCapacity capacity(context_, table, *meta);
    if (!capacity.is_metered()) return false;
    const AccessKind kind = call_.elements->writes ? AccessKind::kWrite : AccessKind::kRead;
    MeasuredUses measured(*meta, *call_.known, &capacity);
    measured.Add(elements, kind, consumed != nullptr ? *consumed : Consumed());
    const std::vector<ThroughputUse>& uses = measured.uses();
    const bool is_admitted =
        consumed != nullptr ? capacity.AdmitAndCharge(uses).ok() : capacity.Admit(uses).ok();
    Trace(*meta, measured);
    return !is_admitted;
  }

 private:
  void Trace(const TableMeta& meta, const MeasuredUses& measured) {
    if (trace_ == nullptr) return;
    const std::optional<ThroughputLimit> limit = LimitOf(call_.error);
    std::vector<ObservedAccess> accesses;
    for (size_t i = 0; i < measured.uses().size(); ++i) {
      const ThroughputUse& use = measured.uses()[i];
      if (use.tokens == 0 && !limit) continue;
      accesses.push_back({.use = &use,
                          .table = &meta.schema,
                          .index = measured.indexes()[i],
                          .on_demand = use.rates->on_demand,
                          .units = use.rates->units,
                          .limit = limit});
    }
    if (!accesses.empty()) trace_->NoteAccesses(accesses);
  }

  OperationContext context_;
  const AnsweredCall& call_;
  AccessObserver* const trace_;
  NoObserver nobody_;
};

}  // namespace

void Mirror::Learn(std::string_view table) {
  std::string before;
  {
    absl::MutexLock lock(&mutex_);
    Known& known = known_[std::string(table)];
    const auto is_free = [&known]() { return !known.is_asked; };
    mutex_.Await(absl::Condition(&is_free));
    if (absl::Now() < known.until) return;
    known.is_asked = true;
    before = known.definition;
  }
  const std::string name(table);
  std::string after;
  // Also if something throws: then it counts as not described.
  const absl::Cleanup tell = [&] {
    absl::MutexLock lock(&mutex_);
    Known& known = known_.find(name)->second;
    known.until = absl::Now() + (after.empty() ? kNotDescribed : kDescribed);
    known.definition.swap(after);
    known.is_asked = false;
  };
  std::string described = Describe(table);
  if (described != before) Remake(name, before, described);
  after = std::move(described);
}

void Mirror::Forget(std::string_view table) {
  absl::MutexLock lock(&mutex_);
  const auto found = known_.find(table);
  if (found != known_.end()) found->second.until = absl::InfinitePast();
}

std::string Mirror::Describe(std::string_view table) const {
  std::string input = "{\"TableName\":";
  AppendJsonString(table, &input, /*by_letter=*/"\n");
  input += "}";
  const absl::StatusOr<client::HttpAnswer> answer = target_->Call("DescribeTable", input);
  if (!answer.ok() || answer->status != 200) return {};
  return DefinitionOf(answer->body);
}

// By the operations themselves, so that no rule of a fault and no limit is asked.
void Mirror::Remake(const std::string& table, const std::string& before,
                    const std::string& after) const {
  const DatabaseInstance::Use use = Begin();
  if (!use) return;
  OperationContext context = ContextOf(*use.database());
  context.fault_rules = nullptr;
  // What is not there need not be deleted, and what cannot be made is not measured.
  if (!before.empty()) DeleteTable(context, {.table_name = table}).IgnoreError();
  if (after.empty()) return;
  const absl::StatusOr<CreateTableRequest> request = ReadCreateTable(after);
  if (request.ok()) CreateTable(context, *request).IgnoreError();
}

uint64_t Mirror::NumberOf(const CallElement& element) {
  Learn(element.table);
  std::string key = element.table;
  const DatabaseInstance::Use use = Begin();
  const std::shared_ptr<Table> table =
      use ? ContextOf(*use.database()).catalog->Find(element.table) : nullptr;
  if (table != nullptr) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    if (HasKey(meta->schema.key, element.item)) {
      AppendRowKey(meta->schema.id, meta->schema.key, element.item, &key);
    }
  }
  return std::hash<std::string>()(key);
}

void Mirror::Observe(const AnsweredCall& call) {
  std::map<std::string, std::vector<const CallElement*>> by_table;
  for (const CallElement& element : call.elements->elements) {
    if (!element.table.empty()) by_table[element.table].push_back(&element);
  }
  for (const auto& [table, _] : by_table) Learn(table);
  const bool is_throttled = LimitOf(call.error).has_value();
  const std::map<std::string, Consumed> consumed = ReadConsumed(call.capacity);
  const std::set<std::string> unprocessed = TablesIn(call.unprocessed);
  const DatabaseInstance::Use use = Begin();
  if (!use) return;
  const OperationContext& context = ContextOf(*use.database());
  const ObservedCall observed(trace_, call.operation);
  TableCall charged(context, call, trace_);
  for (const auto& [name, elements] : by_table) {
    const std::shared_ptr<Table> table = context.catalog->Find(name);
    const auto found = consumed.find(name);
    const bool is_measured = table != nullptr && (is_throttled || found != consumed.end());
    const bool would = is_measured && charged.Charge(table.get(), elements,
                                                     is_throttled ? nullptr : &found->second);
    const bool was = is_throttled || unprocessed.contains(name);
    absl::MutexLock lock(&mutex_);
    ThrottleCounts& counts = counts_[name];
    counts.calls += is_measured || was ? 1 : 0;
    counts.throttled += was ? 1 : 0;
    counts.would_throttle += would ? 1 : 0;
    counts.both += was && would ? 1 : 0;
    counts.unmeasured += is_measured || was || call.error ? 0 : 1;
  }
}

std::map<std::string, ThrottleCounts> Mirror::Counts() const {
  absl::MutexLock lock(&mutex_);
  return {counts_.begin(), counts_.end()};
}

}  // namespace dynolith::proxy
