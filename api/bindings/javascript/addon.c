// The C face for Node.js, by Node-API. A call of the service runs on its caller's thread, at once
// (call), or on the database's own threads (callAsync); all else runs on the run-time's pool of
// threads and comes back as a promise (begin). The library is opened at run time (load), so that
// neither compiling nor installing needs it.
#include <dynolith/dynolith.h>
#include <node_api.h>
#include <pthread.h>
#include <stdbool.h>
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

// --- What belongs to a thread with an event loop: the main thread, or a Worker

// What JavaScript holds as a database, from its open to its close.
typedef struct Database {
  dynolith_database* opened;
  struct Database* next;
  struct Database** place;  // where this one is linked
} Database;

typedef struct Environment {
  napi_env env;
  napi_threadsafe_function wake;  // makes the loop look for answers

  // For the loop's thread only.
  dynolith_response response;  // of calls on this thread
  Database* open;
  size_t waiting;  // calls whose callers know no answer yet; the loop stays alive for them
  bool is_worker;
  bool is_ending;  // the loop does not turn any more

  // For all threads.
  pthread_mutex_t lock;
  pthread_cond_t all_answered;
  size_t under_way;            // calls that the library has not answered
  struct AsyncCall* answered;  // in the order of their answers
  struct AsyncCall** last;     // where the next one is to be linked
  bool is_woken;               // the loop has not looked since
  bool has_ended;              // nobody looks any more
} Environment;

static Environment* EnvironmentOf(napi_env env) {
  void* environment = NULL;
  napi_get_instance_data(env, &environment);
  return environment;
}

static void Link(Environment* environment, Database* database) {
  database->next = environment->open;
  database->place = &environment->open;
  if (database->next != NULL) database->next->place = &database->next;
  environment->open = database;
}

static void Unlink(Database* database) {
  *database->place = database->next;
  if (database->next != NULL) database->next->place = database->place;
}

// --- Answers and errors as JavaScript has them

static void SetText(napi_env env, napi_value object, const char* name, const char* text) {
  napi_value value = NULL;
  napi_create_string_utf8(env, text == NULL ? "" : text, NAPI_AUTO_LENGTH, &value);
  napi_set_named_property(env, object, name, value);
}

static void SetNumber(napi_env env, napi_value object, const char* name, double number) {
  napi_value value = NULL;
  napi_create_double(env, number, &value);
  napi_set_named_property(env, object, name, value);
}

static napi_value MakeError(napi_env env, const dynolith_error* error) {
  napi_value message = NULL, value = NULL;
  napi_create_string_utf8(env, library.error_message(error), NAPI_AUTO_LENGTH, &message);
  napi_create_error(env, NULL, message, &value);
  SetText(env, value, "kind", library.error_kind(error));
  return value;
}

static napi_value MakeAnswer(napi_env env, const dynolith_response* response) {
  napi_value answer = NULL, body = NULL;
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

// --- Work: one call of the library on the run-time's pool of threads

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
  Database* database;  // NULL: kOpen
  Text texts[kTextsMax];
  dynolith_response response;
  dynolith_error* error;
  Database* made;  // by kOpen, kFork and kRegion
  napi_deferred deferred;
  napi_async_work work;
} Work;

static void Run(napi_env env, void* data) {
  (void)env;
  Work* const work = data;
  const Text* const t = work->texts;
  dynolith_database* const database = work->database == NULL ? NULL : work->database->opened;
  switch (work->kind) {
    case kOpen:
      work->error = library.open(t[0].data, t[0].size, &work->made->opened);
      break;
    case kClose:
      library.close(database);
      break;
    case kCall:
      library.call_as(database, t[0].data, t[0].size, t[1].data, t[1].size, t[2].data, t[2].size,
                      t[3].data, t[3].size, &work->response);
      break;
    case kAdmin:
      t[0].data[t[0].size] = '\0';
      library.admin(database, t[0].data, t[1].data, t[1].size, t[2].data, t[2].size,
                    &work->response);
      break;
    case kCheckpoint:
      work->error = library.checkpoint(database, t[0].data, t[0].size);
      break;
    case kSnapshot:
      work->error = library.snapshot(database, t[0].data, t[0].size);
      break;
    case kRestore:
      work->error = library.restore(database, t[0].data, t[0].size);
      break;
    case kRemoveSnapshot:
      work->error = library.remove_snapshot(database, t[0].data, t[0].size);
      break;
    case kFork:
      work->error =
          library.fork(database, t[0].data, t[0].size, t[1].data, t[1].size, &work->made->opened);
      break;
    case kRegion:
      work->error = library.region(database, t[0].data, t[0].size, &work->made->opened);
      break;
  }
}

