#include "tests/random/run.h"

#include <memory>

#include "tests/random/comparison.h"

namespace dynolith::random {

using model::Outcome;

std::optional<Failure> RunProgram(const Program& program, const RunOptions& options) {
  model::Model model;
  std::vector<std::unique_ptr<EngineRunner>> runners;
  for (const Configuration& configuration : options.configurations) {
    runners.push_back(std::make_unique<EngineRunner>(configuration, options.scratch));
  }
  for (size_t step = 0; step < program.size(); ++step) {
    Outcome expected = model.Run(program[step]);
    if (options.on_expected) options.on_expected(program[step], &expected);
    std::optional<Outcome> first;
    for (const auto& runner : runners) {
      Outcome got = runner->Run(program[step]);
      if (!first) first = got;
      if (got.scanned == Outcome::kNotTold) got.scanned = first->scanned;
      const bool same = Describe(got) == Describe(*first);
      if (same && Agrees(expected, got)) continue;
      return Failure{.step = step,
                     .configuration = runner->configuration(),
                     .expected = expected,
                     .got = got,
                     .elsewhere = same ? std::nullopt : first};
    }
  }
  if (options.finished) {
    for (const auto& runner : runners) options.finished(*runner);
  }
  return std::nullopt;
}

}  // namespace dynolith::random
