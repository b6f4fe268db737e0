#include "tools/lab/advise/advice.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "engine/base/thread_start.h"
#include "tools/lab/advise/design_change.h"
#include "tools/lab/advise/explanation.h"
#include "tools/lab/advise/kind_search.h"
#include "tools/lab/advise/messages.h"
#include "tools/lab/experiment/open_members.h"
#include "tools/lab/model/simulation.h"
#include "tools/lab/report/figures_text.h"

namespace dynolith::lab {
namespace {

using OpenKind = OpenMember::Kind;

// A shorter run says nothing of what takes minutes.
constexpr Micros kScalingDuration = 30 * kMinute;
constexpr int64_t kTargets[] = {50, 70, 90};
constexpr size_t kSuffixesMax = 3;  // of one key, that are calculated
constexpr double kRooms[] = {1.1, 2, 4};

struct Payment {
  BillingKind kind = BillingKind::kOnDemand;
  double target = 0;

  friend bool operator==(const Payment&, const Payment&) = default;
};

const OpenMember* Find(const AdviceRequest& request, OpenKind kind, size_t table) {
  for (const OpenMember& member : request.open) {
    if (member.kind == kind && member.table == table) return &member;
  }
  return nullptr;
}

bool HasUnits(const TableDesign& table) {
  return table.throughput.units.read && table.throughput.units.write;
}

// In which ways a table can be paid for; none if nothing of it is open.
std::vector<Payment> PaymentsOf(const Experiment& base, const AdviceRequest& request,
                                size_t table) {
  const bool billing = Find(request, OpenKind::kBilling, table) != nullptr;
  const bool units = Find(request, OpenKind::kUnits, table) != nullptr;
  const OpenMember* const scaling = Find(request, OpenKind::kAutoScaling, table);
  const BillingKind now = BillingOf(base.tables[table]);
  std::vector<Payment> payments;
  if (!billing && !units && scaling == nullptr) return payments;
  const bool can_provision = billing || now != BillingKind::kOnDemand;
  if (billing || now == BillingKind::kOnDemand) payments.push_back({BillingKind::kOnDemand, 0});
  if (can_provision && (units || billing || now == BillingKind::kProvisioned)) {
    payments.push_back({BillingKind::kProvisioned, 0});
  }
  if (can_provision && scaling != nullptr && base.duration >= kScalingDuration) {
    std::vector<int64_t> targets(std::begin(kTargets), std::end(kTargets));
    if (!scaling->values.empty()) targets = scaling->values;
    for (const int64_t target : targets) {
      payments.push_back({BillingKind::kScaled, static_cast<double>(target) / 100});
    }
  }
  return payments;
}

// Attributes that every write with such a key also gives, besides "" for a suffix that is drawn.
std::vector<std::string> SuffixesOf(const Experiment& base, size_t source) {
  std::vector<std::string> suffixes = {""};
  std::optional<std::vector<std::string>> given;
  for (const Access& access : base.accesses) {
    const bool uses = std::any_of(access.key.begin(), access.key.end(),
                                  [source](const auto& part) { return part.second == source; });
    if (!uses || !IsWrite(access.operation)) continue;
    std::vector<std::string> own;
    for (const auto& [attribute, at] : access.key) {
      const bool was_there =
          !given || std::find(given->begin(), given->end(), attribute) != given->end();
      if (at != source && was_there) own.push_back(attribute);
    }
    given = std::move(own);
  }
  for (size_t i = 0; given && i < std::min(given->size(), kSuffixesMax); ++i) {
    suffixes.push_back((*given)[i]);
  }
  return suffixes;
}

// The experiment with each way to make suffixes that are open.
std::vector<Experiment> SuffixVariants(const Experiment& base, const AdviceRequest& request) {
  std::vector<Experiment> variants = {base};
  for (const OpenMember& member : request.open) {
    if (member.kind != OpenKind::kSuffix) continue;
    std::vector<Experiment> more;
    for (const std::string& suffix : SuffixesOf(base, member.source)) {
      for (Experiment variant : variants) {
        variant.sources[member.source].calculated_from = suffix;
        more.push_back(std::move(variant));
      }
    }
    variants = std::move(more);
  }
  return variants;
}

DesignKind KindOf(const Experiment& variant, const AdviceRequest& request, const Payment& payment) {
  DesignKind kind{variant, {}, {}};
  for (size_t i = 0; i < variant.tables.size(); ++i) {
    const std::vector<Payment> payments = PaymentsOf(variant, request, i);
    if (std::find(payments.begin(), payments.end(), payment) == payments.end()) continue;
    const bool units = Find(request, OpenKind::kUnits, i) != nullptr;
    if (payment.kind == BillingKind::kScaled ||
        (payment.kind == BillingKind::kProvisioned && (units || !HasUnits(variant.tables[i])))) {
      kind.sized.push_back(i);
    }
    SetBilling(payment.kind, payment.target, &kind.start.tables[i]);
  }
  for (const OpenMember& member : request.open) {
    const bool is_shards =
        member.kind == OpenKind::kShards || member.kind == OpenKind::kIndexShards;
    if (is_shards && CanShard(variant, member)) kind.levers.push_back(member);
  }
  return kind;
}

std::vector<DesignKind> KindsOf(const Experiment& base, const AdviceRequest& request) {
  std::vector<Payment> payments;
  for (size_t i = 0; i < base.tables.size(); ++i) {
    for (const Payment& payment : PaymentsOf(base, request, i)) {
      if (std::find(payments.begin(), payments.end(), payment) == payments.end()) {
        payments.push_back(payment);
      }
    }
  }
  std::vector<DesignKind> kinds;
  for (const Experiment& variant : SuffixVariants(base, request)) {
    for (const Payment& payment : payments) kinds.push_back(KindOf(variant, request, payment));
    if (!payments.empty()) continue;
    kinds.push_back(KindOf(variant, request, {}));
  }
  return kinds;
}

std::vector<std::string> NotesOf(const Experiment& base, const AdviceRequest& request) {
  std::vector<std::string> notes;
  bool wants_scaling = false;
  for (const OpenMember& member : request.open) {
    wants_scaling = wants_scaling || member.kind == OpenKind::kAutoScaling;
    const bool is_shards =
        member.kind == OpenKind::kShards || member.kind == OpenKind::kIndexShards;
    if (!is_shards || CanShard(base, member)) continue;
    notes.push_back(messages::AdviceCannotShard(PathOf(base, member)));
  }
  if (wants_scaling && base.duration < kScalingDuration) {
    notes.push_back(messages::AdviceTooShort(TimeText(kScalingDuration)));
  }
  return notes;
}

// Simulates for several searches at a time, and tells how far they are.
class Simulations {
 public:
  Simulations(size_t kinds, absl::FunctionRef<bool(const AdviceProgress&)> go_on) : go_on_(go_on) {
    progress_.kinds = kinds;
  }

