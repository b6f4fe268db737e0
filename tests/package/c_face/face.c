// A program in C11 that knows Dynolith only from its installed header, and uses every function of it.
#include <dynolith/dynolith.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) Require((condition), #condition, __LINE__)

static void Require(int holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "face.c:%d: not so: %s\n", line, what);
  exit(1);
}

static void RequireOk(dynolith_error* error) {
  if (error == NULL) return;
  fprintf(stderr, "%s: %s\n", dynolith_error_kind(error), dynolith_error_message(error));
  exit(1);
}

// Whether it is such an error. Frees it.
static int IsError(dynolith_error* error, const char* kind) {
  const int is_one = error != NULL && strcmp(dynolith_error_kind(error), kind) == 0 &&
                     dynolith_error_message(error)[0] != '\0';
  dynolith_error_free(error);
  return is_one;
}

static dynolith_database* Open(const char* options) {
  dynolith_database* database = NULL;
  RequireOk(dynolith_open(options, strlen(options), &database));
  REQUIRE(database != NULL);
  return database;
}

static void Call(dynolith_database* database, const char* target, const char* body,
                 dynolith_response* response) {
  dynolith_call(database, target, strlen(target), body, strlen(body), response);
}

static int BodyIs(const dynolith_response* response, const char* text) {
  return response->body_size == strlen(text) && memcmp(response->body, text, strlen(text)) == 0;
}

static void UseErrors(void) {
  dynolith_database* database = NULL;
  REQUIRE(IsError(dynolith_open("{\"pth\": 1}", 10, &database), "InvalidArgument"));
  REQUIRE(database == NULL);
  dynolith_error_free(NULL);
  dynolith_close(NULL);
  dynolith_response_free(NULL);
}

static void MakeTable(dynolith_database* database, dynolith_response* response) {
  Call(database, "CreateTable",
       "{\"TableName\": \"music\", \"BillingMode\": \"PAY_PER_REQUEST\","
       " \"AttributeDefinitions\": [{\"AttributeName\": \"pk\", \"AttributeType\": \"S\"},"
       " {\"AttributeName\": \"sk\", \"AttributeType\": \"N\"}],"
       " \"KeySchema\": [{\"AttributeName\": \"pk\", \"KeyType\": \"HASH\"},"
       " {\"AttributeName\": \"sk\", \"KeyType\": \"RANGE\"}]}",
       response);
  REQUIRE(response->status == 200);
}

static void UseCalls(dynolith_database* database) {
  dynolith_response response = DYNOLITH_RESPONSE_INIT;
  MakeTable(database, &response);
  Call(database, "DynamoDB_20120810.PutItem",
       "{\"TableName\": \"music\", \"Item\": {\"pk\": {\"S\": \"Ray\"}, \"sk\": {\"N\": \"1\"}}}",
       &response);
  REQUIRE(response.status == 200 && BodyIs(&response, "{}") && response.crc32 == 2745614147u);
  REQUIRE(response.error == NULL && strlen(response.request_id) == 52);
  REQUIRE(strcmp(response.content_type, "application/x-amz-json-1.0") == 0);
  REQUIRE(response.delay_nanoseconds == 0 && !response.is_dropped);
  Call(database, "GetItem", "{\"TableName\": \"none\", \"Key\": {}}", &response);
  REQUIRE(response.status == 400 && strcmp(response.error, "ResourceNotFoundException") == 0);
  dynolith_call_as(database, "ListTables", 10, "{}", 2, "AKID", 4, "localhost", 9, &response);
  REQUIRE(BodyIs(&response, "{\"TableNames\":[\"music\"]}"));
  dynolith_response_free(&response);
  REQUIRE(response.body == NULL && response.memory == NULL);
}

static void UseAdmin(dynolith_database* database) {
  dynolith_response response = DYNOLITH_RESPONSE_INIT;
  dynolith_admin(database, "POST", "clock/advance", 13, "{\"seconds\": 5}", 14, &response);
  REQUIRE(BodyIs(&response, "{\"now\":1005,\"mode\":\"manual\"}"));
  dynolith_response_free(&response);
}

static void UseCheckpoint(const char* folder) {
  char path[4096];
  char options[4200];
  snprintf(path, sizeof path, "%s/data", folder);
  snprintf(options, sizeof options, "{\"path\": \"%s\"}", path);
  dynolith_database* database = Open(options);
  snprintf(path, sizeof path, "%s/copy", folder);
  RequireOk(dynolith_checkpoint(database, path, strlen(path)));
  REQUIRE(IsError(dynolith_checkpoint(database, path, strlen(path)), "FailedPrecondition"));
  dynolith_close(database);
  snprintf(options, sizeof options, "{\"path\": \"%s\", \"read_only\": true}", path);
  dynolith_close(Open(options));
}

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  REQUIRE(strcmp(dynolith_version(), "0.1.0") == 0);
  UseErrors();
  dynolith_database* database = Open("{\"clock\": \"manual\", \"clock_start\": 1000}");
  UseCalls(database);
  UseAdmin(database);
  dynolith_close(database);
  UseCheckpoint(argv[1]);
  puts("ok");
  return 0;
}
