#include "engine/process/control_groups.h"

namespace dynolith {

std::vector<ControlGroup> ControlGroups(std::string_view /*controller*/,
                                        const std::string& /*root*/) {
  return {};
}

}  // namespace dynolith
