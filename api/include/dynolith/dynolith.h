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
//  - Texts are UTF-8 with their size in bytes; none needs a zero at its end. A pointer may be NULL
//    where its size is 0.
//  - Every function may be called from many threads at once, on the same database too. A response,
//    an error or any other thing of the caller's is for one thread at a time.
//  - What a function gives is the caller's, until the function that frees it. Borrowed pointers say
//    how long they are good.
//  - Functions neither throw, nor touch signals, locale or standard streams.
//  - A process that forks uses a database in the parent only.
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

// --- Errors: of everything but calls, whose errors are answers. NULL: there is none.

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
//   "path": folder                        else in memory
//   "read_only": true | false             also beside a process that serves the folder
//   "sync": true | false                  acknowledged writes survive power loss
//   "region": "us-east-1", "account_id": "000000000000"
//   "clock": "system" | "manual"
//   "clock_start": time                   "2026-01-31T12:00:00Z", or seconds since 1970
//   "conflicts": "wait" | "fail"
//   "ttl_sweep_seconds": 1                0: none
//   "stream_shards": 0                    0: as many as the table has partitions at first
//   "table_delay_seconds": 0
//   "capacity": {"mode": "account" | "enforce" | "static" | "burst" | "adaptive", "scale": 1,
//                "account_limit": "request-limit" | "throttling", "seed": 0}
//   "control_rates": {"changes": 1, "descriptions": 100, "stream_descriptions": 10}
//   "hot_keys": true | false
//   "staleness": [rule, …]                as --staleness takes them, "staleness_seed": 0
//   "vector_search": "exact" | "approximate", "vector_memory": size
//   "memory_budget": size, "cache": size, "item_cache": size
//   "buckets": folder                     whose subfolders stand for S3 buckets
//
// A size is a number of bytes, or a text such as "64MB". Sets *database to NULL if it fails.
// Errors: InvalidArgument, which names the member; those of the store: Unavailable if another
// process has the folder, DataLoss with the damaged file, NotFound, …
DYNOLITH_API dynolith_error* dynolith_open(const char* options, size_t options_size,
                                           dynolith_database** database);

// Nobody may use the database after it; calls under way must have returned. NULL is allowed.
DYNOLITH_API void dynolith_close(dynolith_database* database);

// A consistent copy of a database as it is now, which dynolith_open accepts, in a folder that is
// made, or is empty: by hard links where the file system allows it. Calls go on meanwhile. Errors:
// FailedPrecondition for a folder that holds something, and for a database in memory or read-only.
DYNOLITH_API dynolith_error* dynolith_checkpoint(dynolith_database* database, const char* folder,
                                                 size_t folder_size);

// --- Calls

// Set by a call; begin with DYNOLITH_RESPONSE_INIT. To be used for one call after the other, so
// that its memory is used again, and given to dynolith_response_free in the end.
typedef struct dynolith_response {
  int32_t status;    // as HTTP's
  uint32_t crc32;    // of the body: the header x-amz-crc32
  const char* body;  // JSON, not terminated by zero; until the response's next use
  size_t body_size;
  const char* error;          // the exception, e.g. "ResourceNotFoundException"; NULL: none; static
  const char* content_type;   // static
  int64_t delay_nanoseconds;  // a fault on purpose: to be handed on only so much later
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

// One call as the wire has it. `target`: "PutItem", or as in X-Amz-Target,
// "DynamoDB_20120810.PutItem". `body`: the operation's input as JSON. Fills *response whatever
// happens: what is no JSON, or no operation, gets the service's own error, and a body above 16 MB
// an empty 413. Blocks until it is done; neither waits for a delay nor drops anything.
DYNOLITH_API void dynolith_call(dynolith_database* database, const char* target, size_t target_size,
                                const char* body, size_t body_size, dynolith_response* response);

// The same with who calls, for staleness that is monotonic for a client, and with the Host header,
// which DescribeEndpoints answers. Either may be NULL.
DYNOLITH_API void dynolith_call_as(dynolith_database* database, const char* target,
                                   size_t target_size, const char* body, size_t body_size,
                                   const char* access_key, size_t access_key_size, const char* host,
                                   size_t host_size, dynolith_response* response);

// What the server's admin endpoint does with a database (tools/README.md, "The clock and the admin
// endpoint"): the clock, sweeps, staleness, faults, capacity, hot keys and heat; not a server's own
// metrics, pages and checkpoints. `method`: "GET", "POST" or "DELETE". `path`: "/_dynolith/clock",
// with or without its first part, with what is behind a question mark. `body`: JSON, or nothing.
// Returns when all that a move of the clock has made due is done.
DYNOLITH_API void dynolith_admin(dynolith_database* database, const char* method, const char* path,
                                 size_t path_size, const char* body, size_t body_size,
                                 dynolith_response* response);

// Frees what it holds, and makes it as DYNOLITH_RESPONSE_INIT. NULL is allowed.
DYNOLITH_API void dynolith_response_free(dynolith_response* response);

#ifdef __cplusplus
}
#endif

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_DYNOLITH_H_
