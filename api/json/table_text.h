// A table as a text: the input of CreateTable without the call.
#ifndef DYNOLITH_API_JSON_TABLE_TEXT_H_
#define DYNOLITH_API_JSON_TABLE_TEXT_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "dynolith/requests.h"

namespace dynolith {

// Errors: those that CreateTable finds in its input before it runs.
absl::StatusOr<CreateTableRequest> ReadCreateTable(std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_TABLE_TEXT_H_
