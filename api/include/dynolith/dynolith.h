// Dynolith in process, for every language that can call C: a database with DynamoDB's semantics in
// one folder or in memory, and the service's own operations on it, as JSON texts.
//
//   dynolith_database* database = NULL;
//   dynolith_error* error = dynolith_open(NULL, 0, &database);
//   dynolith_response response = DYNOLITH_RESPONSE_INIT;
//   dynolith_call(database, "ListTables", 10, "{}", 2, &response);
//   fwrite(response.body, 1, response.body_size, stdout);
//   dynolith_response_free(&response);
//   dynolith_close(database);
//
// Contract (api/c/README.md has all of it):
//  - Texts are UTF-8 with their size in bytes; they need no terminating zero. A pointer may be NULL
//    where its size is 0.
//  - Every function may be called from many threads at once, on the same database too. A response,
//    an error or another object of the caller is for one thread at a time.
//  - The caller owns a function's results until it calls the function that frees them. The comments
//    say how long borrowed pointers are valid.
//  - Functions neither throw, nor touch signals, locale or standard streams.
//  - A forked process has none of the threads that a database needs. It opens its own database: its
//    parent's answers it with AccessDeniedException, and closing one there does nothing.
//  - The ABI is stable: a program that was built with one version of this header runs with every
//    later library of the same SONAME.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_DYNOLITH_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_DYNOLITH_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define DYNOLITH_API __attribute__((visibility("default")))
#else
#define DYNOLITH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// "0.1.0". Static.
DYNOLITH_API const char* dynolith_version(void);

// --- Errors: of all functions except calls, whose errors are answers. NULL: no error.

typedef struct dynolith_error dynolith_error;

// The exception's name where it is the service's ("ValidationException"), else "InvalidArgument",
// "NotFound", "AlreadyExists", "FailedPrecondition", "Unavailable", "DataLoss", "ResourceExhausted"
// and so on: the canonical codes. Both belong to the error, and end with a zero.
DYNOLITH_API const char* dynolith_error_kind(const dynolith_error* error);
// For people.
DYNOLITH_API const char* dynolith_error_message(const dynolith_error* error);
// NULL is allowed.
DYNOLITH_API void dynolith_error_free(dynolith_error* error);

// --- A database

typedef struct dynolith_database dynolith_database;

// Opens a database. `options`: a JSON object; nothing at all, {} and members that are null are the
// defaults: in memory, on the machine's clock. Members, each with the meaning of the option of
// `dynolith serve` that has its name:
//
//   "path": folder                       else in memory
//   "read_only": true | false            also beside a process that serves the folder
//   "follow": true | false               read_only, and what that process writes as it goes on
//   "sync": true | false                 acknowledged writes survive power loss
//   "encryption_key": key                "file:PATH", "env:NAME" or "command:TEXT"
//   "region": "us-east-1"
//   "regions": [region, …]             several, with replicas: dynolith_region
//   "account_id": "000000000000"
//   "clock": "system" | "manual"
//   "clock_start": time                  "2026-01-31T12:00:00Z", or seconds since 1970
//   "conflicts": "wait" | "fail"
//   "update_size": "charge" | "item"
//   "ttl_sweep_seconds": 1               0: none
//   "stream_shards": 0                   0: as many as the table has partitions at first
//   "table_delay_seconds": 0
//   "capacity": {
//     "mode": "account" | "enforce" | "static" | "burst" | "adaptive"
//     "scale": 1
//     "account_limit": "request-limit" | "throttling"
//     "burst_seconds": seconds           for which unused capacity is saved; 300
//     "split_delay_seconds": seconds     until a hot partition is split; 300
//     "partition_reads": number          read units a second of a partition; 3000
//     "seed": 0
//   }
//   "control_rates": {
//     "changes": 1
//     "descriptions": 100
//     "stream_descriptions": 10
//   }
//   "hot_keys": true | false
//   "staleness": [rule, …]             as --staleness takes them
//   "staleness_seed": 0
//   "vector_search": "exact" | "approximate"
//   "vector_memory": size
//   "memory_budget": size
//   "cache": size
//   "item_cache": size
//   "buckets": folder                    whose subfolders stand for S3 buckets
//   "endpoint": URL                      calls go to the service there instead
//   "endpoint_certificates": file        that its certificate is checked against
//
// A size is a number of bytes, or a text such as "64MB".
//
// With "endpoint" there is no database in this process, and no other options but the next one and
// "region", for signatures. dynolith_call asks DynamoDB, or another engine with its protocol, at
// "https://…" or "http://…": with credentials as the SDKs find them, repeated by their rules, and
// with a token, made once, where an operation takes one. Everything else is for a database in this
// process and fails with FailedPrecondition. Nothing is asked of the endpoint here.
//
// Sets *database to NULL if it fails.
// Errors: InvalidArgument, which names the member; those of the store: Unavailable if another
// process has the folder, DataLoss with the damaged file, NotFound, …
DYNOLITH_API dynolith_error* dynolith_open(const char* options, size_t options_size,
                                           dynolith_database** database);

