#include "tools/lab/advise/placements.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tools/lab/advise/design_change.h"
#include "tools/lab/advise/explanation.h"
#include "tools/lab/load/load_rate.h"

namespace dynolith::lab {
namespace {

constexpr size_t kProbed = 5;
// A short part of a run usually shows in which placements a design does not serve.
constexpr Micros kGlances = 32;

}  // namespace

Experiment InPlacement(const Experiment& design, const AdviceRequest& request, uint64_t placement) {
  Experiment tried = design;
  tried.seed += placement;
  tried.trial = {
      .utilization = request.utilization, .saves = request.burst, .placement = placement};
  return tried;
}

LikelyPart FindLikelyPart(int64_t served, int64_t tried) {
  constexpr double kNormal = 1.959964;  // 95 % of a normal distribution are within so many sigmas
  const auto count = static_cast<double>(tried);
  const double part = static_cast<double>(served) / count;
  const double square = kNormal * kNormal / count;
  const double middle = (part + square / 2) / (1 + square);
  const double half =
      kNormal / (1 + square) * std::sqrt(part * (1 - part) / count + square / (4 * count));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

Placements::Placements(const Experiment& start, const AdviceRequest& request, SimulateOne simulate)
    : start_(start),
      request_(request),
      simulate_(std::move(simulate)),
      may_fail_(static_cast<int64_t>(
          std::floor((1 - request.serves) * static_cast<double>(request.placements) + 1e-9))),
      order_(static_cast<size_t>(request.placements)) {
  std::iota(order_.begin(), order_.end(), uint64_t{0});
}

bool Placements::Serves(const RunResult& run) const {
  return WorstDeniedPart(run) <= request_.throttled && ServesAsExpected(run);
}

std::optional<RunResult> Placements::RunUntil(const Experiment& design, uint64_t placement,
                                              Micros until, bool* fails) const {
  *fails = false;
  std::optional<RunResult> run =
      simulate_(InPlacement(design, request_, placement), [&](const RunProgress& progress) {
        *fails = progress.denied_at_least > request_.throttled;
        return !*fails && progress.simulated < until;
      });
  if (run && run->is_complete) *fails = !Serves(*run);
  return run;
}

std::optional<RunResult> Placements::Try(const Experiment& design, uint64_t placement,
                                         FailedRun failed) const {
  if (failed == FailedRun::kWhole) {
    return simulate_(InPlacement(design, request_, placement),
                     [](const RunProgress&) { return true; });
  }
  bool fails = false;
  return RunUntil(design, placement, kNever, &fails);
}

int64_t Placements::CountFailed(const Verdicts& verdicts) {
  return std::count_if(verdicts.begin(), verdicts.end(),
                       [](const auto& verdict) { return !verdict.second; });
}

bool Placements::Complete(RunResult* run) const {
  if (run->is_complete) return true;
  std::optional<RunResult> whole =
      simulate_(run->experiment, [](const RunProgress&) { return true; });
  if (whole) *run = *std::move(whole);
  return run->is_complete;
}

std::optional<Judgement> Placements::Judge(const Experiment& design, FailedRun failed) {
  return JudgeIn(design, order_.size(), failed);
}

std::optional<Judgement> Placements::Probe(const Experiment& design, FailedRun failed) {
  return JudgeIn(design, std::min(order_.size(), kProbed), failed);
}

// Runs placements until it is certain whether the design serves: first a short part of each, then
// those in which most was denied. Returns false if the search has to end.
bool Placements::TryAll(const Experiment& design, std::vector<uint64_t> order, Verdicts* verdicts,
                        Examples* examples) const {
  const Micros glance = design.duration / kGlances;
  const bool can_glance = glance >= kSecond && order.size() > 1;
  std::map<uint64_t, double> denied;
  for (const Micros until : {can_glance ? glance : kNever, kNever}) {
    for (const uint64_t placement : order) {
      if (CountFailed(*verdicts) > may_fail_) return true;
      if (verdicts->contains(placement)) continue;
      bool fails = false;
      std::optional<RunResult> run = RunUntil(design, placement, until, &fails);
      if (!run) return false;
      denied[placement] = WorstDeniedPart(*run);
      if (!fails && !run->is_complete) continue;
      verdicts->emplace(placement, !fails);
      std::optional<RunResult>& example = (*examples)[!fails];
      if (!example) example = std::move(run);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](uint64_t left, uint64_t right) { return denied[left] > denied[right]; });
  }
  return true;
}

std::optional<Judgement> Placements::JudgeIn(const Experiment& design, size_t placements,
                                             FailedRun failed) {
  const std::vector<uint64_t> order(order_.begin(),
                                    order_.begin() + static_cast<std::ptrdiff_t>(placements));
  Verdicts& verdicts = judged_[DesignText(start_, design)];
  Examples examples;
  if (!TryAll(design, order, &verdicts, &examples)) return std::nullopt;
  Judgement judgement;
  judgement.tried = static_cast<int64_t>(verdicts.size());
  judgement.served = judgement.tried - CountFailed(verdicts);
  judgement.serves = CountFailed(verdicts) <= may_fail_ && judgement.served > 0;
  std::optional<RunResult>& example = examples[judgement.serves];
  if (!example) {
    // It was judged before.
    const auto same = std::find_if(verdicts.begin(), verdicts.end(), [&](const auto& verdict) {
      return verdict.second == judgement.serves;
    });
    example = Try(design, same->first, failed);
  }
  if (!example || (failed == FailedRun::kWhole && !Complete(&*example))) return std::nullopt;
  judgement.run = *std::move(example);
  std::stable_partition(order_.begin(), order_.end(), [&](uint64_t placement) {
    const auto verdict = verdicts.find(placement);
    return verdict != verdicts.end() && !verdict->second;
  });
  return judgement;
}

}  // namespace dynolith::lab
