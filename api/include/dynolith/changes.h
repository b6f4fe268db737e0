// The changes of a table in the order of their commits: from now on, from the oldest that is kept,
// or from where a program stopped.
//
//   auto changes = database->ReadChanges({.table_name = "music", .after = saved_place}).value();
//   for (;;) {
//     for (const PlacedChange& change : changes->Next(100, absl::Seconds(1)).value()) {
//       Handle(change.record);
//       Save(change.place);
//     }
//   }
//
// or, on a thread of their own:
//
//   auto watch = database->Watch({.table_name = "music"}, [](const PlacedChange& change) { …
//   }).value();
//
// They come from the table's stream, which UpdateTable switches on and which says what images they
// have; it keeps them for 24 hours. DynamoDB's own interface to streams has an order for each item
// only; here all changes of a table have one.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_CHANGES_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_CHANGES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dynolith/requests.h"

namespace dynolith {

// Where reading begins.
struct ChangesFrom {
  std::string table_name;
  // A place of this database: right after that change, also if the stream has been switched off
  // since. Empty: see the next member.
  std::string after;
  // From the oldest change that the stream has, not from now.
  bool from_oldest = false;
};

struct PlacedChange {
  std::string place;    // for ChangesFrom::after: letters, digits, "-" and "_"
  ChangeRecord record;  // as GetRecords returns it
};

// For one thread at a time. May be destroyed after its database, and must not be used then. In a
// forked process every call fails with AccessDeniedException.
class ChangeReader {
 public:
  ChangeReader() = default;
  ChangeReader(const ChangeReader&) = delete;
  ChangeReader& operator=(const ChangeReader&) = delete;
  virtual ~ChangeReader() = default;

  // The next changes, at most `most` and at least one. Waits for the first one for up to `wait` of
  // real time; none: there was none by then. No lock is held. Errors: kOutOfRange after the last
  // change of a stream that was switched off, or whose table was deleted;
  // TrimmedDataAccessException: the next change is older than a day, and gone; kInvalidArgument for
  // `most` 0; an InternalServerError once Database::Interrupt has been called; kDataLoss; the
  // store's. After an error the reader is where it was before.
  virtual absl::StatusOr<std::vector<PlacedChange>> Next(size_t most, absl::Duration wait) = 0;
  // The place after the last change that Next has returned, or up to which there was none; at first
  // where reading begins.
  virtual std::string place() const = 0;
};

// Calls a function for each change, on a thread of its own, until it is destroyed. The function
// must not destroy it. Must be destroyed before its database. Changes that the function has not
// taken yet wait in the stream, not in memory, so a slow function costs nobody anything.
class ChangeWatch {
 public:
  ChangeWatch() = default;
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;
  // Returns when the function does not run any more. In a forked process it does nothing.
  virtual ~ChangeWatch() = default;

  // OK as long as it watches; else the error of ChangeReader::Next that has ended it.
  virtual absl::Status status() const = 0;
  // The place after the last change for which the function has returned.
  virtual std::string place() const = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_CHANGES_H_
