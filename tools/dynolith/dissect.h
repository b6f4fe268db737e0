// `dynolith dissect`: bytes with their meaning, from anywhere or from a database.
#ifndef DYNOLITH_TOOLS_DYNOLITH_DISSECT_H_
#define DYNOLITH_TOOLS_DYNOLITH_DISSECT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace dynolith {

enum class DissectKind : uint8_t { kItem, kKey, kValue };

struct DissectBytesOptions {
  DissectKind kind = DissectKind::kItem;
  std::string hex;   // the bytes; if empty:
  std::string file;  // a file of raw bytes; empty: standard input
};

// Prints to standard output. Damaged bytes are no error: the print says where they stop making
// sense.
absl::Status DissectBytes(const DissectBytesOptions& options);

struct DissectTableOptions {
  std::string folder;
  std::string table;
  std::string index;  // empty: the table itself
  // Values of the key attributes as text, numbers as digits; a prefix of the sort key's attributes.
  // Empty: every row.
  std::vector<std::string> partition_key;
  std::vector<std::string> sort_key;
  uint64_t rows_max = 10;
};

// Prints rows in the order of their keys. Changes nothing in the folder. Errors: no such folder,
// table or index; values that cannot be keys.
absl::Status DissectTable(const DissectTableOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_DISSECT_H_