  std::optional<RunResult> Run(const Experiment& experiment) {
    RunResult run = Simulate(experiment, [this](const RunProgress&) { return GoOn(); });
    if (!run.is_complete) return std::nullopt;
    const std::lock_guard<std::mutex> lock(mutex_);
    ++progress_.simulations;
    return run;
  }
  void KindIsDone() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++progress_.kinds_done;
  }
  bool is_ended() const { return is_ended_; }
  size_t simulations() const { return progress_.simulations; }

 private:
  bool GoOn() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_ended_ && !go_on_(progress_)) is_ended_ = true;
    return !is_ended_;
  }

  const absl::FunctionRef<bool(const AdviceProgress&)> go_on_;
  std::mutex mutex_;
  AdviceProgress progress_;
  std::atomic<bool> is_ended_ = false;
};

bool IsBetter(const KindResult& left, const KindResult& right, const PriceList& prices) {
  if (left.serves != right.serves) return left.serves;
  return left.serves ? BilledCost(left.run, prices) < BilledCost(right.run, prices)
                     : WorstThrottledPart(left.run) < WorstThrottledPart(right.run);
}

// Fewer shards and more units against more shards and fewer units.
std::optional<KindResult> SearchKind(DesignKind kind, const AdviceRequest& request,
                                     const RunResult& asked, const PriceList& prices,
                                     Simulations* simulations) {
  std::optional<KindResult> best;
  for (const double room : kRooms) {
    kind.room = room;
    KindSearch search(kind, request.throttled, asked, [simulations](const Experiment& experiment) {
      return simulations->Run(experiment);
    });
    std::optional<KindResult> found = search.Search();
    if (!found) return best;
    const bool needs_no_more = found->serves && !found->first;
    if (best && best->first) found->first = std::move(best->first);
    if (!best || IsBetter(*found, *best, prices)) {
      best = std::move(found);
    } else {
      best->first = std::move(found->first);
    }
    if (kind.sized.empty() || needs_no_more) return best;
  }
  return best;
}

