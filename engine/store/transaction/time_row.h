// A time in a row of Family::kMeta, by the clock of the process that wrote it:
//   key -> u64be    ; microseconds since 1970
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_TIME_ROW_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_TIME_ROW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/store/store.h"
#include "engine/store/transaction/messages.h"

namespace dynolith {

inline void PutTimeRow(std::string_view key, absl::Time time, WriteBatch* batch) {
  std::string value;
  AppendBigEndian(static_cast<uint64_t>(absl::ToUnixMicros(time)), &value);
  batch->Put(Family::kMeta, key, value);
}

// nullopt: there is no such row. Errors: kDataLoss; those of the read.
inline absl::StatusOr<std::optional<absl::Time>> ReadTimeRow(const ReadView& rows,
                                                             std::string_view key) {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, rows.Get(Family::kMeta, key, &row));
  if (!found) return std::nullopt;
  if (row.value().size() != sizeof(uint64_t)) {
    return absl::DataLossError(messages::DamagedTimeRow());
  }
  return absl::FromUnixMicros(static_cast<int64_t>(ReadBigEndian(row.value())));
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_TIME_ROW_H_
