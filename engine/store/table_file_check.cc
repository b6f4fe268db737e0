#include "engine/store/table_file_check.h"

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/store/integrity_manifest.h"
#include "engine/store/messages.h"

namespace dynolith {

rocksdb::Status CheckTableFileFormat(rocksdb::Env* env, const std::string& file) {
  constexpr uint64_t kFormatBeforeEnd = 12;
  uint64_t file_bytes = 0;
  std::unique_ptr<rocksdb::RandomAccessFile> in;
  rocksdb::Status status = env->GetFileSize(file, &file_bytes);
  if (status.ok()) status = env->NewRandomAccessFile(file, &in, rocksdb::EnvOptions());
  if (!status.ok()) return status;
  std::array<char, sizeof(uint32_t)> scratch = {};
  rocksdb::Slice bytes;
  if (file_bytes >= kFormatBeforeEnd) {
    status = in->Read(file_bytes - kFormatBeforeEnd, scratch.size(), &bytes, scratch.data());
  }
  if (!status.ok()) return status;
  if (bytes.size() < scratch.size()) return rocksdb::Status::IOError(file, "its end is missing");
  uint32_t format = 0;
  for (int i = 3; i >= 0; --i) format = format << 8 | static_cast<unsigned char>(bytes[i]);
  if (format == kTableFileFormat) return rocksdb::Status::OK();
  return rocksdb::Status::Corruption(file, messages::StoreTableFileFormat(format));
}

rocksdb::Status CheckTableFile(rocksdb::Env* env, const std::string& file, TableFileDepth depth,
                               rocksdb::SstFileReader* reader, bool* is_open) {
  rocksdb::Status status = reader->Open(file);
  *is_open = status.ok();
  if (!*is_open) return status;
  if (rocksdb::Status format = CheckTableFileFormat(env, file); !format.ok()) return format;
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