static void Free(Work* work) {
  for (int i = 0; i < kTextsMax; ++i) free(work->texts[i].data);
  library.response_free(&work->response);
  free(work->made);
  free(work);
}

static void Finish(napi_env env, napi_status status, void* data) {
  Work* const work = data;
  napi_value value = NULL;
  napi_get_undefined(env, &value);
  int has_failed = 0;
  if (status != napi_ok) {
    napi_value message = NULL;
    napi_create_string_utf8(env, "the run-time did not run the call", NAPI_AUTO_LENGTH, &message);
    napi_create_error(env, NULL, message, &value);
    has_failed = 1;
  } else if (work->error != NULL) {
    value = MakeError(env, work->error);
    library.error_free(work->error);
    has_failed = 1;
  } else if (work->made != NULL) {
    Link(EnvironmentOf(env), work->made);
    napi_create_external(env, work->made, NULL, NULL, &value);
    work->made = NULL;
  } else if (work->kind == kCall || work->kind == kAdmin) {
    value = MakeAnswer(env, &work->response);
  } else if (work->kind == kClose) {
    free(work->database);
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
  if (kind == kOpen || kind == kFork || kind == kRegion) {
    work->made = calloc(1, sizeof *work->made);
    if (work->made == NULL) {
      Free(work);
      return Throw(env, "out of memory");
    }
  }
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
  // From here on it is nobody's to close.
  if (kind == kClose) Unlink(work->database);
  napi_value promise, name;
  napi_create_promise(env, &work->deferred, &promise);
  napi_create_string_utf8(env, "dynolith", NAPI_AUTO_LENGTH, &name);
  napi_create_async_work(env, NULL, name, Run, Finish, work, &work->work);
  napi_queue_async_work(env, work->work);
  return promise;
}

// --- Calls on the database's own threads

typedef struct AsyncCall {
  Environment* environment;
  napi_ref resolve;  // the function that takes the answer
  struct AsyncCall* next;
  dynolith_response response;  // a copy, with the body in `body`
  char* body;
} AsyncCall;

// On whichever thread.
static void Answered(void* context, const dynolith_response* response) {
  AsyncCall* const call = context;
  Environment* const environment = call->environment;
  call->response = *response;
  call->body = malloc(response->body_size + 1);
  if (call->body != NULL && response->body_size > 0) {
    memcpy(call->body, response->body, response->body_size);
  }
  call->response.body = call->body;
  pthread_mutex_lock(&environment->lock);
  *environment->last = call;
  environment->last = &call->next;
  // One look is enough for all that come before it.
  if (!environment->is_woken && !environment->has_ended) {
    environment->is_woken = true;
    napi_call_threadsafe_function(environment->wake, NULL, napi_tsfn_nonblocking);
  }
  if (--environment->under_way == 0) pthread_cond_broadcast(&environment->all_answered);
  pthread_mutex_unlock(&environment->lock);
}

static AsyncCall* TakeAnswered(Environment* environment) {
  pthread_mutex_lock(&environment->lock);
  AsyncCall* const first = environment->answered;
  environment->answered = NULL;
  environment->last = &environment->answered;
  environment->is_woken = false;
  pthread_mutex_unlock(&environment->lock);
  return first;
}

static void FreeAsyncCall(napi_env env, AsyncCall* call) {
  if (call->resolve != NULL) napi_delete_reference(env, call->resolve);
  free(call->body);
  free(call);
}

static void AddWaiting(Environment* environment) {
  if (environment->waiting++ == 0) {
    napi_ref_threadsafe_function(environment->env, environment->wake);
  }
}

static void RemoveWaiting(Environment* environment) {
  if (--environment->waiting == 0) {
    napi_unref_threadsafe_function(environment->env, environment->wake);
  }
}

static void HandOn(napi_env env, const AsyncCall* call) {
  napi_value resolve = NULL, nobody = NULL, answer = NULL;
  napi_get_reference_value(env, call->resolve, &resolve);
  napi_get_undefined(env, &nobody);
  if (call->body != NULL) {
    answer = MakeAnswer(env, &call->response);
  } else {
    napi_get_undefined(env, &answer);
  }
  napi_call_function(env, nobody, resolve, 1, &answer, NULL);
}

// The loop, woken; at its end without an environment.
static void Look(napi_env env, napi_value function, void* context, void* data) {
  (void)function;
  (void)data;
  if (env == NULL) return;
  Environment* const environment = context;
  AsyncCall* call = TakeAnswered(environment);
  while (call != NULL) {
    AsyncCall* const next = call->next;
    napi_handle_scope scope = NULL;
    napi_open_handle_scope(env, &scope);
    HandOn(env, call);
    napi_close_handle_scope(env, scope);
    FreeAsyncCall(env, call);
    RemoveWaiting(environment);
    call = next;
  }
}

static void AwaitAllAnswered(Environment* environment) {
  pthread_mutex_lock(&environment->lock);
  while (environment->under_way > 0) {
    pthread_cond_wait(&environment->all_answered, &environment->lock);
  }
  pthread_mutex_unlock(&environment->lock);
}

static dynolith_error* BeginAsync(AsyncCall* call, Database* database, const Text texts[2]) {
  Environment* const environment = call->environment;
  pthread_mutex_lock(&environment->lock);
  ++environment->under_way;
  pthread_mutex_unlock(&environment->lock);
  dynolith_error* const error = library.call_async(database->opened, texts[0].data, texts[0].size,
                                                   texts[1].data, texts[1].size, Answered, call);
  if (error == NULL) return NULL;
  pthread_mutex_lock(&environment->lock);
  --environment->under_way;
  pthread_mutex_unlock(&environment->lock);
  return error;
}

// callAsync(database, target, body, resolve): `resolve` is called with the answer, or without one
// if there was no memory for it.
static napi_value CallAsync(napi_env env, napi_callback_info info) {
  size_t count = 4;
  napi_value arguments[4];
  void* database = NULL;
  Environment* const environment = EnvironmentOf(env);
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (count < 4 || napi_get_value_external(env, arguments[0], &database) != napi_ok) {
    return Throw(env, "this is no database");
  }
  if (environment->is_ending) return Throw(env, "the program ends");
  Text texts[2] = {{NULL, 0}, {NULL, 0}};
  AsyncCall* const call = calloc(1, sizeof *call);
  if (call == NULL) return Throw(env, "out of memory");
  call->environment = environment;
  dynolith_error* error = NULL;
  if (!ReadText(env, arguments[1], &texts[0]) || !ReadText(env, arguments[2], &texts[1])) {
    Throw(env, "this is neither a text nor bytes");
    FreeAsyncCall(env, call);
  } else if (napi_create_reference(env, arguments[3], 1, &call->resolve) != napi_ok) {
    Throw(env, "this is no function");
    FreeAsyncCall(env, call);
  } else {
    AddWaiting(environment);
    error = BeginAsync(call, database, texts);
    if (error != NULL) {
      RemoveWaiting(environment);
      FreeAsyncCall(env, call);
      napi_throw(env, MakeError(env, error));
      library.error_free(error);
    }
  }
  free(texts[0].data);
  free(texts[1].data);
  return NULL;
}

// --- Calls on this thread

// call(database, target, body, access key, host) -> the answer
static napi_value Call(napi_env env, napi_callback_info info) {
  size_t count = 5;
  napi_value arguments[5];
  void* database = NULL;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (count < 5 || napi_get_value_external(env, arguments[0], &database) != napi_ok) {
    return Throw(env, "this is no database");
  }
  Text t[kTextsMax] = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
  dynolith_response* const response = &EnvironmentOf(env)->response;
  bool are_texts = true;
  for (int i = 0; i < kTextsMax && are_texts; ++i) {
    are_texts = ReadText(env, arguments[1 + i], &t[i]);
  }
  if (are_texts) {
    library.call_as(((Database*)database)->opened, t[0].data, t[0].size, t[1].data, t[1].size,
                    t[2].data, t[2].size, t[3].data, t[3].size, response);
  }
  for (int i = 0; i < kTextsMax; ++i) free(t[i].data);
  return are_texts ? MakeAnswer(env, response) : Throw(env, "this is neither a text nor bytes");
}

// --- The module

// load(path, whether this is a Worker) -> the library's version
static napi_value Load(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2], version;
  Text path = {NULL, 0};
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (count < 2 || !ReadText(env, arguments[0], &path)) return Throw(env, "a path is wanted");
  napi_get_value_bool(env, arguments[1], &EnvironmentOf(env)->is_worker);
  path.data[path.size] = '\0';
  const char* const problem = LoadFace(path.data);
  free(path.data);
  if (problem != NULL) return Throw(env, problem);
  napi_create_string_utf8(env, library.version(), NAPI_AUTO_LENGTH, &version);
  return version;
}

