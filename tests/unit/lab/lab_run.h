// Experiments for tests: from a text, or a shipped one, with all its designs run.
#ifndef DYNOLITH_TESTS_UNIT_LAB_LAB_RUN_H_
#define DYNOLITH_TESTS_UNIT_LAB_LAB_RUN_H_

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/lab/model/simulation.h"
#include "tools/lab/shipped/shipped.h"

namespace dynolith::testing {

// For so long, requests at even distances: a table t by pk, with items of 100 bytes. More of the
// table and accesses may follow.
inline std::string OneTable(std::string_view duration, std::string_view more = "") {
  return Concat("[experiment]\nduration = \"", duration, "\"\narrivals = \"even\"\n[[table]]\n",
                "name = \"t\"\npartition_key = \"pk\"\nitem_size = 100\n", more);
}
// Somebody puts one item of it, so many times a second. More of the access may follow.
inline std::string OneKey(std::string_view duration, int rate) {
  return OneTable(duration, Concat("[[access]]\nname = \"write\"\noperation = \"PutItem\"\n",
                                   "key.pk = { distribution = \"list\", values = [\"one\"] }\n",
                                   "load = { rate = ", rate, " }\n"));
}

inline std::vector<lab::Experiment> ReadExperiments(std::string_view text) {
  auto parsed = lab::ParseExperiment("test.toml", text, [](const std::string& path) {
    return absl::StatusOr<std::string>(absl::NotFoundError(path));
  });
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? *std::move(parsed) : std::vector<lab::Experiment>();
}

inline lab::RunResult RunExperiment(const lab::Experiment& experiment) {
  return lab::Simulate(experiment, [](const lab::RunProgress&) { return true; });
}

// By the names of designs.
inline std::map<std::string, lab::RunResult> RunAll(std::string_view text) {
  std::map<std::string, lab::RunResult> runs;
  for (const lab::Experiment& experiment : ReadExperiments(text)) {
    runs.emplace(experiment.design, RunExperiment(experiment));
  }
  return runs;
}

inline std::map<std::string, lab::RunResult> RunsOfShipped(std::string_view name) {
  const lab::ShippedFile* const file = lab::FindShippedExperiment(name);
  EXPECT_NE(file, nullptr) << name;
  return file == nullptr ? std::map<std::string, lab::RunResult>() : RunAll(file->text);
}

// The part of its operations that was served, from second `begin` to second `end`.
inline double ServedPart(const lab::AccessResult& access, size_t begin, size_t end) {
  lab::AccessMoment sum;
  for (size_t i = begin; i < end && i < access.moments.size(); ++i) sum += access.moments[i];
  return static_cast<double>(sum.served) / static_cast<double>(sum.operations);
}

// That were read or written, by the heat map of a table or an index.
inline double StoredBytes(const lab::RunResult& run, size_t resource) {
  double bytes = 0;
  for (const lab::HeatMap::Cell& cell : run.resources[resource].heat.cells) bytes += cell.bytes;
  return bytes;
}

inline const lab::AccessResult& FindAccess(const lab::RunResult& run, std::string_view name) {
  for (const lab::AccessResult& access : run.accesses) {
    if (access.name == name) return access;
  }
  ADD_FAILURE() << "there is no access " << name;
  return run.accesses.front();
}

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_LAB_LAB_RUN_H_
