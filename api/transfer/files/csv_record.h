// Records of CSV files: fields, and items from them.
#ifndef DYNOLITH_API_TRANSFER_FILES_CSV_RECORD_H_
#define DYNOLITH_API_TRANSFER_FILES_CSV_RECORD_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dynolith/requests.h"
#include "engine/value/item.h"

namespace dynolith {

// record = field { delimiter field }
// field  = { any byte but the delimiter and '"' } | '"' { any byte but '"' | '""' } '"'
//
// Errors: ValidationException for a quote at another place, or one that is not closed.
absl::StatusOr<std::vector<std::string>> ParseCsvRecord(std::string_view record, char delimiter);

// A name for each column, all different. Errors: ValidationException.
absl::Status CheckCsvHeaders(const std::vector<std::string>& headers);

// The item of a record: the attributes of `definitions`, which are keys of the table or of its
// indexes, have the types given there, binary ones as base64; all others are strings. Errors:
// ValidationException for another number of fields than of headers, for invalid numbers.
absl::StatusOr<Item> CsvItem(const std::vector<std::string>& headers,
                             const std::vector<std::string>& fields,
                             const std::vector<AttributeDefinition>& definitions);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_FILES_CSV_RECORD_H_
