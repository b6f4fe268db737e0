#include "tests/random/shrink.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/random/simpler.h"

namespace dynolith::random {
namespace {

class Shrinker {
 public:
  Shrinker(Program program, const FailsAt& fails_at, int runs_max)
      : program_(std::move(program)), fails_at_(fails_at), runs_left_(runs_max) {}

  Program Run() {
    Accept(program_);
    // A simpler step may need fewer others, and the other way round.
    bool changed = true;
    while (changed && runs_left_ > 0) {
      changed = LeaveOut();
      changed |= Simplify();
    }
    return program_;
  }

 private:
  // Takes the candidate if it fails, without what it has behind that.
  bool Accept(Program candidate) {
    if (runs_left_-- <= 0) return false;
    const std::optional<size_t> step = fails_at_(candidate);
    if (!step) return false;
    candidate.resize(*step + 1);
    program_ = std::move(candidate);
    return true;
  }

  // Halves of the steps, quarters, and so on down to single ones; from behind, since later steps
  // are what earlier ones are needed for.
  bool LeaveOut() {
    bool changed = false;
    for (size_t size = std::max<size_t>(program_.size() / 2, 1); size > 0; size /= 2) {
      for (size_t end = program_.size(); end > 0 && runs_left_ > 0;) {
        end = std::min(end, program_.size());
        const size_t begin = end > size ? end - size : 0;
        Program candidate(program_.begin(), program_.begin() + static_cast<ptrdiff_t>(begin));
        candidate.insert(candidate.end(), program_.begin() + static_cast<ptrdiff_t>(end),
                         program_.end());
        changed |= Accept(std::move(candidate));
        end = begin;
      }
    }
    return changed;
  }

  bool Simplify() {
    bool changed = false;
    for (size_t i = 0; i < program_.size(); ++i) {
      while (runs_left_ > 0 && i < program_.size() && SimplifyStep(i)) changed = true;
    }
    return changed;
  }

  bool SimplifyStep(size_t i) {
    for (model::Operation& simpler : Simpler(program_[i])) {
      Program candidate = program_;
      candidate[i] = std::move(simpler);
      if (Accept(std::move(candidate))) return true;
    }
    return false;
  }

  Program program_;
  const FailsAt& fails_at_;
  int runs_left_;
};

}  // namespace

FailsAt FailsLike(const Program& program, const Failure& failure, RunOptions options) {
  std::vector<Configuration> needed = {failure.configuration};
  if (failure.elsewhere) needed.insert(needed.begin(), options.configurations[0]);
  options.configurations = needed;
  options.finished = nullptr;
  const size_t kind = program[failure.step].index();
  return [=](const Program& candidate) -> std::optional<size_t> {
    const auto found = RunProgram(candidate, options);
    if (!found || candidate[found->step].index() != kind ||
        found->configuration.name != failure.configuration.name ||
        found->expected.error != failure.expected.error || found->got.error != failure.got.error) {
      return std::nullopt;
    }
    return found->step;
  };
}

Program Shrink(Program program, const FailsAt& fails_at, int runs_max) {
  return Shrinker(std::move(program), fails_at, runs_max).Run();
}

}  // namespace dynolith::random
