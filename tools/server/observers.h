// Two observers of a database's accesses, in place of one.
#ifndef DYNOLITH_TOOLS_SERVER_OBSERVERS_H_
#define DYNOLITH_TOOLS_SERVER_OBSERVERS_H_

#include <memory>
#include <string_view>
#include <utility>

#include "engine/partition/access_observer.h"

namespace dynolith {

// Tells the first of everything, and then the second.
class ObserverPair final : public AccessObserver {
 public:
  // Borrows the first.
  ObserverPair(AccessObserver* first, std::shared_ptr<AccessObserver> second)
      : first_(first), second_(std::move(second)) {}

  void NoteAccesses(absl::Span<const ObservedAccess> accesses) override {
    first_->NoteAccesses(accesses);
    second_->NoteAccesses(accesses);
  }
  void BeginCall(std::string_view operation) override {
    first_->BeginCall(operation);
    second_->BeginCall(operation);
  }
  void EndCall(const ObservedEnd& end) override {
    first_->EndCall(end);
    second_->EndCall(end);
  }
  void NoteReturnedItems(const TableSchema& table, int64_t items) override {
    first_->NoteReturnedItems(table, items);
    second_->NoteReturnedItems(table, items);
  }
  void NoteRowFailure(const TableSchema& table, ErrorKind error) override {
    first_->NoteRowFailure(table, error);
    second_->NoteRowFailure(table, error);
  }
  void NoteStreamRead(const ObservedStreamRead& read) override {
    first_->NoteStreamRead(read);
    second_->NoteStreamRead(read);
  }
  void NoteExpired(const TableSchema& table, int64_t items, absl::Time at) override {
    first_->NoteExpired(table, items, at);
    second_->NoteExpired(table, items, at);
  }

 private:
  AccessObserver* const first_;
  const std::shared_ptr<AccessObserver> second_;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_OBSERVERS_H_
