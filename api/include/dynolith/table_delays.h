// The duration of changes of tables.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_TABLE_DELAYS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_TABLE_DELAYS_H_

#include "absl/time/time.h"

namespace dynolith {

// How long tables and new indexes stay in their intermediate states, which last seconds in the
// service: tables CREATING, UPDATING and DELETING, indexes CREATING (the second half of the time
// backfilling) and DELETING. Changes of an index's capacity, of encryption, warm throughput, tags,
// policies and Kinesis destinations take as long as an update of the table.
struct TableDelays {
  absl::Duration create;
  absl::Duration update;
  absl::Duration remove;
  absl::Duration index;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_TABLE_DELAYS_H_
