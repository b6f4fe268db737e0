// The reads of a view by statements: rows, many rows, and pages of rows.
#ifndef DYNOLITH_ENGINE_STORE_POSTGRES_READS_H_
#define DYNOLITH_ENGINE_STORE_POSTGRES_READS_H_

#include <functional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/store/postgres/connection.h"
#include "engine/store/postgres/statements.h"
#include "engine/store/store.h"

namespace dynolith::postgres {

// Runs statements in the state that is read: one round trip. It may run them again, and then `take`
// gets the results anew. Copied into cursors, which may outlive the view.
using RunCalls = std::function<absl::Status(absl::Span<const Call> calls, Connection::Take take)>;

absl::StatusOr<bool> ReadRow(const RunCalls& run, Family family, std::string_view key, Row* row);
absl::Status ReadRows(const RunCalls& run, absl::Span<RowRead> reads);
Cursor ReadPages(const RunCalls& run, Family family, std::string_view begin, std::string_view end,
                 Direction direction, const ScanHints& hints, RowRead* with);

// The reads of a ReadView.
template <typename View>
class ReadsByCalls : public View {
 public:
  absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const override {
    return ReadRow(run_, family, key, row);
  }
  absl::Status MultiGet(absl::Span<RowRead> reads) const override { return ReadRows(run_, reads); }
  Cursor Scan(Family family, std::string_view begin, std::string_view end,
              Direction direction) const override {
    return ReadPages(run_, family, begin, end, direction, ScanHints(), nullptr);
  }
  Cursor ScanPage(Family family, std::string_view begin, std::string_view end, Direction direction,
                  const ScanHints& hints, RowRead* with) const override {
    return ReadPages(run_, family, begin, end, direction, hints, with);
  }

 protected:
  explicit ReadsByCalls(RunCalls run) : run_(std::move(run)) {}

 private:
  const RunCalls run_;
};

}  // namespace dynolith::postgres

#endif  // DYNOLITH_ENGINE_STORE_POSTGRES_READS_H_
