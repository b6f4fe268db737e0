// Members of an experiment that name a file: rates over time, and keys with their weights.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_CSV_MEMBERS_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_CSV_MEMBERS_H_

#include <map>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/experiment/toml_reader.h"

namespace dynolith::lab {

// The texts of files, each read once; designs share them. Borrows `read`.
class NamedTexts {
 public:
  using Read = absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)>;
  explicit NamedTexts(Read read) : read_(read) {}

  const absl::StatusOr<std::string>& Find(const std::string& path);

 private:
  const Read read_;
  std::map<std::string, absl::StatusOr<std::string>> texts_;
};

// { file, column, time, per, begin }: the load becomes the steps of the rows, each until the next
// one, the last as long as the one before it. The first row is the beginning of the experiment
// unless `begin` says when that is; there is no load outside of the file. Errors have the file's
// line.
void ReadRateFile(TomlTable rate, NamedTexts* texts, Load* load);
// { file, key, weight }: the values of a list and their weights; or { file }, a report of
// Contributor Insights.
void ReadWeightFile(TomlTable weights, NamedTexts* texts, KeySource* source);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_CSV_MEMBERS_H_