std::vector<std::optional<KindResult>> SearchAll(const std::vector<DesignKind>& kinds,
                                                 const AdviceRequest& request,
                                                 const RunResult& asked, const PriceList& prices,
                                                 size_t threads, Simulations* simulations) {
  std::vector<std::optional<KindResult>> results(kinds.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < kinds.size(); i = next++) {
      results[i] = SearchKind(kinds[i], request, asked, prices, simulations);
      simulations->KindIsDone();
    }
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min(threads, kinds.size()); ++i) {
    std::thread other;
    // With fewer it takes longer.
    if (!StartThread(work, &other).ok()) break;
    others.push_back(std::move(other));
  }
  work();
  for (std::thread& other : others) other.join();
  return results;
}

class AdviceMaker {
 public:
  AdviceMaker(Advice* advice, const PriceList& prices) : advice_(*advice), prices_(prices) {}

  void Add(RunResult run, const std::vector<RunResult>& less) {
    AdvisedDesign design;
    run.experiment.design = NameOf(run.experiment, advice_.request);
    for (const AdvisedDesign& other : advice_.designs) {
      if (other.run.experiment.design == run.experiment.design) return;
    }
    design.cost = BilledCost(run, prices_);
    design.throttled = WorstThrottledPart(run);
    design.serves = design.throttled <= advice_.request.throttled;
    design.why = WhyThrottled(run);
    for (const RunResult& one : less) {
      design.less.emplace_back(NameOf(one.experiment, advice_.request), WhyThrottled(one));
    }
    design.run = std::move(run);
    advice_.designs.push_back(std::move(design));
  }

  void Sort() {
    std::stable_sort(advice_.designs.begin(), advice_.designs.end(),
                     [](const AdvisedDesign& left, const AdvisedDesign& right) {
                       const auto rank = [](const AdvisedDesign& design) {
                         return std::tuple(!design.serves, design.serves ? 0 : design.throttled,
                                           design.cost);
                       };
                       return rank(left) < rank(right);
                     });
  }

  // Tables do not wait for each other: each is paid for as in the design where it costs the least.
  // nullopt if that is one of those that there are.
  std::optional<Experiment> Mixed() const {
    if (advice_.designs.empty() || !advice_.designs.front().serves) return std::nullopt;
    Experiment mixed = advice_.designs.front().run.experiment;
    bool is_mixed = false;
    for (size_t i = 0; i < mixed.tables.size(); ++i) {
      const AdvisedDesign* best = &advice_.designs.front();
      for (const AdvisedDesign& design : advice_.designs) {
        if (!design.serves || !SameShards(design.run.experiment, mixed)) continue;
        if (CostOfTable(design, i) < CostOfTable(*best, i)) best = &design;
      }
      is_mixed = is_mixed || best != &advice_.designs.front();
      mixed.tables[i] = best->run.experiment.tables[i];
    }
    return is_mixed ? std::optional(mixed) : std::nullopt;
  }

 private:
  static bool SameShards(const Experiment& left, const Experiment& right) {
    for (size_t i = 0; i < left.sources.size(); ++i) {
      if (left.sources[i].shards != right.sources[i].shards ||
          left.sources[i].calculated_from != right.sources[i].calculated_from) {
        return false;
      }
    }
    return true;
  }
  double CostOfTable(const AdvisedDesign& design, size_t table) const {
    double sum = 0;
    for (const ResourceResult& resource : design.run.resources) {
      if (resource.table != table) continue;
      const bool on_demand = design.run.experiment.tables[table].throughput.on_demand;
      sum += CostOf(design.run, resource, prices_).billed(on_demand);
    }
    return sum;
  }

  Advice& advice_;
  const PriceList& prices_;
};

}  // namespace

Advice FindAdvice(const Experiment& base, const AdviceRequest& request, const PriceList& prices,
                  size_t threads, absl::FunctionRef<bool(const AdviceProgress&)> go_on) {
  Advice advice;
  advice.base = base;
  advice.request = request;
  advice.notes = NotesOf(base, request);
  const std::vector<DesignKind> kinds = KindsOf(base, request);
  Simulations simulations(kinds.size(), go_on);
  if (const std::optional<RunResult> asked = simulations.Run(base)) {
    std::vector<std::optional<KindResult>> results =
        SearchAll(kinds, request, *asked, prices, threads, &simulations);
    AdviceMaker maker(&advice, prices);
    for (std::optional<KindResult>& result : results) {
      if (!result) continue;
      maker.Add(std::move(result->run), result->less);
      if (result->first) maker.Add(*std::move(result->first), {});
    }
    maker.Sort();
    const std::optional<Experiment> mixed = maker.Mixed();
    if (std::optional<RunResult> run = mixed ? simulations.Run(*mixed) : std::nullopt) {
      maker.Add(*std::move(run), {});
      maker.Sort();
    }
  }
  advice.simulations = simulations.simulations();
  advice.is_complete = !simulations.is_ended();
  return advice;
}

}  // namespace dynolith::lab
