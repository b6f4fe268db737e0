#include "tools/migrate/table_copy.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "tools/migrate/item_writes.h"
#include "tools/migrate/messages.h"
#include "tools/migrate/table_scan.h"

namespace dynolith::migrate {
namespace {

absl::Status CopyPage(Work* work, Side::Caller* to, const excerpt::TableKeys& keys,
                      ScanPage* page) {
  std::vector<ItemWrite> writes;
  for (JsonTree& item : page->items) {
    absl::StatusOr<std::optional<JsonTree>> changed =
        work->changes()->Change(keys, std::move(item));
    if (!changed.ok()) {
      work->Refuse(keys.table, messages::MigrateRule(keys.table, MessageOf(changed.status())));
    } else if (*changed) {
      writes.push_back({.is_deletion = false, .tree = **std::move(changed)});
    }
  }
  *work->done() += page->count;
  return WriteItems(work, to, keys, writes);
}

absl::Status CopySegment(Work* work, const TableSource& source, size_t number) {
  const TableState state = work->state()->Get(source.name);
  if (state.segments[number].is_done) return absl::OkStatus();
  Side::Caller from = work->from()->Connect();
  Side::Caller to = work->to()->Connect();
  const ScanOptions scan = {
      .table = source.name,
      .segment = number,
      .segments = state.segments.size(),
      .after = state.segments[number].after,
      .items_max = PageItems(work->options().read_rate, work->options().segments, source.items,
                             source.bytes)};
  return ScanSegment(work->from(), &from, scan, work->reads(), [&](ScanPage* page) {
    DYNOLITH_RETURN_IF_ERROR(CopyPage(work, &to, source.keys, page));
    work->state()->Change([&](MigrationState* all) {
      TableState& table = all->tables[source.name];
      table.items += page->count;
      table.segments[number] = {page->after.empty(), page->after};
    });
    return absl::OkStatus();
  });
}

}  // namespace

absl::Status CopyTable(Work* work, const TableSource& source) {
  const TableState state = work->state()->Get(source.name);
  if (state.IsCopied()) return absl::OkStatus();
  size_t segments = state.segments.size();
  if (segments == 0 || work->changes()->has_rules()) {
    if (segments == 0) segments = work->options().segments;
    work->state()->Change([&](MigrationState* all) {
      TableState& table = all->tables[source.name];
      table.segments.assign(segments, SegmentState());
      table.items = 0;
      table.refused = 0;
    });
    // Before TO gets anything: a run that does not know of this copy would note newer positions in
    // the stream, and miss what was deleted after it was copied.
    DYNOLITH_RETURN_IF_ERROR(work->state()->Save());
  } else {
    *work->done() += state.items;
  }
  DYNOLITH_RETURN_IF_ERROR(
      work->Together(segments, [&](size_t number) { return CopySegment(work, source, number); }));
  return work->state()->Save();
}

}  // namespace dynolith::migrate
