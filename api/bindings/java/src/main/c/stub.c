// Between dynolith.inprocess.Native and the C face, which is opened at run time.
#include <dynolith/dynolith.h>
#include <jni.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "loaded_face.h"

// A copy of a byte[], with a zero behind it. NULL if there is no memory; then Java has been told.
typedef struct Text {
  char* data;
  size_t size;
} Text;

static Text ReadText(JNIEnv* env, jbyteArray array) {
  Text text = {NULL, 0};
  text.size = (size_t)(*env)->GetArrayLength(env, array);
  text.data = malloc(text.size + 1);
  if (text.data == NULL) {
    (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/OutOfMemoryError"), "dynolith");
    return text;
  }
  (*env)->GetByteArrayRegion(env, array, 0, (jsize)text.size, (jbyte*)text.data);
  text.data[text.size] = '\0';
  return text;
}

static jbyteArray MakeBytes(JNIEnv* env, const char* data, size_t size) {
  const jbyteArray array = (*env)->NewByteArray(env, (jsize)size);
  if (array != NULL) (*env)->SetByteArrayRegion(env, array, 0, (jsize)size, (const jbyte*)data);
  return array;
}

static void SetText(JNIEnv* env, jobjectArray texts, jsize i, const char* text) {
  const jbyteArray bytes = MakeBytes(env, text == NULL ? "" : text, text == NULL ? 0 : strlen(text));
  if (bytes != NULL) (*env)->SetObjectArrayElement(env, texts, i, bytes);
}

// Puts kind and message into the first two of `texts`; whether there was an error.
static int TellError(JNIEnv* env, dynolith_error* error, jobjectArray texts) {
  if (error == NULL) return 0;
  SetText(env, texts, 0, library.error_kind(error));
  SetText(env, texts, 1, library.error_message(error));
  library.error_free(error);
  return 1;
}

// Sets what belongs to a response beside its body, which is returned.
static jbyteArray TellResponse(JNIEnv* env, dynolith_response* response, jlongArray figures,
                               jobjectArray texts) {
  const jlong told[] = {response->status, response->crc32, response->delay_nanoseconds,
                        response->is_dropped};
  (*env)->SetLongArrayRegion(env, figures, 0, 4, told);
  SetText(env, texts, 0, response->content_type);
  SetText(env, texts, 1, response->request_id);
  const jbyteArray body = MakeBytes(env, response->body, response->body_size);
  library.response_free(response);
  return body;
}

#define NATIVE(returned, name) \
  JNIEXPORT returned JNICALL Java_dynolith_inprocess_Native_##name

NATIVE(jstring, load)(JNIEnv* env, jclass class, jbyteArray path) {
  (void)class;
  const Text text = ReadText(env, path);
  if (text.data == NULL) return NULL;
  const char* const problem = LoadFace(text.data);
  free(text.data);
  return problem == NULL ? NULL : (*env)->NewStringUTF(env, problem);
}

NATIVE(jstring, version)(JNIEnv* env, jclass class) {
  (void)class;
  return (*env)->NewStringUTF(env, library.version());
}

NATIVE(jlong, open)(JNIEnv* env, jclass class, jbyteArray options, jobjectArray texts) {
  (void)class;
  const Text text = ReadText(env, options);
  if (text.data == NULL) return 0;
  dynolith_database* database = NULL;
  dynolith_error* const error = library.open(text.data, text.size, &database);
  free(text.data);
  return TellError(env, error, texts) ? 0 : (jlong)(intptr_t)database;
}

NATIVE(jlong, region)(JNIEnv* env, jclass class, jlong database, jbyteArray region,
                      jobjectArray texts) {
  (void)class;
  const Text name = ReadText(env, region);
  if (name.data == NULL) return 0;
  dynolith_database* opened = NULL;
  dynolith_error* const error =
      library.region((dynolith_database*)(intptr_t)database, name.data, name.size, &opened);
  free(name.data);
  return TellError(env, error, texts) ? 0 : (jlong)(intptr_t)opened;
}

NATIVE(void, close)(JNIEnv* env, jclass class, jlong database) {
  (void)env;
  (void)class;
  library.close((dynolith_database*)(intptr_t)database);
}

NATIVE(jbyteArray, call)(JNIEnv* env, jclass class, jlong database, jbyteArray target,
                         jbyteArray body, jbyteArray access_key, jbyteArray host,
                         jlongArray figures, jobjectArray texts) {
  (void)class;
  const jbyteArray arrays[] = {target, body, access_key, host};
  Text t[4];
  memset(t, 0, sizeof t);
  int is_whole = 1;
  for (int i = 0; i < 4 && is_whole; ++i) {
    t[i] = ReadText(env, arrays[i]);
    is_whole = t[i].data != NULL;
  }
  jbyteArray answer = NULL;
  if (is_whole) {
    dynolith_response response = DYNOLITH_RESPONSE_INIT;
    library.call_as((dynolith_database*)(intptr_t)database, t[0].data, t[0].size, t[1].data,
                    t[1].size, t[2].data, t[2].size, t[3].data, t[3].size, &response);
    answer = TellResponse(env, &response, figures, texts);
  }
  for (int i = 0; i < 4; ++i) free(t[i].data);
  return answer;
}

NATIVE(jbyteArray, admin)(JNIEnv* env, jclass class, jlong database, jbyteArray method,
                          jbyteArray path, jbyteArray body, jlongArray figures,
                          jobjectArray texts) {
  (void)class;
  const jbyteArray arrays[] = {method, path, body};
  Text t[3];
  memset(t, 0, sizeof t);
  int is_whole = 1;
  for (int i = 0; i < 3 && is_whole; ++i) {
    t[i] = ReadText(env, arrays[i]);
    is_whole = t[i].data != NULL;
  }
  jbyteArray answer = NULL;
  if (is_whole) {
    dynolith_response response = DYNOLITH_RESPONSE_INIT;
    library.admin((dynolith_database*)(intptr_t)database, t[0].data, t[1].data, t[1].size,
                  t[2].data, t[2].size, &response);
    answer = TellResponse(env, &response, figures, texts);
  }
  for (int i = 0; i < 3; ++i) free(t[i].data);
  return answer;
}

// `function`: in the order of Native.
NATIVE(jboolean, withText)(JNIEnv* env, jclass class, jint function, jlong handle,
                           jbyteArray given, jobjectArray texts) {
  (void)class;
  const Text text = ReadText(env, given);
  if (text.data == NULL) return JNI_FALSE;
  dynolith_database* const database = (dynolith_database*)(intptr_t)handle;
  dynolith_error* error = NULL;
  switch (function) {
    case 0:
      error = library.checkpoint(database, text.data, text.size);
      break;
    case 1:
      error = library.snapshot(database, text.data, text.size);
      break;
    case 2:
      error = library.restore(database, text.data, text.size);
      break;
    default:
      error = library.remove_snapshot(database, text.data, text.size);
      break;
  }
  free(text.data);
  return TellError(env, error, texts) ? JNI_FALSE : JNI_TRUE;
}

NATIVE(jlong, fork)(JNIEnv* env, jclass class, jlong database, jbyteArray snapshot,
                    jbyteArray path, jobjectArray texts) {
  (void)class;
  const Text name = ReadText(env, snapshot);
  if (name.data == NULL) return 0;
  const Text folder = ReadText(env, path);
  dynolith_database* fork = NULL;
  dynolith_error* error = NULL;
  if (folder.data != NULL) {
    error = library.fork((dynolith_database*)(intptr_t)database, name.data, name.size, folder.data,
                         folder.size, &fork);
  }
  free(name.data);
  free(folder.data);
  return TellError(env, error, texts) ? 0 : (jlong)(intptr_t)fork;
}
