// Reads the members of an experiment that name a file: rates over time, and keys with weights.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_CSV_MEMBERS_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_CSV_MEMBERS_H_

#include <map>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tools/files/toml/toml_reader.h"
#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Reads each file once, since designs share files. Borrows `read`.
class NamedTexts {
 public:
  using Read = absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)>;
  explicit NamedTexts(Read read) : read_(read) {}

  const absl::StatusOr<std::string>& Find(const std::string& path);

 private:
  const Read read_;
  std::map<std::string, absl::StatusOr<std::string>> texts_;
};

// Reads { file, column, time, per, begin } into the steps of `load`. A row lasts until the next
// one; the last lasts as long as the one before it. The experiment begins at the first row unless
// `begin` gives another time, and there is no load outside of the rows' times. Errors name the line
// in the file. A file in JSON has metrics of CloudWatch: `column` is a label, and without `per` the
// least distance of two times is their period; a period that is not in it has no load.
void ReadRateFile(TomlTable rate, NamedTexts* texts, Load* load);
// Reads { file, key, weight }, the values of a list and their weights; or { file }, a report of
// Contributor Insights.
void ReadWeightFile(TomlTable weights, NamedTexts* texts, KeySource* source);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_CSV_MEMBERS_H_
