// Rows that transactions count up: none is lost, and none counts twice.
#ifndef DYNOLITH_TESTS_HOSTILE_COUNTED_ROWS_H_
#define DYNOLITH_TESTS_HOSTILE_COUNTED_ROWS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/store/row_locks.h"
#include "engine/store/store.h"
#include "engine/store/transaction/run_transaction.h"
#include "engine/store/transaction/transaction.h"

namespace dynolith::hostile {

inline void RunTogether(int threads, const std::function<void(int)>& body) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : running) thread.join();
}

// 0: there is no row.
inline absl::StatusOr<uint64_t> ReadCount(const ReadView& rows, std::string_view key) {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, rows.Get(Family::kTables, key, &row));
  return found ? ReadBigEndian(row.value()) : 0;
}

// One transaction, run again as often as necessary.
inline absl::Status Increment(Store* store, RowLocks* locks, std::string_view key) {
  return RunTransaction([&] {
    Transaction transaction(store, locks, absl::MakeConstSpan(&key, 1));
    DYNOLITH_ASSIGN_OR_RETURN(const uint64_t before, ReadCount(transaction.reads(), key));
    std::string after;
    AppendBigEndian(before + 1, &after);
    WriteBatch batch;
    batch.Put(Family::kTables, key, after);
    return transaction.Commit(batch);
  });
}

}  // namespace dynolith::hostile

#endif  // DYNOLITH_TESTS_HOSTILE_COUNTED_ROWS_H_
