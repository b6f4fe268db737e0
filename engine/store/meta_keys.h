// The owners of the keys of Family::kMeta, in one list, so that no two owners take the same. The
// format after a prefix, and of the row, is the owner's.
//
// On disk. Append only.
#ifndef DYNOLITH_ENGINE_STORE_META_KEYS_H_
#define DYNOLITH_ENGINE_STORE_META_KEYS_H_

#include <string_view>

namespace dynolith {

// All keys that begin with `begin`, which are those from there up to `end`.
struct MetaPrefix {
  std::string_view begin;
  std::string_view end;
};

// engine/catalog.
inline constexpr std::string_view kNextIdKey = "next_id";
inline constexpr MetaPrefix kTableKeys = {"table/", "table0"};
inline constexpr MetaPrefix kBackupKeys = {"backup/", "backup0"};
inline constexpr MetaPrefix kThroughputKeys = {"throughput/", "throughput0"};
// engine/catalog, in a store of several processes: the number of the catalog's last change.
inline constexpr std::string_view kCatalogVersionKey = "version";
// engine/ttl: tables whose expiry rows are being filled.
inline constexpr MetaPrefix kExpiryFillKeys = {"expiry/", "expiry0"};
// api/write: tokens of transactions, by token and by age.
inline constexpr MetaPrefix kTokenKeys = {"Tt", "Tu"};
inline constexpr MetaPrefix kTokenAgeKeys = {"Te", "Tf"};
// api/transfer.
inline constexpr MetaPrefix kExportKeys = {"export/", "export0"};
inline constexpr MetaPrefix kImportKeys = {"import/", "import0"};
inline constexpr MetaPrefix kBulkPutKeys = {"bulk/", "bulk0"};
// engine/store: commits to a store of several processes (commit_slots.h).
inline constexpr MetaPrefix kCommitKeys = {"commit/", "commit0"};
// The same, its processes and leases (ended_processes.h, leases.h).
inline constexpr MetaPrefix kProcessKeys = {"process/", "process0"};
inline constexpr MetaPrefix kLeaseKeys = {"lease/", "lease0"};
// engine/catalog, in a store of several processes: ids that no table and no backup has
// (unowned_ids.h).
inline constexpr MetaPrefix kUnownedIdKeys = {"unowned/", "unowned0"};
// api/database: the time of a manual clock.
inline constexpr std::string_view kClockKey = "clock";

// All of the above. None is the prefix of another one.
inline constexpr MetaPrefix kMetaPrefixes[] = {
    kTableKeys,    kBackupKeys, kThroughputKeys, kExpiryFillKeys, kTokenKeys,
    kTokenAgeKeys, kExportKeys, kImportKeys,     kBulkPutKeys,    kCommitKeys,
    kProcessKeys,  kLeaseKeys,  kUnownedIdKeys};
inline constexpr std::string_view kMetaKeys[] = {kNextIdKey, kClockKey, kCatalogVersionKey};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_META_KEYS_H_
