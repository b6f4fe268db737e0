// The same calls on any library with the C face, for compare_libraries.py.
//
//   calls <library> <folder, or nothing for memory> GetItem|PutItem <how many>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/bindings/loaded_face.h"

static dynolith_response response = DYNOLITH_RESPONSE_INIT;

static void Call(dynolith_database* database, const char* operation, const char* body) {
  library.call_as(database, operation, strlen(operation), body, strlen(body), "AKID", 4,
                  "localhost", 9, &response);
  if (response.status == 200) return;
  fprintf(stderr, "calls: %s: %.*s\n", operation, (int)response.body_size, response.body);
  exit(1);
}

static void CallMany(dynolith_database* database, const char* operation, int calls) {
  const int is_put = strcmp(operation, "PutItem") == 0;
  char text[1024];
  for (int i = 0; i < calls; ++i) {
    const int n = i % 1000;
    snprintf(text, sizeof(text),
             is_put
                 ? "{\"TableName\": \"music\", \"Item\": {\"pk\": {\"S\": \"key%d\"}, \"price\": "
                   "{\"N\": \"12.5\"}, "
                   "\"title\": {\"S\": \"a text of some length, as titles are\"}, \"tags\": "
                   "{\"SS\": [\"a\", \"b\"]}}}"
                 : "{\"TableName\": \"music\", \"Key\": {\"pk\": {\"S\": \"key%d\"}}}",
             n);
    Call(database, operation, text);
  }
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const char* const reason = LoadFace(argv[1]);
  if (reason != NULL) {
    fprintf(stderr, "calls: %s\n", reason);
    return 1;
  }
  char text[4096] = "{}";
  if (argv[2][0] != '\0') snprintf(text, sizeof(text), "{\"path\": \"%s\"}", argv[2]);
  dynolith_database* database = NULL;
  dynolith_error* const error = library.open(text, strlen(text), &database);
  if (error != NULL) {
    fprintf(stderr, "calls: %s\n", library.error_message(error));
    return 1;
  }
  Call(database, "CreateTable",
       "{\"TableName\": \"music\", \"BillingMode\": \"PAY_PER_REQUEST\","
       " \"AttributeDefinitions\": [{\"AttributeName\": \"pk\", \"AttributeType\": \"S\"}],"
       " \"KeySchema\": [{\"AttributeName\": \"pk\", \"KeyType\": \"HASH\"}]}");
  CallMany(database, "PutItem", 1000);
  struct timespec begun, ended;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
  CallMany(database, argv[3], atoi(argv[4]));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
  printf("%.0f\n",
         (double)(ended.tv_sec - begun.tv_sec) * 1e9 + (double)(ended.tv_nsec - begun.tv_nsec));
  library.response_free(&response);
  library.close(database);
  return 0;
}
