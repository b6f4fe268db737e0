// Which items of a table an export holds, and what of each (FilterSpecification).
#ifndef DYNOLITH_API_TRANSFER_EXPORT_FILTER_H_
#define DYNOLITH_API_TRANSFER_EXPORT_FILTER_H_

#include <optional>

#include "absl/status/status.h"
#include "api/read/page_binding.h"
#include "dynolith/requests.h"
#include "engine/key/key_codec.h"
#include "engine/key/schema.h"
#include "engine/model/request_faults.h"
#include "engine/value/item.h"

namespace dynolith {

// Parse, then Bind, then the rest.
class ExportFilter {
 public:
  // Absent: everything. `specification` must outlive the filter.
  explicit ExportFilter(const std::optional<FilterSpecification>& specification);
  ExportFilter(const ExportFilter&) = delete;
  ExportFilter& operator=(const ExportFilter&) = delete;

  // Everything that can be said without the table. Errors: ValidationException, as Query's.
  absl::Status Parse(const ValueFaults& faults);
  // Errors: the same.
  absl::Status Bind(const TableSchema& schema);

  // What has to be read.
  const KeyRange& rows() const { return rows_; }
  bool Takes(ItemView item) const;
  // What is wanted of the item. Borrows from it, or from the builder until its next use.
  ItemView PartOf(ItemView item, ItemBuilder* builder) const;

 private:
  absl::Status CheckFilterPath(const TableSchema& schema, const Path& path) const;

  const FilterSpecification& specification_;
  KeyedExpressions expressions_;
  KeyRange rows_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_EXPORT_FILTER_H_
