#include "api/transfer/load_table.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "api/control/create_table.h"
#include "api/control/messages.h"
#include "api/request/call_bounds.h"
#include "api/table/table_description.h"
#include "api/table/table_lifecycle.h"
#include "api/transfer/sorted_items.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/process/forked_process.h"

namespace dynolith {
namespace {

constexpr size_t kBytesBetweenLooks = 1 << 20;

class TableLoadImpl final : public TableLoad {
 public:
  TableLoadImpl(const OperationContext& context, TableMeta meta, IdLease lease)
      : context_(context),
        meta_(std::move(meta)),
        lease_(std::move(lease)),
        items_(context.store, meta_.schema) {}
  // In a child of the process that began the load, nothing is ended or waited for.
  static void operator delete(TableLoadImpl* load, std::destroying_delete_t) {
    if (load->process_.IsForked()) return;
    load->~TableLoadImpl();
    ::operator delete(load);
  }

  absl::Status Put(ItemView item) override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    DYNOLITH_RETURN_IF_ERROR(items_.Check(item));
    bytes_ += item.bytes().size();
    if (bytes_ >= kBytesBetweenLooks) {
      bytes_ = 0;
      DYNOLITH_RETURN_IF_ERROR(CheckNotInterrupted(context_));
    }
    return items_.Put(item);
  }

  int64_t items() const override { return items_.items(); }

  absl::StatusOr<TableDescription> Finish(MayGoOn may_go_on) override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    const auto look = [&] {
      const absl::Status may = CheckNotInterrupted(context_);
      return may.ok() ? may_go_on() : may;
    };
    DYNOLITH_RETURN_IF_ERROR(items_.Finish(look));
    const auto table = context_.catalog->CreateFilled(meta_);
    if (absl::IsAlreadyExists(table.status())) {
      // Another caller has created the table meanwhile.
      return MakeError(ErrorKind::kResourceInUse, messages::TableAlreadyExists(meta_.schema.name));
    }
    DYNOLITH_RETURN_IF_ERROR(table.status());
    const std::shared_ptr<const TableMeta> created = (*table)->meta();
    DYNOLITH_RETURN_IF_ERROR(FollowNewStream(context_, *created));
    return DescribeNew(context_, *created);
  }

 private:
  const MakingProcess process_{};
  const OperationContext& context_;
  const TableMeta meta_;
  // As long as the rows have no table, the end of the lease makes them dead.
  const IdLease lease_;
  SortedItems items_;
  size_t bytes_ = 0;  // since the last look
};

}  // namespace

absl::StatusOr<std::unique_ptr<TableLoad>> LoadTable(const OperationContext& context,
                                                     const CreateTableRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(context.store->CheckWritable());
  DYNOLITH_ASSIGN_OR_RETURN(TableMeta meta, PlanTable(context, request));
  DYNOLITH_RETURN_IF_ERROR(CheckRoomForTable(context, request, meta.schema.name));
  DYNOLITH_ASSIGN_OR_RETURN(IdLease lease, context.catalog->LeaseNewIds(&meta.schema));
  return std::make_unique<TableLoadImpl>(context, std::move(meta), std::move(lease));
}

}  // namespace dynolith
