#include "tools/lab/advise/advice.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "tools/lab/advise/design_change.h"
#include "tools/lab/advise/explanation.h"
#include "tools/lab/advise/kind_search.h"
#include "tools/lab/advise/messages.h"
#include "tools/lab/advise/remedy.h"
#include "tools/lab/experiment/experiment_doubts.h"
#include "tools/lab/experiment/open_members.h"
#include "tools/lab/model/side_by_side.h"
#include "tools/lab/model/simulation.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {
namespace {

using OpenKind = OpenMember::Kind;

// A shorter run does not show effects that take minutes.
constexpr Micros kScalingDuration = 30 * kMinute;
constexpr int64_t kTargets[] = {50, 70, 90};
constexpr int64_t kScalingTargetLeast = 20;
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

// The targets in the file; otherwise those that keep the requested reserve.
std::vector<int64_t> ListScalingTargets(const OpenMember& scaling, const AdviceRequest& request) {
  if (!scaling.values.empty()) return scaling.values;
  const auto most = static_cast<int64_t>(std::llround(request.utilization * 100));
  std::vector<int64_t> targets;
  for (const int64_t target : kTargets) {
    if (target <= most) targets.push_back(target);
  }
  if (targets.empty()) targets.push_back(std::max(kScalingTargetLeast, most));
  return targets;
}

// The open ways to pay for a table; empty if none of its billing is open.
std::vector<Payment> ListPayments(const Experiment& base, const AdviceRequest& request,
                                  size_t table) {
  const bool billing = Find(request, OpenKind::kBilling, table) != nullptr;
  const bool units = Find(request, OpenKind::kUnits, table) != nullptr;
  const OpenMember* const scaling = Find(request, OpenKind::kAutoScaling, table);
  const BillingKind now = ToBillingKind(base.tables[table]);
  std::vector<Payment> payments;
  if (!billing && !units && scaling == nullptr) return payments;
  const bool can_provision = billing || now != BillingKind::kOnDemand;
  if (billing || now == BillingKind::kOnDemand) payments.push_back({BillingKind::kOnDemand, 0});
  // Units of a table with replicas, provisioned, have to be scaled.
  const bool is_replicated = !base.tables[table].paid.replicas.empty();
  if (can_provision && !is_replicated && (units || billing || now == BillingKind::kProvisioned)) {
    payments.push_back({BillingKind::kProvisioned, 0});
  }
  if (can_provision && scaling != nullptr && base.duration >= kScalingDuration) {
    for (const int64_t target : ListScalingTargets(*scaling, request)) {
      payments.push_back({BillingKind::kScaled, static_cast<double>(target) / 100});
    }
  }
  return payments;
}

// "" for a drawn suffix, and attributes from which it is calculated.
std::vector<std::string> ListSuffixes(const Experiment& base, size_t source) {
  std::vector<std::string> suffixes = {""};
  const std::vector<std::string> attributes = ListSuffixAttributes(base, source);
  for (size_t i = 0; i < std::min(attributes.size(), kSuffixesMax); ++i) {
    suffixes.push_back(attributes[i]);
  }
  return suffixes;
}

// The candidates of a member that is not a number; empty for numbers.
std::vector<std::function<void(Experiment*)>> ListChanges(const Experiment& base,
                                                          const OpenMember& member) {
  std::vector<std::function<void(Experiment*)>> changes;
  const size_t access = member.access;
  if (member.kind == OpenKind::kSuffix) {
    for (const std::string& suffix : ListSuffixes(base, member.source)) {
      changes.emplace_back([suffix, source = member.source](Experiment* variant) {
        variant->sources[source].calculated_from = suffix;
      });
    }
  } else if (member.kind == OpenKind::kConsistency) {
    for (const ReadMode mode : {ReadMode::kStrong, ReadMode::kEventual}) {
      changes.emplace_back(
          [mode, access](Experiment* variant) { variant->accesses[access].consistency = mode; });
    }
  } else if (member.kind == OpenKind::kCache) {
    for (const Micros time : {Micros{0}, kSecond}) {
      changes.emplace_back(
          [time, access](Experiment* variant) { variant->accesses[access].cache = time; });
    }
  }
  return changes;
}

// The experiment with each combination of open suffixes and ways to read.
std::vector<Experiment> MakeVariants(const Experiment& base, const AdviceRequest& request) {
  std::vector<Experiment> variants = {base};
  for (const OpenMember& member : request.open) {
    std::vector<Experiment> more;
    for (const auto& change : ListChanges(base, member)) {
      for (Experiment variant : variants) {
        change(&variant);
        more.push_back(std::move(variant));
      }
    }
    if (!more.empty()) variants = std::move(more);
  }
  return variants;
}

DesignKind MakeDesignKind(const Experiment& variant, const AdviceRequest& request,
                          const Payment& payment) {
  DesignKind kind{variant, {}, {}};
  for (size_t i = 0; i < variant.tables.size(); ++i) {
    const std::vector<Payment> payments = ListPayments(variant, request, i);
    const auto opens = [&](OpenKind what) { return Find(request, what, i) != nullptr; };
    if (std::find(payments.begin(), payments.end(), payment) != payments.end()) {
      const bool units = opens(OpenKind::kUnits) || !HasUnits(variant.tables[i]);
      if (payment.kind == BillingKind::kScaled ||
          (payment.kind == BillingKind::kProvisioned && units)) {
        kind.sized.push_back({i, Given::kUnits});
      }
      SetBilling(payment.kind, payment.target, &kind.start.tables[i]);
    }
    if (!kind.start.tables[i].throughput.on_demand) continue;
    if (opens(OpenKind::kWarm)) kind.sized.push_back({i, Given::kWarm});
    if (opens(OpenKind::kMaximum)) kind.sized.push_back({i, Given::kMaximum});
  }
  for (const OpenMember& member : request.open) {
    const bool is_shards =
        member.kind == OpenKind::kShards || member.kind == OpenKind::kIndexShards;
    if (is_shards && CanShard(variant, member)) kind.levers.push_back(member);
  }
  return kind;
}

std::vector<DesignKind> ListDesignKinds(const Experiment& base, const AdviceRequest& request) {
  std::vector<Payment> payments;
  for (size_t i = 0; i < base.tables.size(); ++i) {
    for (const Payment& payment : ListPayments(base, request, i)) {
      if (std::find(payments.begin(), payments.end(), payment) == payments.end()) {
        payments.push_back(payment);
      }
    }
  }
  std::vector<DesignKind> kinds;
  for (const Experiment& variant : MakeVariants(base, request)) {
    for (const Payment& payment : payments)
      kinds.push_back(MakeDesignKind(variant, request, payment));
    if (!payments.empty()) continue;
    kinds.push_back(MakeDesignKind(variant, request, {}));
  }
  return kinds;
}

bool OpensSuffix(const AdviceRequest& request, size_t source) {
  return std::any_of(request.open.begin(), request.open.end(), [source](const OpenMember& member) {
    return member.kind == OpenKind::kSuffix && member.source == source;
  });
}

std::string SuffixPath(const Experiment& base, size_t source) {
  return OpenMemberPath(base, {.kind = OpenKind::kSuffix, .source = source});
}

std::vector<std::string> ListNotes(const Experiment& base, const AdviceRequest& request) {
  std::vector<std::string> notes;
  bool wants_scaling = false;
  for (const OpenMember& member : request.open) {
    wants_scaling = wants_scaling || member.kind == OpenKind::kAutoScaling;
    const bool is_shards =
        member.kind == OpenKind::kShards || member.kind == OpenKind::kIndexShards;
    if (!is_shards || CanShard(base, member)) continue;
    const std::string path = OpenMemberPath(base, member);
    const std::optional<std::string> missing = FindAccessThatMisses(base, member);
    if (!missing) {
      notes.push_back(messages::AdviceCannotShard(path));
      continue;
    }
    const std::vector<std::string> suffixes = ListSuffixAttributes(base, member.source);
    notes.push_back(messages::AdviceCannotDraw(path, *missing, SuffixPath(base, member.source),
                                               suffixes.empty() ? "" : suffixes.front(),
                                               OpensSuffix(request, member.source)));
  }
  if (wants_scaling && base.duration < kScalingDuration) {
    notes.push_back(messages::AdviceTooShort(TimeText(kScalingDuration)));
  }
  return notes;
}

// Runs the simulations of concurrent searches, and reports their progress.
class Simulations {
 public:
  Simulations(size_t kinds, absl::FunctionRef<bool(const AdviceProgress&)> go_on) : go_on_(go_on) {
    progress_.kinds = kinds;
  }

