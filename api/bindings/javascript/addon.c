// The C face for Node.js, by Node-API. Every call runs on the run-time's pool of threads and comes back
// as a promise. The library is opened at run time (load), so that neither compiling nor installing needs it.
#include <dynolith/dynolith.h>
#include <node_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loaded_face.h"

static napi_value Throw(napi_env env, const char* message) {
  napi_throw_error(env, NULL, message);
  return NULL;
}

// --- Texts: copies, since what a value holds may be gone when a thread looks at it

typedef struct Text {
  char* data;
  size_t size;
} Text;

// A string or bytes. Returns whether it was one and there was memory for it.
static int ReadText(napi_env env, napi_value value, Text* text) {
  bool is_bytes = false;
  napi_is_typedarray(env, value, &is_bytes);
  if (is_bytes) {
    void* bytes = NULL;
    napi_typedarray_type type;
    if (napi_get_typedarray_info(env, value, &type, &text->size, &bytes, NULL, NULL) != napi_ok ||
        type != napi_uint8_array) {
      return 0;
    }
    text->data = malloc(text->size + 1);
    if (text->data != NULL && text->size > 0) memcpy(text->data, bytes, text->size);
    return text->data != NULL;
  }
  if (napi_get_value_string_utf8(env, value, NULL, 0, &text->size) != napi_ok) return 0;
  text->data = malloc(text->size + 1);
  return text->data != NULL &&
         napi_get_value_string_utf8(env, value, text->data, text->size + 1, &text->size) == napi_ok;
}

// --- Work: one call of the library

enum Kind {
  kOpen,
  kClose,
  kCall,
  kAdmin,
  kCheckpoint,
  kSnapshot,
  kRestore,
  kRemoveSnapshot,
  kFork,
  kRegion
};
enum { kTextsMax = 4 };

typedef struct Work {
  enum Kind kind;
  dynolith_database* database;
  Text texts[kTextsMax];
  dynolith_response response;
  dynolith_error* error;
  dynolith_database* made;  // by kOpen, kFork and kRegion
  napi_deferred deferred;
  napi_async_work work;
} Work;

static void Run(napi_env env, void* data) {
  (void)env;
  Work* const work = data;
  const Text* const t = work->texts;
  switch (work->kind) {
    case kOpen:
      work->error = library.open(t[0].data, t[0].size, &work->made);
      break;
    case kClose:
      library.close(work->database);
      break;
    case kCall:
      library.call_as(work->database, t[0].data, t[0].size, t[1].data, t[1].size, t[2].data,
                      t[2].size, t[3].data, t[3].size, &work->response);
      break;
    case kAdmin:
      t[0].data[t[0].size] = '\0';
      library.admin(work->database, t[0].data, t[1].data, t[1].size, t[2].data, t[2].size,
                    &work->response);
      break;
    case kCheckpoint:
      work->error = library.checkpoint(work->database, t[0].data, t[0].size);
      break;
    case kSnapshot:
      work->error = library.snapshot(work->database, t[0].data, t[0].size);
      break;
    case kRestore:
      work->error = library.restore(work->database, t[0].data, t[0].size);
      break;
    case kRemoveSnapshot:
      work->error = library.remove_snapshot(work->database, t[0].data, t[0].size);
      break;
    case kFork:
      work->error = library.fork(work->database, t[0].data, t[0].size, t[1].data, t[1].size,
                                 &work->made);
      break;
    case kRegion:
      work->error = library.region(work->database, t[0].data, t[0].size, &work->made);
      break;
  }
}

static void Free(Work* work) {
  for (int i = 0; i < kTextsMax; ++i) free(work->texts[i].data);
  library.response_free(&work->response);
  free(work);
}

static void SetText(napi_env env, napi_value object, const char* name, const char* text) {
  napi_value value;
  napi_create_string_utf8(env, text == NULL ? "" : text, NAPI_AUTO_LENGTH, &value);
  napi_set_named_property(env, object, name, value);
}

static void SetNumber(napi_env env, napi_value object, const char* name, double number) {
  napi_value value;
  napi_create_double(env, number, &value);
  napi_set_named_property(env, object, name, value);
}

static napi_value MakeError(napi_env env, const dynolith_error* error) {
  napi_value message, value;
  napi_create_string_utf8(env, library.error_message(error), NAPI_AUTO_LENGTH, &message);
  napi_create_error(env, NULL, message, &value);
  SetText(env, value, "kind", library.error_kind(error));
  return value;
}

