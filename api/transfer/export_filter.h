// The items of an export, and the exported part of each (FilterSpecification).
#ifndef DYNOLITH_API_TRANSFER_EXPORT_FILTER_H_
#define DYNOLITH_API_TRANSFER_EXPORT_FILTER_H_

#include <optional>

#include "absl/status/status.h"
#include "api/read/page_binding.h"
#include "dynolith/requests.h"
#include "engine/key/key_codec.h"
#include "engine/key/schema.h"
#include "engine/model/request_violations.h"
#include "engine/value/item.h"

namespace dynolith {

// Parse, then Bind, then the rest.
class ExportFilter {
 public:
  // Absent: everything. `specification` must outlive the filter.
  explicit ExportFilter(const std::optional<FilterSpecification>& specification);
  ExportFilter(const ExportFilter&) = delete;
  ExportFilter& operator=(const ExportFilter&) = delete;

  // All checks that do not need the table. Errors: ValidationException, as Query's.
  absl::Status Parse(const ValueViolations& violations);
  // Errors: the same.
  absl::Status Bind(const TableSchema& schema);

  // The rows to read.
  const KeyRange& rows() const { return rows_; }
  bool Takes(ItemView item) const;
  // The exported part of the item. Borrows from it, or from the builder until its next use.
  ItemView Project(ItemView item, ItemBuilder* builder) const;

 private:
  absl::Status CheckFilterPath(const TableSchema& schema, const Path& path) const;

  const FilterSpecification& specification_;
  KeyedExpressions expressions_;
  KeyRange rows_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_EXPORT_FILTER_H_