// Nobody may use the database afterwards; running calls must have returned, but for those of
// dynolith_call_async, for which this waits. NULL is allowed.
DYNOLITH_API void dynolith_close(dynolith_database* database);

// Another handle, of the database of a region, for a database that was opened with "regions", which
// itself is that of the first one: tables have replicas in each other (tools/manual/databases.md),
// and dynolith_admin has the dials of "/_dynolith/regions". The regions have one clock and no
// snapshots, and in a folder the others are in "<path>.databases/<region>". Close it like every
// other one; the regions stay open until the last of their handles is closed. Errors: NotFound;
// FailedPrecondition for a database without "regions".
DYNOLITH_API dynolith_error* dynolith_region(dynolith_database* database, const char* region,
                                             size_t region_size, dynolith_database** opened);

// A consistent copy of a database as it is now, which dynolith_open accepts, in a new or empty
// folder: by hard links where the file system allows it. Calls continue meanwhile. Errors:
// FailedPrecondition for a folder that is not empty, and for a database in memory or read-only.
DYNOLITH_API dynolith_error* dynolith_checkpoint(dynolith_database* database, const char* folder,
                                                 size_t folder_size);

// --- Calls

// Set by a call; initialise it with DYNOLITH_RESPONSE_INIT. Use it for many calls, so that its
// memory is reused, and give it to dynolith_response_free in the end.
typedef struct dynolith_response {
  int32_t status;    // as HTTP's
  uint32_t crc32;    // of the body: the header x-amz-crc32
  const char* body;  // JSON, not terminated by zero; valid until the response's next use
  size_t body_size;
  const char* error;          // the exception, e.g. "ResourceNotFoundException"; NULL: none; static
  const char* content_type;   // static
  int64_t delay_nanoseconds;  // an injected fault: pass the answer on only after this delay
  int32_t is_dropped;         // a fault on purpose: to be lost, as if the connection were closed
  char request_id[56];        // 52 characters and a zero: the header x-amzn-RequestId
  void* memory;               // the library's; NULL at first
} dynolith_response;

#ifdef __cplusplus
#define DYNOLITH_RESPONSE_INIT \
  {}
#else
#define DYNOLITH_RESPONSE_INIT \
  { 0 }
#endif

// One call as on the wire. `target`: "PutItem", or as in X-Amz-Target, "DynamoDB_20120810.PutItem".
// `body`: the operation's input as JSON. Always fills *response: invalid JSON, or an unknown
// operation, gets the service's own error, and a body above 16 MB an empty 413. Blocks until it is
// done; does not itself delay or drop answers. Where an endpoint gives no answer, *response is an
// InternalServerError with the reason, and is_dropped is 1; the error of an exception that Dynolith
// does not know is "UnknownException".
DYNOLITH_API void dynolith_call(dynolith_database* database, const char* target, size_t target_size,
                                const char* body, size_t body_size, dynolith_response* response);

// The same with the caller's identity, for staleness that is monotonic for a client, and with the
// Host header, which DescribeEndpoints answers. Either may be NULL.
DYNOLITH_API void dynolith_call_as(dynolith_database* database, const char* target,
                                   size_t target_size, const char* body, size_t body_size,
                                   const char* access_key, size_t access_key_size, const char* host,
                                   size_t host_size, dynolith_response* response);

// As dynolith_call, without keeping its caller waiting: copies target and body, and runs the call
// on a thread of the database's, of which there are at most 32; more calls wait for their turn, in
// their order. `answered` is called once, on that thread, with `context` and the answer, which is
// valid until it returns. It must not throw, and may make calls, also of this kind, but not close
// the database: dynolith_close waits until all calls have been answered. If no thread can be
// started, the call runs, and is answered, before this returns. Errors, after which there is no
// answer: AccessDeniedException in a child of the process that opened the database;
// InternalServerError for want of memory.
typedef void (*dynolith_answered)(void* context, const dynolith_response* response);
DYNOLITH_API dynolith_error* dynolith_call_async(dynolith_database* database, const char* target,
                                                 size_t target_size, const char* body,
                                                 size_t body_size, dynolith_answered answered,
                                                 void* context);

