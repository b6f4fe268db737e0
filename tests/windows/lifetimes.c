// The library for Windows, loaded at run time: it works on threads that end, stays when it is closed, and lets a process end that has
// left a database open.
#include <dynolith/dynolith.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define REQUIRE(condition) Require((condition), #condition, __LINE__)

static void Require(int holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "lifetimes.c:%d: not so: %s\n", line, what);
  exit(1);
}

static __typeof__(&dynolith_open) open_database;
static __typeof__(&dynolith_call) call;
static __typeof__(&dynolith_response_free) free_response;
static dynolith_database* database;

static DWORD WINAPI CallOften(void* unused) {
  (void)unused;
  dynolith_response response = DYNOLITH_RESPONSE_INIT;
  for (int i = 0; i < 100; ++i) {
    call(database, "ListTables", 10, "{}", 2, &response);
    REQUIRE(response.status == 200);
  }
  free_response(&response);
  return 7;
}

int main(void) {
  HMODULE library = LoadLibraryW(L"dynolith.dll");
  REQUIRE(library != NULL);
  open_database = (__typeof__(open_database))(void*)GetProcAddress(library, "dynolith_open");
  call = (__typeof__(call))(void*)GetProcAddress(library, "dynolith_call");
  free_response = (__typeof__(free_response))(void*)GetProcAddress(library, "dynolith_response_free");
  REQUIRE(open_database(NULL, 0, &database) == NULL);
  HANDLE threads[16];
  for (int i = 0; i < 16; ++i) threads[i] = CreateThread(NULL, 0, CallOften, NULL, 0, NULL);
  REQUIRE(WaitForMultipleObjects(16, threads, TRUE, 60000) == WAIT_OBJECT_0);
  for (int i = 0; i < 16; ++i) {
    DWORD code = 0;
    REQUIRE(GetExitCodeThread(threads[i], &code) && code == 7);
  }
  // A sweep is under way on threads of the library's own.
  FreeLibrary(library);
  REQUIRE(GetModuleHandleW(L"dynolith.dll") == library);
  REQUIRE(CallOften(NULL) == 7);
  puts("ok");
  return 0;
}
