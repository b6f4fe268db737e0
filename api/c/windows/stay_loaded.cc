// The library stays when it is closed, since threads of it run until the process ends.
#include <windows.h>

namespace dynolith::c {
namespace {

bool StayLoaded() {
  HMODULE module = nullptr;
  return GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                            reinterpret_cast<LPCWSTR>(&StayLoaded), &module) != 0;
}

[[maybe_unused]] const bool kStaysLoaded = StayLoaded();

}  // namespace
}  // namespace dynolith::c
