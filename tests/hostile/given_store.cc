#include "tests/hostile/given_store.h"

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

#include "engine/base/strings.h"
#include "engine/store/postgres/address.h"
#include "engine/store/postgres/connection.h"
#include "engine/store/postgres/postgres_store.h"
#include "engine/store/postgres/schema.h"
#include "engine/store/postgres/statements.h"

namespace dynolith::hostile {
namespace {

void RequireStore(const absl::Status& status) {
  if (status.ok()) return;
  std::cerr << "the given store: " << status << "\n";
  std::abort();
}

}  // namespace

std::string GivenStoreUrl() {
  const char* const url = std::getenv("DYNOLITH_STORE_URL");
  return url == nullptr ? "" : url;
}

postgres::StampSource GivenStamps() {
  const char* const stamps = std::getenv("DYNOLITH_STORE_STAMPS");
  return stamps != nullptr && std::string_view(stamps) == "counter"
             ? postgres::StampSource::kCounter
             : postgres::StampSource::kTransactionIds;
}

void EmptyGivenStore(const std::string& url) {
  const absl::Status made = postgres::InitStore(url, "", GivenStamps()).status();
  if (made.ok()) return;
  if (!absl::IsAlreadyExists(made)) RequireStore(made);
  const auto shared = postgres::ReadAddress(url);
  RequireStore(shared.status());
  const auto connection = postgres::Connection::Open(shared->get(), /*reads_only=*/false);
  RequireStore(connection.status());
  // Not TRUNCATE, which takes longer for the few rows of a test: it makes new files.
  std::string sql;
  for (const std::string_view table : postgres::kTableNames) {
    sql += Concat("DELETE FROM dynolith.", table, "; ");
  }
  RequireStore((*connection)->Execute(sql).status());
}

std::unique_ptr<SharedStore> OpenGivenStore(const std::string& url) {
  auto store = PostgresStore::Open({.url = url});
  RequireStore(store.status());
  return *std::move(store);
}

}  // namespace dynolith::hostile