// When the program ends, also by process.exit(): the library's threads must not be at work while
// the process takes itself apart.
static napi_value BeforeExit(napi_env env, napi_callback_info info) {
  (void)info;
  Environment* const environment = EnvironmentOf(env);
  environment->is_ending = true;
  AwaitAllAnswered(environment);
  return NULL;
}

// After the last JavaScript of this thread, also of a Worker that is terminated.
static void End(void* data) {
  Environment* const environment = data;
  pthread_mutex_lock(&environment->lock);
  environment->has_ended = true;
  pthread_mutex_unlock(&environment->lock);
  // Nobody can close a Worker's any more. The process's own end needs no such care.
  while (environment->is_worker && environment->open != NULL) {
    Database* const database = environment->open;
    Unlink(database);
    library.close(database->opened);
    free(database);
  }
  AwaitAllAnswered(environment);
  AsyncCall* call = TakeAnswered(environment);
  while (call != NULL) {
    AsyncCall* const next = call->next;
    FreeAsyncCall(environment->env, call);
    call = next;
  }
  if (library.response_free != NULL) library.response_free(&environment->response);
  napi_release_threadsafe_function(environment->wake, napi_tsfn_abort);
}

// After End, when the loop has let go of it.
static void FreeEnvironment(napi_env env, void* data, void* hint) {
  (void)env;
  (void)hint;
  Environment* const environment = data;
  pthread_cond_destroy(&environment->all_answered);
  pthread_mutex_destroy(&environment->lock);
  free(environment);
}

