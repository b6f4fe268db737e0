// What this process believes to be in rows that others change as well: what it has last written
// there, or read. A transaction that expects it (Attempt::Expect) saves the round trip of the read,
// and is aborted if it is wrong; so a belief may be wrong, and costs nothing but that attempt.
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_ROW_BELIEFS_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_ROW_BELIEFS_H_

#include <atomic>
#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/store/rows/row_cache.h"
#include "engine/store/store.h"

namespace dynolith {

// Of rows of one family. Thread-safe.
class RowBeliefs {
 public:
  using Ticket = RowCache::Ticket;

  // What goes back to the store with a commit must not be long.
  static constexpr size_t kRowBytesMax = 16 << 10;
  // Where others write the same rows most beliefs are wrong, and an attempt that is aborted costs
  // more than a read saves. So a wrong one takes `kLossOfWrong` from the trust that each right one
  // adds 1 to, and without trust only every `kTriedAnyway`th is acted upon.
  static constexpr int kTrustMax = 64;
  static constexpr int kLossOfWrong = 8;
  static constexpr int kTriedAnyway = 16;

  // Memory, as RowCache.
  explicit RowBeliefs(size_t bytes) : rows_(bytes), trust_(kTrustMax) {}

  // True: `row` is what is believed, and worth a try, of whose end Tell is told. False: there is
  // nothing to act upon, as also if `row` is nullptr. `ticket` is for Learn.
  bool Find(std::string_view key, Row* row, Ticket* ticket);
  // How an attempt ended that has acted upon beliefs.
  void Tell(bool was_right);
  // The row is now `value`; nullopt: there is none, or nobody knows. `ticket`: of the Find before;
  // without one only what is believed already is replaced.
  void Learn(std::string_view key, std::optional<std::string_view> value,
             const Ticket& ticket = {});

 private:
  RowCache rows_;
  std::atomic<int> trust_;
  std::atomic<unsigned> distrusted_ = 0;  // beliefs that were found without trust
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_ROW_BELIEFS_H_
