// The texts of commits to a store of several processes.
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_MESSAGES_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// `last`: what the store has said of the last try.
inline std::string AbortedTooOften(std::string_view last) {
  return Concat("the store has aborted a transaction again and again, nothing is changed: ", last);
}
inline std::string BatchTooLarge() {
  return "The items and index entries that a request changes together are too large for the store";
}
inline std::string CommitNotSettled() {
  return "the store did not answer to a commit, nor tell afterwards whether it is applied";
}
inline std::string DamagedCommitSlot() { return "the row of a commit slot is damaged"; }
inline std::string DamagedTimeRow() {
  return "the row of a time until which a process has something is damaged";
}
inline std::string StoreHasNoStamps() {
  return "this store does not tell the order of its commits";
}

// --- Leases ---

inline std::string DamagedLease(std::string_view name) {
  return Concat("the rows of lease ", name, " are damaged");
}
inline std::string LeaseLost(std::string_view name) {
  return Concat("the lease ", name, " has gone over to another process");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_MESSAGES_H_