// The functions of the server's admin endpoint for a database (tools/manual/admin.md, "The clock
// and the admin endpoint"): the clock, sweeps, staleness, faults, capacity, hot keys and heat; not
// a server's own metrics, pages and checkpoints. `method`: "GET", "POST" or "DELETE". `path`:
// "/_dynolith/clock", with or without its first part, and with the part after a question mark.
// `body`: JSON, or nothing. An advance of the clock returns when all work that it has made due is
// done.
DYNOLITH_API void dynolith_admin(dynolith_database* database, const char* method, const char* path,
                                 size_t path_size, const char* body, size_t body_size,
                                 dynolith_response* response);

// Frees its memory, and resets it to DYNOLITH_RESPONSE_INIT. NULL is allowed.
DYNOLITH_API void dynolith_response_free(dynolith_response* response);

// --- Snapshots and restores
//
// A name consists of letters, digits, "-", "_" and ".", and does not begin with ".". Not to be
// called from a sink.

// Saves the whole database as it is now, with its clock if that is manual, under a name; an
// existing snapshot of that name is replaced. In memory that costs next to nothing, whatever the
// amount of data; in a folder it is a checkpoint in
// "<parent>/.dynolith-states/<folder>/snapshots/<name>". Errors: InvalidArgument for an invalid
// name; those of the store.
DYNOLITH_API dynolith_error* dynolith_snapshot(dynolith_database* database, const char* name,
                                               size_t name_size);
// Returns the database to that state. Running calls end in the state in which they began; in a
// folder this waits for them. Rules of faults, held reads and capacity settings are as after an
// open. Errors: NotFound if there is no such snapshot; those of the store.
DYNOLITH_API dynolith_error* dynolith_restore(dynolith_database* database, const char* name,
                                              size_t name_size);
// Errors: NotFound.
DYNOLITH_API dynolith_error* dynolith_remove_snapshot(dynolith_database* database, const char* name,
                                                      size_t name_size);
// A separate database, with the options of this one, that begins as this one is now (name_size 0)
// or as a snapshot is; close it like every other one, before or after this one. `path`: a new
// folder for one in a folder; path_size 0 for one in memory. Errors: NotFound; InvalidArgument for
// a missing or an unexpected path; FailedPrecondition for a folder that is not empty.
DYNOLITH_API dynolith_error* dynolith_fork(dynolith_database* database, const char* name,
                                           size_t name_size, const char* path, size_t path_size,
                                           dynolith_database** fork);

// --- Items as bytes, for programs for which microseconds count
//
// An item is bytes of a stable format: every later library reads those of an earlier one, and two
// items are equal if and only if their bytes are (engine/value/value.h has the grammar).

// Borrowed bytes; a text is UTF-8.
typedef struct dynolith_bytes {
  const char* data;
  size_t size;
} dynolith_bytes;

// An item, or a map in one, and a value: borrowed bytes that are well-formed. They come from the
// functions below; check bytes from elsewhere with dynolith_item_check.
typedef struct dynolith_item {
  const char* data;  // NULL: none
  size_t size;
} dynolith_item;
typedef struct dynolith_value {
  const char* data;
  size_t size;
} dynolith_value;

// Append only.
typedef enum dynolith_type {
  DYNOLITH_NULL = 1,
  DYNOLITH_BOOL = 2,
  DYNOLITH_NUMBER = 3,
  DYNOLITH_STRING = 4,
  DYNOLITH_BINARY = 5,
  DYNOLITH_LIST = 6,
  DYNOLITH_MAP = 7,
  DYNOLITH_STRING_SET = 8,
  DYNOLITH_NUMBER_SET = 9,
  DYNOLITH_BINARY_SET = 10
} dynolith_type;

// Sets *item to borrow the bytes if they are an item that may be stored, whatever their origin.
// Errors: InvalidArgument with the position of the first error; ValidationException for an empty
// name and for too many levels. O(size).
DYNOLITH_API dynolith_error* dynolith_item_check(const char* data, size_t size,
                                                 dynolith_item* item);

// Readers. Their results borrow from the item. Those that return int32_t return 1, or 0 if there is
// no such thing, and then set nothing.

