// What a store on PostgreSQL takes.
#ifndef DYNOLITH_ENGINE_STORE_POSTGRES_LIMITS_H_
#define DYNOLITH_ENGINE_STORE_POSTGRES_LIMITS_H_

#include <cstddef>

#include "absl/time/time.h"

namespace dynolith::postgres {

// An entry of a B-tree has at most 2,704 bytes ("index row size exceeds btree version 4 maximum").
inline constexpr size_t kKeyBytesMax = 2'600;
// Far below the gigabyte of a field, so that a statement ends in time. Values of that size are kept
// in one row (limits/long_rows.h).
inline constexpr size_t kValueBytesMax = 64 << 20;
inline constexpr size_t kBatchBytesMax = 64 << 20;

// From the beginning of a transaction to its commit.
inline constexpr absl::Duration kTransactionTime = absl::Seconds(5);
// How long a snapshot can be read.
inline constexpr absl::Duration kSnapshotTime = absl::Minutes(5);

}  // namespace dynolith::postgres

#endif  // DYNOLITH_ENGINE_STORE_POSTGRES_LIMITS_H_
