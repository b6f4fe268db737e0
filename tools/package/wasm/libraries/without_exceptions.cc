// What throws ends the module: it is compiled without exceptions (README.md of tools/package/wasm).
#include <cstddef>
#include <cstdlib>

#include "tools/package/wasm/libraries/on_throw.h"

namespace dynolith {
void (*on_throw)(void* thrown) = nullptr;
}

extern "C" {

void* __cxa_allocate_exception(size_t bytes) noexcept {
  void* const place = std::malloc(bytes);
  if (place == nullptr) __builtin_trap();
  return place;
}
void __cxa_throw(void* thrown, void* /*type*/, void (* /*destroy*/)(void*)) {
  if (dynolith::on_throw != nullptr) dynolith::on_throw(thrown);
  __builtin_trap();
}

// The only thread does not end before the module does.
int __cxa_thread_atexit(void (* /*destroy*/)(void*), void* /*object*/, void* /*library*/) {
  return 0;
}
}
