// A program that is killed: it writes items into a folder and prints the number of each that was
// acknowledged, first those that are there already.
//
//   killed <folder> <how many items at most> <encryption key>
//
// Its file 57 is open, and is not for the command of a key.
#include <dynolith/dynolith.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int Call(dynolith_database* database, const char* operation, const char* body,
                dynolith_response* response) {
  dynolith_call(database, operation, strlen(operation), body, strlen(body), response);
  return response->status == 200;
}

static void Fail(const char* what, const dynolith_response* response) {
  fprintf(stderr, "killed: %s: %.*s\n", what, (int)response->body_size, response->body);
  exit(1);
}

static void MakeTable(dynolith_database* database, dynolith_response* response) {
  if (Call(database, "DescribeTable", "{\"TableName\": \"numbers\"}", response)) return;
  if (!Call(database, "CreateTable",
            "{\"TableName\": \"numbers\", \"BillingMode\": \"PAY_PER_REQUEST\","
            " \"AttributeDefinitions\": [{\"AttributeName\": \"n\", \"AttributeType\": \"N\"}],"
            " \"KeySchema\": [{\"AttributeName\": \"n\", \"KeyType\": \"HASH\"}]}",
            response)) {
    Fail("CreateTable", response);
  }
}

int main(int argc, char** argv) {
  if (argc != 4 || dup2(STDERR_FILENO, 57) != 57) return 2;
  char text[4096];
  const int size = snprintf(text, sizeof(text), "{\"path\": \"%s\", \"encryption_key\": \"%s\"}",
                            argv[1], argv[3]);
  dynolith_database* database = NULL;
  dynolith_error* const error = dynolith_open(text, (size_t)size, &database);
  if (error != NULL) {
    fprintf(stderr, "killed: %s\n", dynolith_error_message(error));
    return 1;
  }
  dynolith_response response = DYNOLITH_RESPONSE_INIT;
  MakeTable(database, &response);
  int is_new = 0;
  for (int n = 0; n < atoi(argv[2]); ++n) {
    if (!is_new) {
      snprintf(text, sizeof(text),
               "{\"TableName\": \"numbers\", \"Key\": {\"n\": {\"N\": \"%d\"}}}", n);
      if (!Call(database, "GetItem", text, &response)) Fail("GetItem", &response);
      is_new = response.body_size == 2;
      if (!is_new) printf("found %d\n", n);
    }
    if (is_new) {
      snprintf(text, sizeof(text),
               "{\"TableName\": \"numbers\", \"Item\": {\"n\": {\"N\": \"%d\"}, \"text\": {\"S\": "
               "\"%0200d\"}}}",
               n, n);
      if (!Call(database, "PutItem", text, &response)) Fail("PutItem", &response);
      printf("wrote %d\n", n);
    }
    fflush(stdout);
  }
  dynolith_response_free(&response);
  dynolith_close(database);
  return 0;
}
