// What a store on PostgreSQL adds to libpq: each operation beside the same statements, sent by
// libpq alone, in turn on one connection each.
//
//   postgres_store URL [calls]    ; postgres_store.py makes a server for it
#include "engine/store/postgres/postgres_store.h"

#include <postgresql/libpq-fe.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/median.h"
#include "bench/require.h"
#include "engine/base/big_endian.h"
#include "engine/base/strings.h"
#include "engine/store/postgres/schema.h"
#include "engine/store/postgres/statements.h"

namespace dynolith {
namespace {

using postgres::SqlOf;
using postgres::Verb;

constexpr int kRounds = 7;
constexpr int kRows = 1000;
const std::string kValue(200, 'v');
const std::string kSlot = "12345678";
// As the store keeps them (limits/long_rows.h).
const std::string kKeptValue = std::string(1, '\0') + kValue;
const std::string kKeptSlot = std::string(1, '\0') + kSlot;

std::string KeyOf(int number) { return Concat("bench/", 10'000 + number % kRows); }

// libpq as one would use it: prepared, binary, pipelined.
class Raw {
 public:
  explicit Raw(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
    Require(PQstatus(connection_) == CONNECTION_OK, PQerrorMessage(connection_));
    PQclear(PQexec(connection_,
                   "SET default_transaction_isolation = serializable; SET enable_seqscan = off; "
                   "SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = "
                   "off; SET enable_sort = off; SET jit = off; SET plan_cache_mode = "
                   "force_generic_plan"));
    for (const Verb verb : {Verb::kBegin, Verb::kCommit, Verb::kGet, Verb::kGetMany,
                            Verb::kPageForward, Verb::kPut, Verb::kExpectValue}) {
      PQclear(PQprepare(connection_, NameOf(verb).c_str(), SqlOf(verb, Family::kTables).c_str(), 0,
                        nullptr));
    }
    PQclear(
        PQprepare(connection_, "put meta", SqlOf(Verb::kPut, Family::kMeta).c_str(), 0, nullptr));
    PQclear(PQprepare(connection_, "expect meta", SqlOf(Verb::kExpectValue, Family::kMeta).c_str(),
                      0, nullptr));
    Require(PQenterPipelineMode(connection_) == 1, "pipeline");
  }
  ~Raw() { PQfinish(connection_); }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;

  static std::string NameOf(Verb verb) { return std::to_string(static_cast<int>(verb)); }

  void Send(const std::string& name, const std::vector<std::string_view>& parameters = {}) {
    const char* values[4] = {};
    int lengths[4] = {};
    const int formats[4] = {1, 1, 1, 1};
    for (size_t i = 0; i < parameters.size(); ++i) {
      values[i] = parameters[i].data();
      lengths[i] = static_cast<int>(parameters[i].size());
    }
    PQsendQueryPrepared(connection_, name.c_str(), static_cast<int>(parameters.size()), values,
                        lengths, formats, 1);
    ++sent_;
  }
  void Send(Verb verb, const std::vector<std::string_view>& parameters = {}) {
    Send(NameOf(verb), parameters);
  }
  // The rows of all.
  int Finish() {
    PQpipelineSync(connection_);
    int rows = 0;
    for (; sent_ > 0; --sent_) {
      while (PGresult* const result = PQgetResult(connection_)) {
        Require(
            PQresultStatus(result) == PGRES_TUPLES_OK || PQresultStatus(result) == PGRES_COMMAND_OK,
            PQresultErrorMessage(result));
        rows += PQntuples(result);
        PQclear(result);
      }
    }
    PQclear(PQgetResult(connection_));
    return rows;
  }

 private:
  PGconn* const connection_;
  int sent_ = 0;
};

double Microseconds(int calls, const std::function<void(int)>& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call(i);
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
  return taken.count() / calls;
}

void Compare(const char* name, int calls, const std::function<void(int)>& ours,
             const std::function<void(int)>& theirs) {
  ours(0);
  theirs(0);
  const int64_t before = PostgresStore::ThreadRoundTrips();
  ours(1);
  const int64_t trips = PostgresStore::ThreadRoundTrips() - before;
  std::vector<double> our_times;
  std::vector<double> their_times;
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    our_times.push_back(Microseconds(calls, ours));
    their_times.push_back(Microseconds(calls, theirs));
    ratios.push_back(our_times.back() / their_times.back());
  }
  std::printf("%-24s %lld round trips, %6.0f us, libpq %6.0f us, ratio %.2f\n", name,
              static_cast<long long>(trips), Median(our_times), Median(their_times),
              Median(ratios));
}

// What goes with each commit, and one row.
void SendPut(Raw* raw, int i) {
  raw->Send("expect meta", {"slot", kKeptSlot});
  raw->Send("put meta", {"slot", kKeptSlot});
  raw->Send(Verb::kPut, {KeyOf(i), kKeptValue});
  raw->Send(Verb::kCommit);
  raw->Finish();
}

WriteBatch OnePut(int i) {
  WriteBatch batch;
  batch.Put(Family::kTables, KeyOf(i), kValue);
  return batch;
}

void CompareRows(SharedStore* store, Raw* raw, int calls) {
  Row row;
  Compare(
      "Get", calls, [&](int i) { Require(*store->Get(Family::kTables, KeyOf(i), &row), "found"); },
      [&](int i) {
        raw->Send(Verb::kGet, {KeyOf(i)});
        Require(raw->Finish() == 1, "found");
      });
  Compare(
      "blind put", calls, [&](int i) { Require(store->Commit(OnePut(i)).ok(), "commit"); },
      [&](int i) {
        raw->Send(Verb::kBegin);
        SendPut(raw, i);
      });
  Compare(
      "put as expected", calls,
      [&](int i) {
        const auto attempt = store->Begin();
        attempt->Expect(Family::kTables, KeyOf(i), kValue);
        Require(store->CommitAttempt(attempt.get(), OnePut(i)).ok(), "commit");
      },
      [&](int i) {
        raw->Send(Verb::kBegin);
        raw->Send(Verb::kExpectValue, {KeyOf(i), kKeptValue});
        SendPut(raw, i);
      });
  Compare(
      "put after a read", calls,
      [&](int i) {
        const auto attempt = store->Begin();
        Require(*attempt->Get(Family::kTables, KeyOf(i), &row), "found");
        Require(store->CommitAttempt(attempt.get(), OnePut(i)).ok(), "commit");
      },
      [&](int i) {
        raw->Send(Verb::kBegin);
        raw->Send(Verb::kGet, {KeyOf(i)});
        raw->Finish();
        SendPut(raw, i);
      });
}

void ComparePage(SharedStore* store, Raw* raw, int calls) {
  const std::string limits[] = {postgres::IntegerOf(100), postgres::IntegerOf(1 << 20)};
  Compare(
      "page of 100 rows", calls,
      [&](int /*i*/) {
        int rows = 0;
        Cursor cursor = store->ScanPage(Family::kTables, KeyOf(0), KeyOf(100), Direction::kForward,
                                        {.rows = 100});
        for (cursor.SeekToStart(); cursor.Valid() && rows < 99; cursor.Next()) ++rows;
        Require(rows == 99, "rows");
      },
      [&](int /*i*/) {
        raw->Send(Verb::kPageForward, {KeyOf(0), KeyOf(100), limits[0], limits[1]});
        Require(raw->Finish() == 100, "rows");
      });
}

void CompareTransaction(SharedStore* store, Raw* raw, int calls) {
  const auto keys_of = [](int i) {
    std::vector<std::string> keys;
    for (int k = 0; k < 5; ++k) keys.push_back(KeyOf(5 * i + k));
    return keys;
  };
  Compare(
      "transaction of 5", calls,
      [&](int i) {
        const auto attempt = store->Begin();
        const std::vector<std::string> keys = keys_of(i);
        std::vector<Row> rows(5);
        std::vector<RowRead> reads;
        for (size_t k = 0; k < 5; ++k) reads.push_back({Family::kTables, keys[k], &rows[k]});
        Require(attempt->MultiGet(absl::MakeSpan(reads)).ok(), "read");
        WriteBatch batch;
        for (const std::string& key : keys) batch.Put(Family::kTables, key, kValue);
        Require(store->CommitAttempt(attempt.get(), batch).ok(), "commit");
      },
      [&](int i) {
        const std::vector<std::string> keys = keys_of(i);
        raw->Send(Verb::kBegin);
        raw->Send(Verb::kGetMany,
                  {postgres::ArrayOf(std::vector<std::string_view>(keys.begin(), keys.end()))});
        raw->Finish();
        raw->Send("expect meta", {"slot", kKeptSlot});
        raw->Send("put meta", {"slot", kKeptSlot});
        for (const std::string& key : keys) raw->Send(Verb::kPut, {key, kKeptValue});
        raw->Send(Verb::kCommit);
        raw->Finish();
      });
}

int Main(int argc, char** argv) {
  Require(argc >= 2, "postgres_store URL [calls]");
  const std::string url = argv[1];
  const int calls = argc > 2 ? std::atoi(argv[2]) : 2000;
  Require(postgres::InitStore(url, "").ok(), "init");
  const auto store = PostgresStore::Open({.url = url});
  Require(store.ok(), "open");
  WriteBatch batch;
  for (int i = 0; i < kRows; ++i) batch.Put(Family::kTables, KeyOf(i), kValue);
  batch.Put(Family::kMeta, "slot", kSlot);
  Require((*store)->Commit(batch).ok(), "fill");
  Raw raw(url);
  CompareRows(store->get(), &raw, calls);
  ComparePage(store->get(), &raw, calls / 4);
  CompareTransaction(store->get(), &raw, calls / 4);
  return 0;
}

}  // namespace
}  // namespace dynolith

int main(int argc, char** argv) { return dynolith::Main(argc, argv); }
