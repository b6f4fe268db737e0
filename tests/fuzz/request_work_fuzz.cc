// Any bytes as a call: "<operation>\n<body>", for what the answer costs. Memory that is asked for,
// rows that are read and the size of the answer are counted on the calling thread, and may only
// grow with the input: a bound for each of its bytes, and what any call may take.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>

#include "api/json/dispatch.h"
#include "dynolith/database.h"
#include "engine/store/work_counters.h"

namespace {

thread_local size_t thread_bytes = 0;

}  // namespace

// Inlined, new would pair with free in the compiler's eyes.
[[gnu::noinline]] void* operator new(size_t bytes) {
  thread_bytes += bytes;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  thread_bytes += bytes;
  return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace dynolith {
namespace {

// The most that a call takes whatever it says: a full page, a block of the memtable, a parser.
constexpr size_t kFixedBytes = 8 << 20;
constexpr size_t kFixedRows = 2000;
// A message has up to ten values, each of which is printed in part.
constexpr size_t kFixedAnswerBytes = 4 << 20;
// For each byte of the input. Three bytes of an empty list element become a structure of some
// hundred bytes, in lists that grow by doubling; texts are escaped.
constexpr size_t kBytesPerByte = 100;
constexpr size_t kAnswerPerByte = 8;
constexpr size_t kInputsOfOneFixture = 64;

class Fixture {
 public:
  Fixture() : database_(*Database::Open({.in_memory = true})), dispatcher_(database_.get(), {}) {
    Good("CreateTable", R"({
      "TableName": "fuzz", "BillingMode": "PAY_PER_REQUEST",
      "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
                               {"AttributeName": "sk", "AttributeType": "N"},
                               {"AttributeName": "g", "AttributeType": "B"}],
      "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
                    {"AttributeName": "sk", "KeyType": "RANGE"}],
      "LocalSecondaryIndexes": [{"IndexName": "local",
        "Projection": {"ProjectionType": "KEYS_ONLY"},
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
                      {"AttributeName": "g", "KeyType": "RANGE"}]}],
      "GlobalSecondaryIndexes": [{"IndexName": "global",
        "Projection": {"ProjectionType": "KEYS_ONLY"},
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}]})");
    Good("PutItem", R"({"TableName": "fuzz", "Item": {"pk": {"S": "a"}, "sk": {"N": "1"},
      "g": {"B": "YQ=="}, "l": {"L": [{"S": "x"}]}, "ss": {"SS": ["x", "y"]}}})");
  }

  const Dispatcher& dispatcher() const { return dispatcher_; }

 private:
  void Good(std::string_view operation, std::string_view body) {
    if (dispatcher_.Handle(operation, body).http_status != 200) std::abort();
  }

  std::unique_ptr<Database> database_;
  Dispatcher dispatcher_;
};

void CheckBound(const char* what, size_t found, size_t bound) {
  if (found <= bound) return;
  std::fprintf(stderr, "%s: %zu where %zu is the most\n", what, found, bound);
  std::abort();
}

}  // namespace
}  // namespace dynolith

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // What earlier inputs have left is part of what this one finds; it must not become more and more.
  static size_t inputs = 0;
  static std::unique_ptr<dynolith::Fixture>& fixture = *new std::unique_ptr<dynolith::Fixture>;
  if (inputs++ % dynolith::kInputsOfOneFixture == 0) {
    fixture.reset();
    fixture = std::make_unique<dynolith::Fixture>();
  }
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  if (line == std::string_view::npos) return 0;
  const size_t bytes_before = thread_bytes;
  const dynolith::WorkCounters before = dynolith::ThreadWork();
  const dynolith::JsonResponse response =
      fixture->dispatcher().Handle(input.substr(0, line), input.substr(line + 1));
  const dynolith::WorkCounters work = dynolith::ThreadWork() - before;
  dynolith::CheckBound("bytes asked for", thread_bytes - bytes_before,
                       dynolith::kFixedBytes + dynolith::kBytesPerByte * size);
  dynolith::CheckBound("bytes of the answer", response.body.size(),
                       dynolith::kFixedAnswerBytes + dynolith::kAnswerPerByte * size);
  dynolith::CheckBound("rows", work.gets + work.seeks + work.rows_read + work.rows_written,
                       dynolith::kFixedRows + size);
  return 0;
}
