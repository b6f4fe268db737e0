#include "tools/lab/load/lab_use.h"

namespace dynolith::lab {

std::vector<ResourceDesign> ResourceDesigns(const Experiment& experiment) {
  std::vector<ResourceDesign> designs;
  for (size_t i = 0; i < experiment.tables.size(); ++i) {
    designs.push_back({i, std::nullopt});
    for (size_t j = 0; j < experiment.tables[i].indexes.size(); ++j) designs.push_back({i, j});
  }
  return designs;
}

}  // namespace dynolith::lab