static bool MakeEnvironment(napi_env env) {
  Environment* const environment = calloc(1, sizeof *environment);
  if (environment == NULL) return false;
  environment->env = env;
  environment->last = &environment->answered;
  pthread_mutex_init(&environment->lock, NULL);
  pthread_cond_init(&environment->all_answered, NULL);
  napi_value name = NULL;
  napi_create_string_utf8(env, "dynolith", NAPI_AUTO_LENGTH, &name);
  if (napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, environment, FreeEnvironment,
                                      environment, Look, &environment->wake) != napi_ok) {
    FreeEnvironment(env, environment, NULL);
    return false;
  }
  napi_unref_threadsafe_function(env, environment->wake);
  napi_set_instance_data(env, environment, NULL, NULL);
  // Hooks run last in, first out, so this one comes before that of the function above.
  return napi_add_env_cleanup_hook(env, End, environment) == napi_ok;
}

// process.once('exit', …)
static void ListenForExit(napi_env env) {
  napi_value global = NULL, process = NULL, once = NULL, arguments[2] = {NULL, NULL};
  napi_get_global(env, &global);
  napi_get_named_property(env, global, "process", &process);
  napi_get_named_property(env, process, "once", &once);
  napi_create_string_utf8(env, "exit", NAPI_AUTO_LENGTH, &arguments[0]);
  napi_create_function(env, "dynolith", NAPI_AUTO_LENGTH, BeforeExit, NULL, &arguments[1]);
  napi_call_function(env, process, once, 2, arguments, NULL);
}

static napi_value Init(napi_env env, napi_value exports) {
  const struct {
    const char* name;
    napi_callback function;
  } functions[] = {{"load", Load}, {"begin", Begin}, {"call", Call}, {"callAsync", CallAsync}};
  if (!MakeEnvironment(env)) return Throw(env, "the run-time gave no place for answers");
  ListenForExit(env);
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
    napi_value function = NULL;
    napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].function, NULL,
                         &function);
    napi_set_named_property(env, exports, functions[i].name, function);
  }
  return exports;
}

NAPI_MODULE(NODE_GYP_MODULE_NAME, Init)
