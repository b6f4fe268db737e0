// The C interface in a library that is loaded at run time, for bindings that are compiled in C:
// neither compiling nor linking them needs it.
#ifndef DYNOLITH_API_BINDINGS_LOADED_FACE_H_
#define DYNOLITH_API_BINDINGS_LOADED_FACE_H_

#include <dlfcn.h>
#include <dynolith/dynolith.h>
#include <stddef.h>

// Calls `use(name)` for each function that bindings call.
#define DYNOLITH_LOADED_FUNCTIONS(use)                                                          \
  use(version) use(open) use(region) use(close) use(call_as) use(call_async) use(admin)         \
      use(checkpoint) use(snapshot) use(restore) use(remove_snapshot) use(fork) use(error_kind) \
          use(error_message) use(error_free) use(response_free)

// All NULL until LoadFace has been successful.
#define DYNOLITH_DECLARE(name) __typeof__(&dynolith_##name) name;
static struct { DYNOLITH_LOADED_FUNCTIONS(DYNOLITH_DECLARE) } library __attribute__((unused));
#undef DYNOLITH_DECLARE

// NULL, or the reason for a failure; the text is valid until the next call.
static __attribute__((unused)) const char* LoadFace(const char* path) {
  void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return dlerror();
  __typeof__(library) found;
#define DYNOLITH_FIND(name)                                \
  *(void**)&found.name = dlsym(handle, "dynolith_" #name); \
  if (found.name == NULL) return dlerror();
  DYNOLITH_LOADED_FUNCTIONS(DYNOLITH_FIND)
#undef DYNOLITH_FIND
  library = found;
  return NULL;
}

#endif  // DYNOLITH_API_BINDINGS_LOADED_FACE_H_