// The number of attributes.
DYNOLITH_API size_t dynolith_item_count(const dynolith_item* item);
// O(log n).
DYNOLITH_API int32_t dynolith_item_find(const dynolith_item* item, const char* name,
                                        size_t name_size, dynolith_value* value);
// The attributes in the order of their names; 0 after the last one.
DYNOLITH_API int32_t dynolith_item_at(const dynolith_item* item, size_t i, dynolith_bytes* name,
                                      dynolith_value* value);

// A dynolith_type.
DYNOLITH_API int32_t dynolith_value_type(const dynolith_value* value);
// 0 for a value of another type, and for a number that is no integer or does not fit.
DYNOLITH_API int32_t dynolith_value_bool(const dynolith_value* value, int32_t* is_true);
DYNOLITH_API int32_t dynolith_value_string(const dynolith_value* value, dynolith_bytes* text);
DYNOLITH_API int32_t dynolith_value_binary(const dynolith_value* value, dynolith_bytes* bytes);
DYNOLITH_API int32_t dynolith_value_int64(const dynolith_value* value, int64_t* number);
// The nearest double.
DYNOLITH_API int32_t dynolith_value_double(const dynolith_value* value, double* number);
// All digits of a number as plain decimal text, without a terminating zero, into a buffer of at
// least DYNOLITH_NUMBER_TEXT_MAX bytes. Returns their number; 0 for a value of another type.
DYNOLITH_API size_t dynolith_value_number(const dynolith_value* value, char* text);
#define DYNOLITH_NUMBER_TEXT_MAX 192
DYNOLITH_API int32_t dynolith_value_map(const dynolith_value* value, dynolith_item* map);
// The number of elements of a list, members of a set, attributes of a map; 0 for other types.
DYNOLITH_API size_t dynolith_value_count(const dynolith_value* value);
DYNOLITH_API int32_t dynolith_value_element(const dynolith_value* list, size_t i,
                                            dynolith_value* element);
// Members of sets are in order. Those of a number set are encoded numbers, which the next three
// read as those above read values.
DYNOLITH_API int32_t dynolith_value_member(const dynolith_value* set, size_t i,
                                           dynolith_bytes* member);
DYNOLITH_API int32_t dynolith_number_int64(const dynolith_bytes* encoded, int64_t* number);
DYNOLITH_API int32_t dynolith_number_double(const dynolith_bytes* encoded, double* number);
DYNOLITH_API size_t dynolith_number_text(const dynolith_bytes* encoded, char* text);

// Builds one item after the other, and keeps its memory. It remembers the first error, and
// dynolith_builder_finish returns it: no other function needs a check.
//
//   dynolith_builder_key(builder, "pk", 2);
//   dynolith_builder_string(builder, "user#1", 6);
//   dynolith_builder_key(builder, "tags", 4);
//   dynolith_builder_begin_set(builder, DYNOLITH_STRING_SET);
//   dynolith_builder_string(builder, "a", 1);
//   dynolith_builder_end(builder);
//   error = dynolith_builder_finish(builder, &item);
typedef struct dynolith_builder dynolith_builder;

// NULL if memory is exhausted.
DYNOLITH_API dynolith_builder* dynolith_builder_new(void);
// NULL is allowed.
DYNOLITH_API void dynolith_builder_free(dynolith_builder* builder);
// Names the next value of the item, or of the innermost map. Names come in any order; of two equal
// ones the later value stays.
DYNOLITH_API void dynolith_builder_key(dynolith_builder* builder, const char* name,
                                       size_t name_size);
// Each adds one value: that of the last key, the next element of the innermost list, or the next
// member of a set, whose type it must have.
DYNOLITH_API void dynolith_builder_null(dynolith_builder* builder);
DYNOLITH_API void dynolith_builder_bool(dynolith_builder* builder, int32_t is_true);
DYNOLITH_API void dynolith_builder_string(dynolith_builder* builder, const char* text, size_t size);
DYNOLITH_API void dynolith_builder_binary(dynolith_builder* builder, const char* bytes,
                                          size_t size);
