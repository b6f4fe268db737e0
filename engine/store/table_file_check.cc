#include "engine/store/table_file_check.h"

#include <optional>
#include <string_view>

#include "engine/base/messages/store.h"
#include "engine/store/witness.h"

namespace dynolith {

rocksdb::Status CheckTableFile(const std::string& file, TableFileDepth depth,
                               rocksdb::SstFileReader* reader, bool* is_open) {
  rocksdb::Status status = reader->Open(file);
  *is_open = status.ok();
  if (!*is_open) return status;
  const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
  const std::optional<uint64_t> number = TableFileNumber(name);
  const uint64_t made_as = reader->GetTableProperties()->orig_file_number;
  if (number && made_as != 0 && made_as != *number) {
    return rocksdb::Status::Corruption(messages::StoreTableFileOfOther(made_as));
  }
  return depth == TableFileDepth::kBlocks ? reader->VerifyChecksum() : status;
}

}  // namespace dynolith
