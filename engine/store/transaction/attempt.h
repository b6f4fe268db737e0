// One attempt to change rows that others change as well.
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_ATTEMPT_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_ATTEMPT_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "engine/base/status_macros.h"
#include "engine/store/store.h"
#include "engine/store/transaction/messages.h"

namespace dynolith {

// One attempt of a transaction. Get, MultiGet and Scan show one state, which has all commits that
// were answered before Begin, but not the attempt's own changes; what they show, also that there is
// no row, is still so at the commit, or the commit is kAborted. Belongs to one thread at a time;
// must be destroyed before its store. Errors of reads: kAborted, as Commit's; the store's.
class Attempt : public ReadView {
 public:
  // The commit is kAborted unless the row then has that value; nullopt: unless there is no row.
  // Costs no round trip.
  virtual void Expect(Family family, std::string_view key,
                      std::optional<std::string_view> value) = 0;

  // The commit puts this row besides its batch, which must not be empty: its key is `key` and
  // behind it the commit's stamp with that place (stamp.h), 12 bytes. Errors: kUnimplemented: the
  // store has no stamps.
  virtual absl::Status PutStamped(Family /*family*/, std::string_view /*key*/, uint16_t /*place*/,
                                  std::string_view /*value*/) {
    return absl::UnimplementedError(messages::StoreHasNoStamps());
  }
  // The same unless there is a row then, whatever its value. False: the store cannot tell that
  // without reading the row, and nothing is expected.
  virtual bool ExpectPresent(Family /*family*/, std::string_view /*key*/) { return false; }

  // MultiGet and a Commit of nothing, instead of them and of all other reads: one round trip where
  // the store can. Errors: as theirs; of nothing nothing is kUnknown.
  virtual absl::Status MultiGetAndCommit(absl::Span<RowRead> reads) {
    DYNOLITH_RETURN_IF_ERROR(MultiGet(reads));
    return Commit(WriteBatch());
  }

  // Applies the batch; an empty one only confirms what was read. Call it once, last. Errors:
  // kAborted: it is not applied, run the transaction again; kUnknown: it may be applied by now, or
  // later, or never; any other: it is not applied.
  virtual absl::Status Commit(const WriteBatch& batch) = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_ATTEMPT_H_
