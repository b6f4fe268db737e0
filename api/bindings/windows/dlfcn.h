// What loaded_face.h wants of <dlfcn.h>, on Windows, which has none: a folder of headers that only
// compilers for it are told.
#ifndef DYNOLITH_API_BINDINGS_WINDOWS_DLFCN_H_
#define DYNOLITH_API_BINDINGS_WINDOWS_DLFCN_H_

#include <stdio.h>
#include <windows.h>

#define RTLD_NOW 2
#define RTLD_LOCAL 0

// NULL: dlerror() says why. `path` is UTF-8.
static __attribute__((unused)) void* dlopen(const char* path, int flags) {
  wchar_t wide[32768];
  (void)flags;
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, 32768) == 0) return NULL;
  return LoadLibraryW(wide);
}

static __attribute__((unused)) void* dlsym(void* library, const char* name) {
  return (void*)GetProcAddress((HMODULE)library, name);
}

// Of this thread's last failure, until the next call.
static __attribute__((unused)) const char* dlerror(void) {
  static _Thread_local char text[32];
  snprintf(text, sizeof text, "error %lu of Windows", GetLastError());
  return text;
}

#endif  // DYNOLITH_API_BINDINGS_WINDOWS_DLFCN_H_
