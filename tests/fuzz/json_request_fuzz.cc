// Any bytes as a call: "<operation>\n<body>". Whatever is sent, an answer comes back, and it is one
// of ours: 200, or 400 with a type. 500 is a fault.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "api/json/dispatch.h"
#include "dynolith/database.h"

namespace dynolith {
namespace {

// One database for all inputs, with a table that has an index of each kind.
class Fixture {
 public:
  Fixture() : database_(*Database::Open({.in_memory = true})), dispatcher_(database_.get(), {}) {
    const JsonResponse created = dispatcher_.Handle("CreateTable", R"({
      "TableName": "fuzz", "BillingMode": "PAY_PER_REQUEST",
      "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
                               {"AttributeName": "sk", "AttributeType": "N"},
                               {"AttributeName": "g", "AttributeType": "B"}],
      "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
                    {"AttributeName": "sk", "KeyType": "RANGE"}],
      "LocalSecondaryIndexes": [{"IndexName": "local", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
                      {"AttributeName": "g", "KeyType": "RANGE"}]}],
      "GlobalSecondaryIndexes": [{"IndexName": "global",
        "Projection": {"ProjectionType": "KEYS_ONLY"},
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}]})");
    if (created.http_status != 200) std::abort();
  }

  const Dispatcher& dispatcher() const { return dispatcher_; }

 private:
  std::unique_ptr<Database> database_;
  Dispatcher dispatcher_;
};

}  // namespace
}  // namespace dynolith

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const fixture = new dynolith::Fixture();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  if (line == std::string_view::npos) return 0;
  const dynolith::JsonResponse response =
      fixture->dispatcher().Handle(input.substr(0, line), input.substr(line + 1));
  const bool known = response.http_status == 200 || response.http_status == 400;
  if (!known || !response.body.starts_with('{')) std::abort();
  return 0;
}
