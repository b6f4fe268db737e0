// What throws ends the module: it is compiled without exceptions (README.md of tools/package/wasm).
#include <cstddef>

extern "C" {

void* __cxa_allocate_exception(size_t /*bytes*/) noexcept { __builtin_trap(); }
void __cxa_throw(void* /*thrown*/, void* /*type*/, void (* /*destroy*/)(void*)) {
  __builtin_trap();
}

// The only thread does not end before the module does.
int __cxa_thread_atexit(void (* /*destroy*/)(void*), void* /*object*/, void* /*library*/) {
  return 0;
}
}