static napi_value MakeAnswer(napi_env env, const dynolith_response* response) {
  napi_value answer, body;
  napi_create_object(env, &answer);
  SetNumber(env, answer, "status", response->status);
  SetNumber(env, answer, "crc32", response->crc32);
  SetNumber(env, answer, "delaySeconds", (double)response->delay_nanoseconds / 1e9);
  SetNumber(env, answer, "isDropped", response->is_dropped);
  SetText(env, answer, "contentType", response->content_type);
  SetText(env, answer, "requestId", response->request_id);
  napi_create_buffer_copy(env, response->body_size, response->body_size == 0 ? "" : response->body,
                          NULL, &body);
  napi_set_named_property(env, answer, "body", body);
  return answer;
}

static void Finish(napi_env env, napi_status status, void* data) {
  Work* const work = data;
  napi_value value = NULL;
  napi_get_undefined(env, &value);
  int has_failed = 0;
  if (status != napi_ok) {
    napi_value message;
    napi_create_string_utf8(env, "the run-time did not run the call", NAPI_AUTO_LENGTH, &message);
    napi_create_error(env, NULL, message, &value);
    has_failed = 1;
  } else if (work->error != NULL) {
    value = MakeError(env, work->error);
    library.error_free(work->error);
    has_failed = 1;
  } else if (work->made != NULL) {
    // A number that JavaScript cannot mistake: it hands it back as it is.
    napi_create_external(env, work->made, NULL, NULL, &value);
  } else if (work->kind == kCall || work->kind == kAdmin) {
    value = MakeAnswer(env, &work->response);
  }
  if (has_failed) {
    napi_reject_deferred(env, work->deferred, value);
  } else {
    napi_resolve_deferred(env, work->deferred, value);
  }
  napi_delete_async_work(env, work->work);
  Free(work);
}

// begin(kind, database | null, text, …) -> promise
static napi_value Begin(napi_env env, napi_callback_info info) {
  size_t count = 2 + kTextsMax;
  napi_value arguments[2 + kTextsMax];
  int32_t kind = 0;
  if (library.open == NULL) return Throw(env, "the library is not loaded");
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (count < 2 || napi_get_value_int32(env, arguments[0], &kind) != napi_ok || kind < kOpen ||
      kind > kRegion) {
    return Throw(env, "no such call");
  }
  Work* const work = calloc(1, sizeof *work);
  if (work == NULL) return Throw(env, "out of memory");
  work->kind = (enum Kind)kind;
  void* database = NULL;
  if (kind != kOpen && napi_get_value_external(env, arguments[1], &database) != napi_ok) {
    Free(work);
    return Throw(env, "this is no database");
  }
  work->database = database;
  for (size_t i = 2; i < count && i < 2 + kTextsMax; ++i) {
    if (ReadText(env, arguments[i], &work->texts[i - 2])) continue;
    Free(work);
    return Throw(env, "this is neither a text nor bytes");
  }
  napi_value promise, name;
  napi_create_promise(env, &work->deferred, &promise);
  napi_create_string_utf8(env, "dynolith", NAPI_AUTO_LENGTH, &name);
  napi_create_async_work(env, NULL, name, Run, Finish, work, &work->work);
  napi_queue_async_work(env, work->work);
  return promise;
}

// load(path) -> the library's version
static napi_value Load(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument, version;
  Text path = {NULL, 0};
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  if (count < 1 || !ReadText(env, argument, &path)) return Throw(env, "a path is wanted");
  path.data[path.size] = '\0';
  const char* const problem = LoadFace(path.data);
  free(path.data);
  if (problem != NULL) return Throw(env, problem);
  napi_create_string_utf8(env, library.version(), NAPI_AUTO_LENGTH, &version);
  return version;
}

static napi_value Init(napi_env env, napi_value exports) {
  napi_value function;
  napi_create_function(env, "load", NAPI_AUTO_LENGTH, Load, NULL, &function);
  napi_set_named_property(env, exports, "load", function);
  napi_create_function(env, "begin", NAPI_AUTO_LENGTH, Begin, NULL, &function);
  napi_set_named_property(env, exports, "begin", function);
  return exports;
}

NAPI_MODULE(NODE_GYP_MODULE_NAME, Init)
