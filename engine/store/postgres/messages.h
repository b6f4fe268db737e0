// The texts about stores on PostgreSQL. `store`: its hosts, port and database.
#ifndef DYNOLITH_ENGINE_STORE_POSTGRES_MESSAGES_H_
#define DYNOLITH_ENGINE_STORE_POSTGRES_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- the library

inline std::string LibpqNotLoaded(std::string_view why) {
  return Concat(
      "a store on PostgreSQL needs libpq (Debian's package libpq5), version 14 or later: ", why);
}
inline std::string LinkedStatically() {
  return "this program is linked statically and loads no libraries; build it from its source";
}
inline std::string LibpqTooOld(std::string_view function) { return Concat("it has no ", function); }

// --- connections

inline std::string StoreUrlUnread(std::string_view why) {
  return Concat("this is not the address of a PostgreSQL database (postgresql://…): ", why);
}
inline std::string StoreUrlPasswordUnread() {
  return "the host, the port or the database of this PostgreSQL URL cannot be one; in a password / "
         "is written %2F and @ is written %40";
}
// In place of what may be a password.
inline std::string StoreUrlPart() { return "(a part of it)"; }
inline std::string StorePlace(std::string_view hosts, std::string_view port,
                              std::string_view database) {
  return Concat("PostgreSQL at ", hosts, port.empty() ? "" : ":", port, ", database ", database);
}
// Where the URL names none.
inline std::string StoreUsualHost() { return "this machine"; }
inline std::string StoreUsualDatabase() { return "of the role"; }
inline std::string StoreNotReached(std::string_view store, std::string_view why) {
  return Concat("cannot connect to ", store, ": ", why);
}
inline std::string StoreConnectionLost(std::string_view why) {
  return Concat("the connection to the store was lost: ", why);
}
inline std::string StoreTooSlow() { return "the store does not answer in time"; }
inline std::string StoreConnectionsTaken(int connections, int seconds) {
  return Concat("all ", connections, " connections to the store were in use for ", seconds,
                " seconds (--store-connections)");
}
inline std::string StorePrimaryIsOld(std::string_view store, int timeline, int newer) {
  return Concat(store, " is on timeline ", timeline, ", but timeline ", newer,
                " has begun: a primary that was replaced must not be used (fence it)");
}
inline std::string StoreTransactionTooOld() {
  return "the transaction or snapshot in the store is too old";
}

// --- statements

inline std::string StoreRefused(std::string_view code, std::string_view why) {
  return Concat("the store answered ", code, ": ", why);
}
inline std::string StoreExpectationFailed() { return "a row is not as it was expected"; }
inline std::string StoreAnsweredOddly() { return "the store's answer has another form"; }
inline std::string StoreCounterLost() {
  return "the table dynolith.commits of this store has not its one row";
}
inline std::string StoreRolledBack() { return "the store has rolled the transaction back"; }
inline std::string StoreKeyTooLong(size_t bytes, size_t bytes_max) {
  return Concat("the store's limit of keys is ", bytes_max, " bytes, and this key has ", bytes);
}
inline std::string StoreValueTooLong(size_t bytes, size_t bytes_max) {
  return Concat("the store's limit of values is ", bytes_max, " bytes, and this value has ", bytes);
}
inline std::string StoreBatchTooLong(size_t bytes, size_t bytes_max) {
  return Concat("the store's limit of a change is ", bytes_max, " bytes, and this change has ",
                bytes);
}

// --- the schema

inline std::string StoreNotMade(std::string_view store) {
  return Concat(store, " holds no store: dynolith store init");
}
inline std::string StoreIsMade(std::string_view store, int version) {
  return Concat(store, " holds a store already, of version ", version);
}
inline std::string StoreIsNewer(std::string_view store, int version, int known) {
  return Concat(store, " holds a store of version ", version,
                ", and this program knows versions up to ", known);
}
inline std::string StoreIsOlder(std::string_view store, int version, int known) {
  return Concat(store, " holds a store of version ", version, ", and this program needs version ",
                known, ": dynolith store upgrade");
}
inline std::string StoreIsInUse(std::string_view store, std::string_view connections) {
  return Concat(store, " is in use by ", connections,
                " connections: end all servers before the upgrade");
}
inline std::string StoreNotPermitted(std::string_view store, std::string_view what) {
  return Concat(
      "the role may not use the store in ", store, ": it needs USAGE on schema dynolith ",
      "and SELECT, INSERT, UPDATE, DELETE on its tables (dynolith store init --grant): ", what);
}
inline std::string StoreFactsLine(std::string_view store, std::string_view server, int version,
                                  int timeline) {
  return Concat(store, ": server ", server, ", store of version ", version, ", timeline ",
                timeline);
}
// What gives the records of streams their order.
inline std::string StoreStamps(bool by_counter) {
  return by_counter ? "records of streams are ordered by a counter: commits that have some are one "
                      "after the other"
                    : "records of streams are ordered by the server's transaction ids";
}
inline std::string StoreWithoutFsync() {
  return "fsync is off: what is acknowledged does not survive a loss of power";
}
inline std::string StoreWithoutStandby() {
  return "synchronous_standby_names is empty: what is acknowledged does not survive the loss of "
         "the primary";
}
inline std::string StoreWithStandbys(std::string_view names) {
  return Concat("commits wait for standbys: ", names);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_STORE_POSTGRES_MESSAGES_H_
