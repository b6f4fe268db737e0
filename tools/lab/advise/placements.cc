#include "tools/lab/advise/placements.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "tools/lab/advise/explanation.h"

namespace dynolith::lab {
namespace {

constexpr size_t kProbed = 6;

}  // namespace

Experiment InPlacement(const Experiment& design, const AdviceRequest& request, uint64_t placement) {
  Experiment tried = design;
  tried.seed += placement;
  tried.trial = {
      .utilization = request.utilization, .saves = request.burst, .placement = placement};
  return tried;
}

Placements::Placements(const AdviceRequest& request, SimulateOne simulate)
    : request_(request),
      simulate_(std::move(simulate)),
      may_fail_(static_cast<int64_t>(
          std::floor((1 - request.serves) * static_cast<double>(request.placements) + 1e-9))),
      order_(static_cast<size_t>(request.placements)) {
  std::iota(order_.begin(), order_.end(), uint64_t{0});
}

bool Placements::Serves(const RunResult& run) const {
  return WorstThrottledPart(run) <= request_.throttled;
}

std::optional<RunResult> Placements::Try(const Experiment& design, uint64_t placement) const {
  return simulate_(InPlacement(design, request_, placement));
}

std::optional<Judgement> Placements::Judge(const Experiment& design) {
  return JudgeIn(design, order_.size());
}

std::optional<Judgement> Placements::Probe(const Experiment& design) {
  return JudgeIn(design, std::min(order_.size(), kProbed));
}

std::optional<Judgement> Placements::JudgeIn(const Experiment& design, size_t placements) {
  const std::vector<uint64_t> order(order_.begin(),
                                    order_.begin() + static_cast<std::ptrdiff_t>(placements));
  Judgement judgement;
  std::optional<RunResult> good;
  std::optional<RunResult> bad;
  std::vector<uint64_t> failed;
  for (const uint64_t placement : order) {
    std::optional<RunResult> run = Try(design, placement);
    if (!run) return std::nullopt;
    ++judgement.tried;
    if (Serves(*run)) {
      ++judgement.served;
      if (!good) good = std::move(run);
      continue;
    }
    failed.push_back(placement);
    if (!bad || WorstThrottledPart(*run) > WorstThrottledPart(*bad)) bad = std::move(run);
    if (judgement.tried - judgement.served > may_fail_) break;
  }
  const auto is_failed = [&failed](uint64_t placement) {
    return std::find(failed.begin(), failed.end(), placement) != failed.end();
  };
  std::stable_partition(order_.begin(), order_.end(), is_failed);
  judgement.serves = judgement.tried - judgement.served <= may_fail_ && good;
  judgement.run = judgement.serves ? *std::move(good) : *std::move(bad);
  return judgement;
}

}  // namespace dynolith::lab
