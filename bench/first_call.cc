// What start_bench.cc starts: a program that opens a database through the C face, makes a table,
// and has a put answered.
#include <dynolith/dynolith.h>

#include <string_view>

namespace {

bool Call(dynolith_database* database, std::string_view operation, std::string_view body) {
  dynolith_response response = DYNOLITH_RESPONSE_INIT;
  dynolith_call(database, operation.data(), operation.size(), body.data(), body.size(), &response);
  const bool is_done = response.status == 200;
  dynolith_response_free(&response);
  return is_done;
}

}  // namespace

int main() {
  dynolith_database* database = nullptr;
  if (dynolith_open(nullptr, 0, &database) != nullptr) return 1;
  const bool is_done =
      Call(database, "CreateTable",
           R"({"TableName":"bench","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":)"
           R"([{"AttributeName":"pk","AttributeType":"S"}],)"
           R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})") &&
      Call(database, "PutItem", R"({"TableName":"bench","Item":{"pk":{"S":"a"}}})");
  dynolith_close(database);
  return is_done ? 0 : 1;
}
