// The statements of a commit: what rows have to be, and a batch of changes.
#ifndef DYNOLITH_ENGINE_STORE_POSTGRES_CHANGE_CALLS_H_
#define DYNOLITH_ENGINE_STORE_POSTGRES_CHANGE_CALLS_H_

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/store/postgres/address.h"
#include "engine/store/postgres/statements.h"
#include "engine/store/store.h"

namespace dynolith::postgres {

// Collects them; borrows the batch. Few changes of a family are a statement each, in the order of
// their keys, so that two commits that change the same rows do not wait for each other in a circle;
// many are one or two statements with arrays.
class ChangeCalls {
 public:
  explicit ChangeCalls(StampSource stamps) : stamps_(stamps) {}

  // As Attempt::Expect.
  void Expect(Family family, std::string_view key, std::optional<std::string_view> value);
  // As Attempt::ExpectPresent, which it can.
  void ExpectPresent(Family family, std::string_view key);
  // As Attempt::PutStamped. kInvalidArgument: the key or the value is too long for the store.
  absl::Status PutStamped(Family family, std::string_view key, uint16_t place,
                          std::string_view value);
  // kInvalidArgument: a key, a value or the whole is too long for the store.
  absl::Status Add(const WriteBatch& batch);
  // All of them, and a COMMIT. Stamped rows come last, and those by a counter in one statement:
  // others wait from the counter's change on, not while the rows are still sent. Valid as long as
  // this object and the batch.
  std::vector<Call> Finish();

 private:
  // The last change of each row: its value, or nullopt.
  using Changes = std::map<std::string_view, std::optional<std::string_view>>;

  // By the counter, of one family.
  struct Counted {
    std::vector<std::string_view> keys;
    std::vector<std::string_view> places;
    std::vector<std::string_view> values;
  };

  void AddFamily(Family family, const Changes& changes);
  // Keeps the bytes for the calls.
  std::string_view Keep(std::string bytes) { return kept_.emplace_back(std::move(bytes)); }

  const StampSource stamps_;
  std::vector<Call> calls_;
  std::vector<Call> stamped_;
  std::array<Counted, kFamilies> counted_;
  std::list<std::string> kept_;
};

}  // namespace dynolith::postgres

#endif  // DYNOLITH_ENGINE_STORE_POSTGRES_CHANGE_CALLS_H_
