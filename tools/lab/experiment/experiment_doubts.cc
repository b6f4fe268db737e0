#include "tools/lab/experiment/experiment_doubts.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "engine/base/strings.h"
#include "tools/lab/experiment/messages.h"

namespace dynolith::lab {

namespace {

void AddDoubt(std::string doubt, std::vector<std::string>* doubts) {
  const bool is_known = std::find(doubts->begin(), doubts->end(), doubt) != doubts->end();
  if (!is_known) doubts->push_back(std::move(doubt));
}

void AddDoubtsOf(const std::optional<Load>& load, Micros duration,
                 std::vector<std::string>* doubts) {
  if (!load || load->file.empty() || load->steps.back().at >= duration) return;
  AddDoubt(messages::LabFileEnds(load->file, Concat(load->steps.back().at / kSecond)), doubts);
}

void AddDoubtsOf(const Experiment& experiment, const Access& access,
                 std::vector<std::string>* doubts) {
  if (!IsWrite(access.operation) && !access.then) return;
  if (access.ttl + kExpiryDelayMost >= experiment.duration && access.ttl > 0) {
    AddDoubt(messages::LabExpiresLater(access.name, experiment.duration / kMinute,
                                       (access.ttl + kExpiryDelayMost) / kMinute),
             doubts);
  }
  const std::vector<IndexDesign>& indexes = experiment.tables[access.table].indexes;
  for (size_t i = 0; i < indexes.size(); ++i) {
    const std::string& attribute = indexes[i].partition_key.attribute;
    if (access.key.contains(attribute) || access.index_changes[i] == IndexChange::kNone) continue;
    AddDoubt(messages::LabIndexLeftAlone(
                 access.name, trace::OperationName(access.then.value_or(access.operation)),
                 attribute, indexes[i].name),
             doubts);
  }
}

}  // namespace

void AddDoubts(const Experiment& experiment, std::vector<std::string>* doubts) {
  if (experiment.replay) return;
  AddDoubtsOf(experiment.load, experiment.duration, doubts);
  for (const Access& access : experiment.accesses) {
    AddDoubtsOf(access.load, experiment.duration, doubts);
    for (const Access& part : PartsOf(access)) AddDoubtsOf(experiment, part, doubts);
  }
}

}  // namespace dynolith::lab
