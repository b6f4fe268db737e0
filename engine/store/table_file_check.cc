#include "engine/store/table_file_check.h"

#include <fstream>
#include <optional>
#include <string_view>

#include "engine/store/integrity_manifest.h"
#include "engine/store/messages.h"

namespace dynolith {

rocksdb::Status CheckTableFileFormat(const std::string& file) {
  constexpr std::streamoff kFormatBeforeEnd = 12;
  std::ifstream in(file, std::ios::binary);
  unsigned char bytes[sizeof(uint32_t)] = {};
  in.seekg(-kFormatBeforeEnd, std::ios::end);
  in.read(reinterpret_cast<char*>(bytes), sizeof bytes);
  if (!in) return rocksdb::Status::IOError(file, "its end cannot be read");
  uint32_t format = 0;
  for (int i = 3; i >= 0; --i) format = format << 8 | bytes[i];
  if (format == kTableFileFormat) return rocksdb::Status::OK();
  return rocksdb::Status::Corruption(file, messages::StoreTableFileFormat(format));
}

rocksdb::Status CheckTableFile(const std::string& file, TableFileDepth depth,
                               rocksdb::SstFileReader* reader, bool* is_open) {
  rocksdb::Status status = reader->Open(file);
  *is_open = status.ok();
  if (!*is_open) return status;
  if (rocksdb::Status format = CheckTableFileFormat(file); !format.ok()) return format;
  const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
  const std::optional<uint64_t> number = TableFileNumber(name);
  const auto properties = reader->GetTableProperties();
  const uint64_t made_as = properties->orig_file_number;
  // Table files that were made outside of a store (engine/store/sorted) all have the same number.
  const bool is_from_outside =
      properties->user_collected_properties.contains("rocksdb.external_sst_file.version");
  if (number && made_as != 0 && made_as != *number && !is_from_outside) {
    return rocksdb::Status::Corruption(messages::StoreTableFileOfOther(made_as));
  }
  return depth == TableFileDepth::kBlocks ? reader->VerifyChecksum() : status;
}

}  // namespace dynolith
