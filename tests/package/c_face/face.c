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

static void UseRegions(void) {
  dynolith_database* const east = Open("{\"regions\": [\"us-east-1\", \"us-west-2\"]}");
  dynolith_database* west = NULL;
  REQUIRE(IsError(dynolith_region(east, "moon", 4, &west), "NotFound"));
  RequireOk(dynolith_region(east, "us-west-2", 9, &west));
  dynolith_close(east);
  dynolith_response response = DYNOLITH_RESPONSE_INIT;
  Call(west, "ListTables", "{}", &response);
  REQUIRE(response.status == 200);
  dynolith_response_free(&response);
  dynolith_close(west);
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

static void NoteAnswer(void* context, const dynolith_response* response) {
  REQUIRE(BodyIs(response, "{\"TableNames\":[]}"));
  *(int*)context += 1;
}

static void UseAsync(void) {
  dynolith_database* const database = Open("{}");
  int answers = 0;
  RequireOk(dynolith_call_async(database, "ListTables", 10, "{}", 2, NoteAnswer, &answers));
  // Waits for it.
  dynolith_close(database);
  REQUIRE(answers == 1);
}

static void UseAdmin(dynolith_database* database) {
  dynolith_response response = DYNOLITH_RESPONSE_INIT;
  dynolith_admin(database, "POST", "clock/advance", 13, "{\"seconds\": 5}", 14, &response);
  REQUIRE(BodyIs(&response, "{\"now\":1005,\"mode\":\"manual\"}"));
  dynolith_response_free(&response);
}

static void Key(dynolith_builder* builder, const char* name) {
  dynolith_builder_key(builder, name, strlen(name));
}

// Every function of a builder.
static dynolith_item BuildSong(dynolith_builder* builder, int64_t sk) {
  dynolith_item item = {NULL, 0};
  dynolith_builder_string(builder, "no key", 6);
  REQUIRE(IsError(dynolith_builder_finish(builder, &item), "InvalidArgument"));
  Key(builder, "forgotten");
  dynolith_builder_reset(builder);
  Key(builder, "pk");
  dynolith_builder_string(builder, "Ella", 4);
  Key(builder, "sk");
  dynolith_builder_int64(builder, sk);
  Key(builder, "price");
  dynolith_builder_number(builder, "12.50", 5);
  Key(builder, "tempo");
  dynolith_builder_double(builder, 0.25);
  Key(builder, "cover");
  dynolith_builder_binary(builder, "\0\1", 2);
  Key(builder, "live");
  dynolith_builder_bool(builder, 1);
  Key(builder, "nothing");
  dynolith_builder_null(builder);
  Key(builder, "parts");
  dynolith_builder_begin_list(builder);
  dynolith_builder_begin_map(builder);
  Key(builder, "name");
  dynolith_builder_string(builder, "intro", 5);
  dynolith_builder_end(builder);
  dynolith_builder_end(builder);
  Key(builder, "years");
  dynolith_builder_begin_set(builder, DYNOLITH_NUMBER_SET);
  dynolith_builder_int64(builder, 1958);
  dynolith_builder_int64(builder, 1957);
  dynolith_builder_end(builder);
  RequireOk(dynolith_builder_finish(builder, &item));
  return item;
}

static dynolith_value Find(const dynolith_item* item, const char* name) {
  dynolith_value value = {NULL, 0};
  REQUIRE(dynolith_item_find(item, name, strlen(name), &value));
  return value;
}

// Every function that reads.
static void ReadSong(const dynolith_item* item) {
  dynolith_item same;
  RequireOk(dynolith_item_check(item->data, item->size, &same));
  REQUIRE(IsError(dynolith_item_check(item->data, item->size - 1, &same), "InvalidArgument"));
  REQUIRE(dynolith_item_count(item) == 9);
  dynolith_bytes bytes;
  dynolith_value value;
  REQUIRE(dynolith_item_at(item, 0, &bytes, &value) && memcmp(bytes.data, "cover", 5) == 0);
  REQUIRE(!dynolith_item_at(item, 9, &bytes, &value));
  REQUIRE(dynolith_value_type(&value) == DYNOLITH_BINARY);
  REQUIRE(dynolith_value_binary(&value, &bytes) && bytes.size == 2 && bytes.data[1] == 1);
  value = Find(item, "pk");
  REQUIRE(dynolith_value_string(&value, &bytes) && memcmp(bytes.data, "Ella", 4) == 0);
  int32_t is_true = 0;
  value = Find(item, "live");
  REQUIRE(dynolith_value_bool(&value, &is_true) && is_true == 1);
  int64_t whole = 0;
  double real = 0;
  char text[DYNOLITH_NUMBER_TEXT_MAX];
  value = Find(item, "sk");
  REQUIRE(dynolith_value_int64(&value, &whole) && whole >= 1);
  value = Find(item, "tempo");
  REQUIRE(dynolith_value_double(&value, &real) && real == 0.25 && !dynolith_value_int64(&value, &whole));
  value = Find(item, "price");
  REQUIRE(dynolith_value_number(&value, text) == 4 && memcmp(text, "12.5", 4) == 0);
  dynolith_value element;
  dynolith_item map;
  value = Find(item, "parts");
  REQUIRE(dynolith_value_count(&value) == 1 && dynolith_value_element(&value, 0, &element));
  REQUIRE(dynolith_value_map(&element, &map) && dynolith_item_count(&map) == 1);
  value = Find(item, "years");
  REQUIRE(dynolith_value_member(&value, 0, &bytes) && !dynolith_value_member(&value, 2, &bytes));
  REQUIRE(dynolith_number_int64(&bytes, &whole) && whole == 1957);
  REQUIRE(dynolith_number_double(&bytes, &real) && real == 1957);
  REQUIRE(dynolith_number_text(&bytes, text) == 4 && memcmp(text, "1957", 4) == 0);
}

// Counts in `context`; stops behind the second item.
static int32_t Take(void* context, const dynolith_item* item) {
  ReadSong(item);
  return ++*(int*)context == 2;
}

static void UseQuery(dynolith_database* database, const dynolith_value* pk) {
  dynolith_builder* builder = dynolith_builder_new();
  dynolith_item values;
  Key(builder, ":p");
  dynolith_builder_value(builder, pk);
  RequireOk(dynolith_builder_finish(builder, &values));
  dynolith_query_options options = {0};
  options.struct_size = sizeof options;
  options.table = "music";
  options.table_size = 5;
  options.key_condition = "pk = :p";
  options.key_condition_size = 7;
  options.values = &values;
  dynolith_page page = {0};
  int taken = 0;
  RequireOk(dynolith_query(database, &options, Take, &taken, &page));
  REQUIRE(taken == 2 && page.count == 2 && page.scanned_count == 2);
  options.start_key = &page.last_key.item;
  taken = 0;
  RequireOk(dynolith_query(database, &options, Take, &taken, &page));
  REQUIRE(taken == 1 && page.last_key.item.data == NULL);
  dynolith_buffer_free(&page.last_key);
  dynolith_builder_free(builder);
}

static void UseItems(dynolith_database* database) {
  dynolith_builder* builder = dynolith_builder_new();
  REQUIRE(builder != NULL);
  for (int64_t sk = 1; sk <= 3; ++sk) {
    const dynolith_item song = BuildSong(builder, sk);
    ReadSong(&song);
    RequireOk(dynolith_put(database, "music", 5, &song, NULL, NULL));
  }
  dynolith_item key;
  Key(builder, "pk");
  dynolith_builder_string(builder, "Ella", 4);
  Key(builder, "sk");
  dynolith_builder_int64(builder, 3);
  RequireOk(dynolith_builder_finish(builder, &key));
  dynolith_buffer buffer = {0};
  RequireOk(dynolith_get(database, "music", 5, &key, 1, &buffer));
  ReadSong(&buffer.item);
  const dynolith_value pk = Find(&buffer.item, "pk");
  UseQuery(database, &pk);
  const dynolith_condition condition = {"attribute_not_exists(pk)", 24, NULL, NULL};
  REQUIRE(IsError(dynolith_delete(database, "music", 5, &key, &condition, &buffer),
                  "ConditionalCheckFailedException"));
  ReadSong(&buffer.item);
  RequireOk(dynolith_delete(database, "music", 5, &key, NULL, NULL));
  RequireOk(dynolith_get(database, "music", 5, &key, 0, &buffer));
  REQUIRE(buffer.item.data == NULL);
  dynolith_buffer_free(&buffer);
  dynolith_builder_free(builder);
  dynolith_builder_free(NULL);
  dynolith_buffer_free(NULL);
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

static int HasTable(dynolith_database* database) {
  dynolith_response response = DYNOLITH_RESPONSE_INIT;
  Call(database, "DescribeTable", "{\"TableName\": \"music\"}", &response);
  const int has = response.status == 200;
  dynolith_response_free(&response);
  return has;
}

// In memory, and with a path in a folder.
static void UseStates(dynolith_database* database, const char* path) {
  dynolith_response response = DYNOLITH_RESPONSE_INIT;
  RequireOk(dynolith_snapshot(database, "empty", 5));
  MakeTable(database, &response);
  RequireOk(dynolith_snapshot(database, "full", 4));
  RequireOk(dynolith_restore(database, "empty", 5));
  REQUIRE(!HasTable(database));
  dynolith_database* fork = NULL;
  RequireOk(dynolith_fork(database, "full", 4, path, path == NULL ? 0 : strlen(path), &fork));
  REQUIRE(HasTable(fork) && !HasTable(database));
  dynolith_close(fork);
  RequireOk(dynolith_restore(database, "full", 4));
  REQUIRE(HasTable(database));
  RequireOk(dynolith_remove_snapshot(database, "full", 4));
  REQUIRE(IsError(dynolith_remove_snapshot(database, "full", 4), "NotFound"));
  REQUIRE(IsError(dynolith_restore(database, "full", 4), "NotFound"));
  REQUIRE(IsError(dynolith_snapshot(database, "a/b", 3), "InvalidArgument"));
  REQUIRE(IsError(dynolith_fork(database, "none", 4, path, path == NULL ? 0 : strlen(path), &fork),
                  "NotFound"));
  REQUIRE(fork == NULL);
  dynolith_response_free(&response);
}

static void UseStatesInFolder(const char* folder) {
  char path[4096], options[4200];
  snprintf(path, sizeof path, "%s/states", folder);
  snprintf(options, sizeof options, "{\"path\": \"%s\"}", path);
  dynolith_database* database = Open(options);
  snprintf(path, sizeof path, "%s/fork", folder);
  UseStates(database, path);
  dynolith_close(database);
}

static void UseFolders(const char* folder) {
  if (folder != NULL) {
    UseCheckpoint(folder);
    UseStatesInFolder(folder);
    return;
  }
  // A library without folders says so.
  dynolith_database* database = NULL;
  REQUIRE(IsError(dynolith_open("{\"path\": \"x\"}", 13, &database), "FailedPrecondition"));
  REQUIRE(database == NULL);
}

// With a folder, or without one for a library that has databases in memory only.
int main(int argc, char** argv) {
  REQUIRE(argc == 1 || argc == 2);
  REQUIRE(strcmp(dynolith_version(), "0.1.0") == 0);
  UseErrors();
  UseAsync();
  UseRegions();
  dynolith_database* database = Open("{\"clock\": \"manual\", \"clock_start\": 1000}");
  UseCalls(database);
  UseItems(database);
  UseAdmin(database);
  dynolith_close(database);
  database = Open("{}");
  UseStates(database, NULL);
  dynolith_close(database);
  UseFolders(argc == 2 ? argv[1] : NULL);
  puts("ok");
  return 0;
}
