// Runs a program on the model and on the engine, step by step, up to the first disagreement.
#ifndef DYNOLITH_TESTS_RANDOM_RUN_H_
#define DYNOLITH_TESTS_RANDOM_RUN_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/model/model.h"
#include "tests/random/comparison.h"
#include "tests/random/engine_runner.h"

namespace dynolith::random {

using Program = std::vector<model::Operation>;

struct RunOptions {
  // A folder for stores; one program at a time.
  std::string scratch;
  std::vector<Configuration> configurations;
  // Sees what the model says of each step. A test of what happens when the two disagree changes it.
  std::function<void(const model::Operation&, model::Outcome*)> on_expected = nullptr;
  // Called after each search of a configuration with graphs.
  std::function<void(const EngineRunner&, const Recall&)> on_search = nullptr;
  // Called with each engine that has run the whole program.
  std::function<void(const EngineRunner&)> finished = nullptr;
};

struct Failure {
  size_t step = 0;
  Configuration configuration;
  model::Outcome expected;
  model::Outcome got;
  // What the first configuration has answered, if that is what is different.
  std::optional<model::Outcome> elsewhere;
};

// nullopt: every answer was the model's, and the same in every configuration.
std::optional<Failure> RunProgram(const Program& program, const RunOptions& options);

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_RUN_H_
