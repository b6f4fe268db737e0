#include "api/service/admin_calls.h"

#include <string_view>

namespace dynolith {

bool AdminCalls::Answer(const AdminRequest& request, JsonResponse* answer) {
  const std::string_view path = request.path;
  if (ClockAdmin::IsPath(path)) {
    clock_.Answer(request, answer);
  } else if (StalenessAdmin::IsPath(path)) {
    staleness_.Answer(request, answer);
  } else if (FaultAdmin::IsPath(path)) {
    faults_.Answer(request, answer);
  } else if (CapacityAdmin::IsPath(path)) {
    capacity_.Answer(request, answer);
  } else if (HeatAdmin::IsPath(path)) {
    heat_.Answer(request, answer);
  } else if (IndexAdmin::IsPath(path)) {
    indexes_.Answer(request, answer);
  } else if (ChangesAdmin::IsPath(path)) {
    changes_.Answer(request, answer);
  } else {
    return false;
  }
  return true;
}

}  // namespace dynolith
