#include "engine/store/salvage/flipped_bit.h"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/store/own_files.h"
#include "engine/store/table_file_check.h"
#include "rocksdb/sst_file_reader.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

// Format 5 ends in a footer: the kind of checksums (a byte), the handles of the metaindex and of
// the index, each an offset and a size as varints, zeros, the format's version and a magic number.
constexpr size_t kFooterBytes = 53;
constexpr size_t kHandlesBytes = 40;
constexpr size_t kChecksumKindBytes = 1;
// Each bit takes about 0.1 ms: two minutes.
constexpr uint64_t kBytesTriedMax = 128 << 10;

std::optional<uint64_t> TakeVarint(std::string_view* bytes) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

// Where the index begins, behind which are all that is needed to open the file.
std::optional<uint64_t> FindIndex(std::string_view file) {
  if (file.size() < kFooterBytes) return std::nullopt;
  std::string_view handles =
      file.substr(file.size() - kFooterBytes + kChecksumKindBytes, kHandlesBytes);
  std::optional<uint64_t> offset;
  for (int number = 0; number < 3; ++number) {
    offset = TakeVarint(&handles);
    if (!offset) return std::nullopt;
  }
  return *offset < file.size() - kFooterBytes ? offset : std::nullopt;
}

bool WriteByte(const std::string& file, uint64_t at, char byte) {
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(at));
  out.put(byte);
  out.flush();
  return out.good();
}

bool IsSound(const std::string& file, TableFileDepth depth) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  bool is_open = false;
  return CheckTableFile(rocksdb::Env::Default(), file, depth, &reader, &is_open).ok();
}

// Flips each bit of the bytes [begin, end) until the file can be opened.
absl::StatusOr<bool> FlipBits(const std::string& file, std::string_view bytes, uint64_t begin,
                              uint64_t end) {
  for (uint64_t at = begin; at < end; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      const char flipped = static_cast<char>(bytes[at] ^ (1 << bit));
      if (!WriteByte(file, at, flipped)) return WriteFailure(file, errno);
      if (IsSound(file, TableFileDepth::kEnds)) return IsSound(file, TableFileDepth::kBlocks);
    }
    if (!WriteByte(file, at, bytes[at])) return WriteFailure(file, errno);
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> CopyWithoutFlippedBit(const std::string& from, const std::string& to) {
  const std::string bytes = ReadFileText(from).text;
  const std::optional<uint64_t> index = FindIndex(bytes);
  if (!index) return false;
  const uint64_t end = bytes.size() - kFooterBytes;
  if (end - *index > kBytesTriedMax) return false;
  std::error_code error;
  DYNOLITH_RETURN_IF_ERROR(CopyFile(from, to));
  absl::StatusOr<bool> is_whole = FlipBits(to, bytes, *index, end);
  if (!is_whole.ok() || !*is_whole) fs::remove(to, error);
  return is_whole;
}

}  // namespace dynolith
