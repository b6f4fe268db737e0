// Reads of rows that may be in several parts.
#ifndef DYNOLITH_ENGINE_STORE_LIMITS_LONG_READS_H_
#define DYNOLITH_ENGINE_STORE_LIMITS_LONG_READS_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/store/limits/long_rows.h"
#include "engine/store/store.h"

namespace dynolith {

// The rows of a view of the store as their users know them. Copies share the view.
class LongReads {
 public:
  // `view` stays until the last cursor is destroyed; `shape` outlives it.
  LongReads(std::shared_ptr<const ReadView> view, const LongRows* shape)
      : view_(std::move(view)), shape_(shape) {}

  const LongRows& shape() const { return *shape_; }
  const ReadView& view() const { return *view_; }

  // As ReadView's.
  absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const;
  absl::Status MultiGet(absl::Span<RowRead> reads) const;
  // The same; `get_kept` gets the rows themselves, before their parts.
  using GetKeptRows = absl::FunctionRef<absl::Status(absl::Span<RowRead>)>;
  absl::Status MultiGetBy(absl::Span<RowRead> reads, GetKeptRows get_kept) const;
  Cursor Scan(Family family, std::string_view begin, std::string_view end, Direction direction,
              const ScanHints& hints, RowRead* with) const;

  // The whole value of a row that was read as `kept`. `held` keeps it unless it is in the row.
  // False: the row has been overwritten since, in a view of more than one state.
  absl::StatusOr<bool> Assemble(const KeptValue& kept, std::string* held,
                                std::string_view* value) const;

  // Gets a kept row, again if it is overwritten between its parts.
  absl::StatusOr<bool> GetKept(const KeptKey& kept, Row* row) const;

 private:
  std::shared_ptr<const ReadView> view_;
  const LongRows* shape_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_LIMITS_LONG_READS_H_
