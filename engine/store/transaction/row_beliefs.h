// What this process believes to be in rows that others change as well: what it has last written
// there, or read. A transaction that expects it (Attempt::Expect) saves the round trip of the read,
// and is aborted if it is wrong; so a belief may be wrong, and costs nothing but that attempt.
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_ROW_BELIEFS_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_ROW_BELIEFS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/store/row_id.h"
#include "engine/store/rows/row_cache.h"
#include "engine/store/store.h"

namespace dynolith {

// Of rows of one family, whose keys begin with their table's id (row_id.h). Thread-safe.
class RowBeliefs {
 public:
  using Ticket = RowCache::Ticket;
  // A set of tables, a bit for each; tables whose ids have the same rest share one.
  using Tables = uint64_t;

  // What goes back to the store with a commit must not be long.
  static constexpr size_t kRowBytesMax = 16 << 10;
  // Where others write the same rows most beliefs are wrong, and an attempt that is aborted costs
  // more than a read saves. So an attempt with a wrong one takes `kLossOfWrong` from the trust in
  // its table, that each one with right ones adds 1 to, and without trust only every
  // `kTriedAnyway`th acts upon them.
  static constexpr int kTrustMax = 64;
  static constexpr int kLossOfWrong = 8;
  static constexpr int kTriedAnyway = 16;

  // Memory, as RowCache.
  explicit RowBeliefs(size_t bytes) : rows_(bytes) {}

  static Tables TableOf(std::string_view key) {
    return Tables{1} << (RowIdFromKey(key) % kTablesApart);
  }

  // True: `row` is what is believed. False: nothing is; or `row` is nullptr. `ticket`: for Learn.
  bool Find(std::string_view key, Row* row, Ticket* ticket);
  // Asked once by an attempt that could act upon beliefs of these tables: whether it is to. If so
  // Tell is told what came of it.
  bool AreWorthATry(Tables tables);
  // Beliefs of these tables were right, so that an attempt took effect, or wrong.
  void Tell(Tables tables, bool were_right);
  // The row is now `value`; nullopt: there is none, or nobody knows. `ticket`: of the Find before;
  // without one only what is believed already is replaced. Without memory nothing is believed.
  void Learn(std::string_view key, std::optional<std::string_view> value,
             const Ticket& ticket = {});

 private:
  static constexpr uint32_t kTablesApart = 64;
  struct Trust {
    std::atomic<int> left = kTrustMax;
    std::atomic<unsigned> asked_without = 0;
  };

  RowCache rows_;
  std::array<Trust, kTablesApart> trust_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_ROW_BELIEFS_H_