  // `go_on` can end the run early, as in Simulate. Returns nullopt if the search has to end.
  std::optional<RunResult> Run(
      const Experiment& experiment,
      absl::FunctionRef<bool(const RunProgress&)> go_on = [](const RunProgress&) { return true; }) {
    RunResult run = Simulate(
        experiment, [&](const RunProgress& progress) { return GoOn() && go_on(progress); });
    if (!run.is_complete && is_ended_) return std::nullopt;
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

// Warm throughput is bought only where it is open; elsewhere it exists already.
double SumWarmCosts(const Experiment& design, const AdviceRequest& request,
                    const PriceList& prices) {
  double sum = 0;
  for (size_t i = 0; i < design.tables.size(); ++i) {
    if (Find(request, OpenKind::kWarm, i) != nullptr) sum += WarmCost(design.tables[i], prices);
  }
  return sum;
}

bool OpensReserved(const AdviceRequest& request) {
  return std::any_of(request.open.begin(), request.open.end(),
                     [](const OpenMember& member) { return member.kind == OpenKind::kReserved; });
}

// With the cheapest reserved capacity, if that is open.
double FindMonth(const RunResult& run, const AdviceRequest& request, const PriceList& prices) {
  return OpensReserved(request) ? BilledCost(run, FindReserved(run, prices), prices)
                                : BilledCost(run, prices);
}

bool IsBetter(const Judgement& left, const Judgement& right, const AdviceRequest& request,
              const PriceList& prices) {
  if (left.serves != right.serves) return left.serves;
  if (!left.serves) return WorstDeniedPart(left.run) < WorstDeniedPart(right.run);
  const auto cost = [&](const RunResult& run) {
    return FindMonth(run, request, prices) + SumWarmCosts(run.experiment, request, prices);
  };
  return cost(left.run) < cost(right.run);
}

// Fewer shards and more units against more shards and fewer units.
std::optional<KindResult> SearchKind(DesignKind kind, const AdviceRequest& request,
                                     const RunResult& asked, const PriceList& prices,
                                     Simulations* simulations) {
  std::optional<KindResult> best;
  const bool has_rooms =
      std::any_of(kind.sized.begin(), kind.sized.end(),
                  [](const DesignKind::Sized& sized) { return sized.given != Given::kMaximum; });
  const bool is_gathered =
      std::any_of(kind.levers.begin(), kind.levers.end(),
                  [&](const OpenMember& lever) { return IsGathered(kind.start, lever); });
  for (const double room : kRooms) {
    kind.room = room;
    KindSearch search(kind, request, asked,
                      [simulations](const Experiment& experiment, const auto& go_on) {
                        return simulations->Run(experiment, go_on);
                      });
    std::vector<KindResult> all = search.Search();
    if (all.empty()) return best;
    const bool serves = all.front().judgement.serves;
    const bool needs_no_more = serves && (!all.front().first || !is_gathered);
    std::optional<Judgement> first = std::move(all.front().first);
    if (best && best->first) first = std::move(best->first);
    for (KindResult& found : all) {
      if (best && !IsBetter(found.judgement, best->judgement, request, prices)) continue;
      best = std::move(found);
    }
    best->first = std::move(first);
    if (!has_rooms || needs_no_more) return best;
  }
  return best;
}

// The judged run, and the same design under the service's own conditions.
struct Found {
  Judgement judgement;
  RunResult run;
  std::vector<RunResult> less;
};

Found WithPlainRun(Judgement judgement, std::vector<RunResult> less, const Experiment& base,
                   Simulations* simulations) {
  Found found{std::move(judgement), {}, std::move(less)};
  Experiment plain = found.judgement.run.experiment;
  const bool is_harder =
      plain.trial.utilization < 1 || !plain.trial.saves || plain.trial.placement > 0;
  plain.trial = {};
  plain.seed = base.seed;
  std::optional<RunResult> run = is_harder ? simulations->Run(plain) : std::nullopt;
  found.run = run ? *std::move(run) : found.judgement.run;
  found.run.experiment = std::move(plain);
  return found;
}

std::vector<std::vector<Found>> SearchAll(const std::vector<DesignKind>& kinds,
                                          const AdviceRequest& request, const RunResult& asked,
                                          const PriceList& prices, size_t threads,
                                          Simulations* simulations) {
  std::vector<std::vector<Found>> results(kinds.size());
  SideBySide(kinds.size(), threads, [&](size_t i) {
    std::optional<KindResult> result = SearchKind(kinds[i], request, asked, prices, simulations);
    const auto add = [&](Judgement judgement, std::vector<RunResult> less) {
      results[i].push_back(
          WithPlainRun(std::move(judgement), std::move(less), asked.experiment, simulations));
    };
    if (result) add(std::move(result->judgement), std::move(result->less));
    if (result && result->first) add(*std::move(result->first), {});
    simulations->KindIsDone();
  });
  return results;
}

// What the listed designs give reason to doubt, and the base does not; with the names of those
// that do, if not all of them.
std::vector<std::string> ListDesignDoubts(const Advice& advice, const PriceList& prices) {
  std::vector<std::string> known;
  AddDoubts(advice.base, &known);
  std::vector<std::pair<std::string, std::vector<std::string>>> found;  // doubts, and their designs
  for (const AdvisedDesign& design : advice.designs) {
    std::vector<std::string> doubts;
    AddDoubts(design.run.experiment, &doubts);
    AddBillDoubts(design.run, prices, &doubts);
    for (std::string& doubt : doubts) {
      if (std::find(known.begin(), known.end(), doubt) != known.end()) continue;
      const auto same = [&doubt](const auto& other) { return other.first == doubt; };
      auto at = std::find_if(found.begin(), found.end(), same);
      if (at == found.end()) {
        found.emplace_back(std::move(doubt), std::vector<std::string>());
        at = found.end() - 1;
      }
      const std::string& name = design.run.experiment.design;
      at->second.push_back(name.empty() ? messages::AdviceAsItIs() : name);
    }
  }
  std::vector<std::string> notes;
  for (const auto& [doubt, names] : found) {
    const bool is_of_all = names.size() == advice.designs.size();
    if (is_of_all) notes.push_back(messages::AdviceDoubt(doubt));
    for (size_t i = 0; !is_of_all && i < names.size(); ++i) {
      notes.push_back(messages::AdviceDoubtOf(names[i], doubt));
    }
  }
  return notes;
}

class AdviceMaker {
 public:
  AdviceMaker(Advice* advice, const PriceList& prices) : advice_(*advice), prices_(prices) {}

  // If reserved capacity is open, also with that of each term.
  void Add(Found found) {
    AdvisedDesign design;
    design.once = SumWarmCosts(found.run.experiment, advice_.request, prices_);
    design.serves = found.judgement.serves;
    design.tried = found.judgement.tried;
    design.served = found.judgement.served;
    design.denied = WorstDeniedPart(found.judgement.run);
    design.why = WhyNotServed(found.judgement.run);
    if (!design.serves) design.helps = WhatHelps(found.judgement.run, advice_.request);
    for (const RunResult& one : found.less) {
      design.less.emplace_back(DesignName(one.experiment, advice_.request), WhyNotServed(one));
    }
    design.run = std::move(found.run);
    std::optional<ReservedCapacity>& reserved = design.run.experiment.reserved;
    if (!OpensReserved(advice_.request)) return AddPriced(std::move(design));
    reserved.reset();
    AddPriced(design);
    for (ReservedCapacity& each : ListPayingReserved(design.run, prices_)) {
      reserved = std::move(each);
      AddPriced(design);
    }
  }

  void Sort() {
    std::stable_sort(advice_.designs.begin(), advice_.designs.end(),
                     [](const AdvisedDesign& left, const AdvisedDesign& right) {
                       const auto rank = [](const AdvisedDesign& design) {
                         return std::tuple(!design.serves, design.serves ? 0 : design.denied,
                                           design.cost + design.once);
                       };
                       return rank(left) < rank(right);
                     });
  }

  // Combines, for each table, its billing in the design in which it costs least. nullopt if the
  // result is one of the existing designs.
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
  void AddPriced(AdvisedDesign design) {
    std::string& name = design.run.experiment.design;
    name = DesignName(design.run.experiment, advice_.request);
    for (const AdvisedDesign& other : advice_.designs) {
      if (other.run.experiment.design == name) return;
    }
    design.cost = BilledCost(design.run, prices_);
    advice_.designs.push_back(std::move(design));
  }
  // Then the same reads query every shard.
  static bool SameShards(const Experiment& left, const Experiment& right) {
    for (size_t i = 0; i < left.sources.size(); ++i) {
      if (left.sources[i].shards != right.sources[i].shards ||
          left.sources[i].calculated_from != right.sources[i].calculated_from) {
        return false;
      }
    }
    for (size_t i = 0; i < left.tables.size(); ++i) {
      const std::vector<IndexDesign>& indexes = left.tables[i].indexes;
      const bool is_same =
          std::equal(indexes.begin(), indexes.end(), right.tables[i].indexes.begin(),
                     [](const IndexDesign& one, const IndexDesign& other) {
                       return one.shards == other.shards;
                     });
      if (!is_same) return false;
    }
    return true;
  }
  double CostOfTable(const AdvisedDesign& design, size_t table) const {
    return BilledCost(design.run, table, prices_);
  }

  Advice& advice_;
  const PriceList& prices_;
};

}  // namespace

const AdvisedDesign* Advice::CheapestUnwarmed() const {
  for (const AdvisedDesign& design : designs) {
    if (design.serves && design.once == 0) return &design;
  }
  return nullptr;
}

Advice FindAdvice(const Experiment& base, const AdviceRequest& request, const PriceList& prices,
                  size_t threads, absl::FunctionRef<bool(const AdviceProgress&)> go_on) {
  Advice advice;
  advice.base = base;
  advice.request = request;
  advice.notes = ListNotes(base, request);
  const std::vector<DesignKind> kinds = ListDesignKinds(base, request);
  Simulations simulations(kinds.size(), go_on);
  if (const std::optional<RunResult> asked = simulations.Run(base)) {
    std::vector<std::vector<Found>> results =
        SearchAll(kinds, request, *asked, prices, threads, &simulations);
    AdviceMaker maker(&advice, prices);
    for (std::vector<Found>& of_kind : results) {
      for (Found& found : of_kind) maker.Add(std::move(found));
    }
    maker.Sort();
    if (const std::optional<Experiment> mixed = maker.Mixed()) {
      Placements placements(*mixed, request,
                            [&simulations](const Experiment& experiment, const auto& go_on) {
                              return simulations.Run(experiment, go_on);
                            });
      if (std::optional<Judgement> judgement = placements.Judge(*mixed, FailedRun::kWhole)) {
        maker.Add(WithPlainRun(*std::move(judgement), {}, base, &simulations));
        maker.Sort();
      }
    }
  }
  for (std::string& doubt : ListDesignDoubts(advice, prices)) {
    advice.notes.push_back(std::move(doubt));
  }
  advice.simulations = simulations.simulations();
  advice.is_complete = !simulations.is_ended();
  return advice;
}

}  // namespace dynolith::lab
