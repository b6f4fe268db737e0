#include "tests/random/run.h"

#include <limits>
#include <memory>
#include <variant>

namespace dynolith::random {

using model::Outcome;

namespace {

bool IsApproximate(const EngineRunner& runner, const model::Operation& operation) {
  return runner.configuration().graph_entries > 0 &&
         std::holds_alternative<model::SearchOp>(operation);
}

bool AgreesApproximately(const EngineRunner& runner, const model::SearchOp& op,
                         const Outcome& expected, const Outcome& got, model::Model* model,
                         const RunOptions& options) {
  model::SearchOp unbounded = op;
  unbounded.top_k = std::numeric_limits<int>::max();
  Recall recall;
  const bool agrees = AgreesApproximately(model->Run(unbounded), expected, got, &recall);
  if (agrees && options.on_search) options.on_search(runner, recall);
  return agrees;
}

}  // namespace

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
      const bool approximate = IsApproximate(*runner, program[step]);
      const bool same = approximate || Describe(got) == Describe(*first);
      const bool agrees =
          approximate ? AgreesApproximately(*runner, std::get<model::SearchOp>(program[step]),
                                            expected, got, &model, options)
                      : Agrees(expected, got);
      if (same && agrees) continue;
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