// A number in the service's form: "1.5", "-2E3".
DYNOLITH_API void dynolith_builder_number(dynolith_builder* builder, const char* text, size_t size);
DYNOLITH_API void dynolith_builder_int64(dynolith_builder* builder, int64_t number);
// The shortest decimal that represents it.
DYNOLITH_API void dynolith_builder_double(dynolith_builder* builder, double number);
// A copy.
DYNOLITH_API void dynolith_builder_value(dynolith_builder* builder, const dynolith_value* value);
// Until the matching dynolith_builder_end.
DYNOLITH_API void dynolith_builder_begin_list(dynolith_builder* builder);
DYNOLITH_API void dynolith_builder_begin_map(dynolith_builder* builder);
// `type`: DYNOLITH_STRING_SET, DYNOLITH_NUMBER_SET or DYNOLITH_BINARY_SET.
DYNOLITH_API void dynolith_builder_begin_set(dynolith_builder* builder, int32_t type);
DYNOLITH_API void dynolith_builder_end(dynolith_builder* builder);
// The item, valid until the next use of the builder, which begins a new one. Errors: the service's
// for numbers and sets; InvalidArgument for an unclosed container or a value in the wrong place.
// That texts are UTF-8 is checked where the item is used.
DYNOLITH_API dynolith_error* dynolith_builder_finish(dynolith_builder* builder,
                                                     dynolith_item* item);
// Drops the item so far.
DYNOLITH_API void dynolith_builder_reset(dynolith_builder* builder);

// --- Operations on items as bytes
//
// They do the same as the service's operations of these names, with its errors. Injected faults
// delay them, or make them fail with Unavailable where a connection would be lost.

// An item in memory of its own. Reuse it, so that its memory is reused, and free it in the end.
typedef struct dynolith_buffer {
  dynolith_item item;  // until the buffer's next use; data is NULL: none
  void* memory;        // the library's; NULL at first
} dynolith_buffer;

// Frees its memory, and resets it to {0}. NULL is allowed.
DYNOLITH_API void dynolith_buffer_free(dynolith_buffer* buffer);

// `key`: the table's key attributes. If there is no such item the buffer holds none.
DYNOLITH_API dynolith_error* dynolith_get(dynolith_database* database, const char* table,
                                          size_t table_size, const dynolith_item* key,
                                          int32_t is_consistent, dynolith_buffer* found);

// The condition of a write: a ConditionExpression with the values of its placeholders.
typedef struct dynolith_condition {
  const char* expression;  // "attribute_not_exists(pk) OR #n < :n"
  size_t expression_size;
  const dynolith_item* values;  // ":n" and so on; NULL: none
  const dynolith_item* names;   // strings: "#n" and so on; NULL: none
} dynolith_condition;

// `condition`: NULL: none. `old`: receives the previous item, also if the condition fails; NULL:
// not wanted.
DYNOLITH_API dynolith_error* dynolith_put(dynolith_database* database, const char* table,
                                          size_t table_size, const dynolith_item* item,
                                          const dynolith_condition* condition,
                                          dynolith_buffer* old);
DYNOLITH_API dynolith_error* dynolith_delete(dynolith_database* database, const char* table,
                                             size_t table_size, const dynolith_item* key,
                                             const dynolith_condition* condition,
                                             dynolith_buffer* old);

// The options of a query. All zeros except the first and those that are wanted.
typedef struct dynolith_query_options {
  size_t struct_size;  // sizeof(dynolith_query_options)
  const char* table;
  size_t table_size;
  const char* index;  // NULL: the table itself
  size_t index_size;
  const char* key_condition;  // "pk = :p AND begins_with(sk, :s)"
  size_t key_condition_size;
  const char* filter;  // NULL: none
  size_t filter_size;
  const char* projection;  // NULL: all attributes
  size_t projection_size;
  const dynolith_item* values;     // of the placeholders ":p" and so on
  const dynolith_item* names;      // strings, of the placeholders "#n" and so on; NULL: none
  const dynolith_item* start_key;  // the last_key of the previous page; NULL: from the beginning
  int64_t limit;                   // 0: none
  int32_t is_backward;
  int32_t is_consistent;
} dynolith_query_options;

// Gets the items one by one, each in the storage's memory, valid during the call. Returns 0 to
// continue, anything else to end the page after this item. It may call everything but
// dynolith_close for the same database.
typedef int32_t (*dynolith_sink)(void* context, const dynolith_item* item);

// Begins as {0}; reuse it like its buffer, and free that in the end.
typedef struct dynolith_page {
  int64_t count;
  int64_t scanned_count;
  dynolith_buffer last_key;  // the start of the next page; none: this was the last one
} dynolith_page;

// One page. `context` is passed to `sink`. `page`: NULL: not wanted.
DYNOLITH_API dynolith_error* dynolith_query(dynolith_database* database,
                                            const dynolith_query_options* options,
                                            dynolith_sink sink, void* context, dynolith_page* page);

#ifdef __cplusplus
}
#endif

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_DYNOLITH_H_
