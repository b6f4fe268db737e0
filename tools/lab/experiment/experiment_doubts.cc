#include "tools/lab/experiment/experiment_doubts.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tools/lab/experiment/messages.h"

namespace dynolith::lab {

void AddDoubts(const Experiment& experiment, std::vector<std::string>* doubts) {
  if (experiment.replay) return;
  for (const Access& access : experiment.accesses) {
    if (!IsWrite(access.operation) && !access.then) continue;
    const std::vector<IndexDesign>& indexes = experiment.tables[access.table].indexes;
    for (size_t i = 0; i < indexes.size(); ++i) {
      const std::string& attribute = indexes[i].partition_key.attribute;
      if (access.key.contains(attribute) || access.index_changes[i] == IndexChange::kNone) continue;
      std::string doubt = messages::LabIndexLeftAlone(
          access.name, trace::OperationName(access.then.value_or(access.operation)), attribute,
          indexes[i].name);
      const bool is_known = std::find(doubts->begin(), doubts->end(), doubt) != doubts->end();
      if (!is_known) doubts->push_back(std::move(doubt));
    }
  }
}

}  // namespace dynolith::lab
