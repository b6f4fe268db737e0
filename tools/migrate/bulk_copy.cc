#include "tools/migrate/bulk_copy.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "api/json/item_line.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/files/sorted_table.h"
#include "tools/files/table/json_parts.h"
#include "tools/migrate/messages.h"
#include "tools/migrate/table_scan.h"

namespace dynolith::migrate {
namespace {

using designs::SetMember;
using designs::SortedTable;
using designs::TextTree;

// Sorted files on their way, which several threads fill.
class BulkTable {
 public:
  BulkTable(Work* work, const TableSource& source, std::unique_ptr<SortedTable> table)
      : work_(work), source_(source), table_(std::move(table)) {}

  absl::Status AddPage(ScanPage* page) ABSL_LOCKS_EXCLUDED(mutex_) {
    for (JsonTree& item : page->items) {
      absl::StatusOr<std::optional<JsonTree>> changed =
          work_->changes()->Change(source_.keys, std::move(item));
      if (!changed.ok()) {
        work_->Refuse(source_.name,
                      messages::MigrateRule(source_.name, MessageOf(changed.status())));
      } else if (*changed) {
        DYNOLITH_RETURN_IF_ERROR(Add(**changed));
      }
    }
    *work_->done() += page->count;
    absl::MutexLock lock(&mutex_);
    items_ += page->count;
    return absl::OkStatus();
  }

  absl::Status Finish() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return table_->Finish([this] {
      if (work_->is_over()) return absl::CancelledError(messages::MigrateStopped());
      work_->ShowProgress();
      return absl::OkStatus();
    });
  }
  uint64_t items() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return items_;
  }

 private:
  // What is not JSON of an item for the reader is refused in the service's words.
  absl::Status Add(const JsonTree& item) ABSL_LOCKS_EXCLUDED(mutex_) {
    const absl::StatusOr<Item> read = ReadItemLine(Concat("{\"Item\":", PrintJson(item), "}"));
    absl::MutexLock lock(&mutex_);
    if (read.ok()) {
      DYNOLITH_ASSIGN_OR_RETURN(const bool is_taken, table_->PutPlain(read->view()));
      if (is_taken) return absl::OkStatus();
    }
    DYNOLITH_ASSIGN_OR_RETURN(const client::ServiceAnswer answer, table_->Put(item));
    if (answer.error.empty()) return absl::OkStatus();
    work_->Refuse(source_.name,
                  messages::MigrateItemRefused(source_.name, PrintJson(KeyOf(source_.keys, item)),
                                               answer.error, answer.message));
    return absl::OkStatus();
  }

  Work* const work_;
  const TableSource& source_;
  mutable absl::Mutex mutex_;
  const std::unique_ptr<SortedTable> table_ ABSL_PT_GUARDED_BY(mutex_);
  uint64_t items_ ABSL_GUARDED_BY(mutex_) = 0;  // read
};

}  // namespace

absl::Status GiveStream(Work* work, const TableSource& source) {
  JsonTree create = source.create;
  JsonTree stream = designs::TakeMember(&create, "StreamSpecification");
  if (stream.kind != JsonTree::Kind::kMap) return absl::OkStatus();
  Side::Caller to = work->to()->Connect();
  TableSource there;
  DYNOLITH_ASSIGN_OR_RETURN(there.description, AwaitActive(work->to(), &to, source.name));
  if (!there.StreamView().empty()) return absl::OkStatus();
  JsonTree input = designs::MapTree();
  SetMember(&input, "TableName", TextTree(source.name));
  SetMember(&input, "StreamSpecification", std::move(stream));
  DYNOLITH_RETURN_IF_ERROR(to.Ask("UpdateTable", input).status());
  return AwaitActive(work->to(), &to, source.name).status();
}

bool CopiesInBulk(Work* work) {
  const bool is_wanted = work->options().bulk.value_or(work->from()->is_folder());
  return is_wanted && work->to()->is_folder();
}

absl::StatusOr<bool> CopyInBulk(Work* work, const TableSource& source) {
  JsonTree create = source.create;
  // It would have to have records of the items.
  designs::RemoveMember(&create, "StreamSpecification");
  const std::unique_ptr<client::ServiceConnection> connection = work->to()->target()->Connect();
  std::unique_ptr<SortedTable> begun =
      SortedTable::Begin(work->to()->target(), connection.get(), create);
  if (begun == nullptr) return false;
  const size_t segments = work->options().segments;
  const auto note = [&](bool is_done, uint64_t items) {
    work->state()->Change([&](MigrationState* state) {
      TableState& table = state->tables[source.name];
      table.is_made = is_done;
      table.segments.assign(segments, {.is_done = is_done, .after = ""});
      table.items = items;
      if (!is_done) table.refused = 0;
    });
    return work->state()->Save();
  };
  DYNOLITH_RETURN_IF_ERROR(note(/*is_done=*/false, 0));
  BulkTable bulk(work, source, std::move(begun));
  const size_t page_items =
      PageItems(work->options().read_rate, segments, source.items, source.bytes);
  DYNOLITH_RETURN_IF_ERROR(work->Together(segments, [&](size_t number) {
    Side::Caller from = work->from()->Connect();
    const ScanOptions scan = {.table = source.name,
                              .segment = number,
                              .segments = segments,
                              .after = "",
                              .items_max = page_items};
    return ScanSegment(work->from(), &from, scan, work->reads(),
                       [&](ScanPage* page) { return bulk.AddPage(page); });
  }));
  DYNOLITH_RETURN_IF_ERROR(bulk.Finish());
  DYNOLITH_RETURN_IF_ERROR(GiveStream(work, source));
  DYNOLITH_RETURN_IF_ERROR(note(/*is_done=*/true, bulk.items()));
  return true;
}

}  // namespace dynolith::migrate
