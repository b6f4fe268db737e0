#include "tools/files/items/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "api/transfer/files/bucket.h"
#include "api/transfer/files/decoded_file.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/text/json_tree.h"
#include "tools/files/items/messages.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

// The JSON of an item of 400 KB may be several times longer.
constexpr size_t kFirstLineBytesMax = 8 << 20;

InputCompressionType CompressionFromName(std::string_view file) {
  if (file.ends_with(".gz")) return InputCompressionType::kGzip;
  if (file.ends_with(".zst")) return InputCompressionType::kZstd;
  return InputCompressionType::kNone;
}

// Stops the reading without an error.
absl::Status Enough() { return absl::CancelledError(); }

}  // namespace

absl::Status ReadPieces(const std::string& file,
                        absl::FunctionRef<absl::Status(std::string_view)> take,
                        uint64_t* bytes_read) {
  const ObjectFile opened(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.descriptor() < 0) {
    return absl::InvalidArgumentError(messages::DesignCannotRead(ErrnoReason(errno)));
  }
  absl::Status taken;
  absl::Status read =
      ReadDecoded(opened.descriptor(), CompressionFromName(file), [&](std::string_view bytes) {
        const off_t at = bytes_read == nullptr ? -1 : lseek(opened.descriptor(), 0, SEEK_CUR);
        if (at > 0) *bytes_read = static_cast<uint64_t>(at);
        taken = take(bytes);
        return taken;
      });
  if (read.ok() || !taken.ok()) return read;
  return absl::InvalidArgumentError(messages::DesignCannotRead(MessageOf(read)));
}

absl::StatusOr<std::string> ReadWhole(const std::string& file, size_t bytes_max) {
  std::string text;
  DYNOLITH_RETURN_IF_ERROR(ReadPieces(file, [&](std::string_view bytes) {
    text += bytes;
    return text.size() <= bytes_max
               ? absl::OkStatus()
               : absl::InvalidArgumentError(messages::DesignTooLarge(bytes_max));
  }));
  return text;
}

absl::StatusOr<std::string> ReadBeginning(const std::string& file, size_t bytes) {
  std::string text;
  const absl::Status read = ReadPieces(file, [&](std::string_view piece) {
    text += piece.substr(0, bytes - text.size());
    return text.size() < bytes ? absl::OkStatus() : Enough();
  });
  if (!read.ok() && !absl::IsCancelled(read)) return read;
  return text;
}

absl::StatusOr<bool> HoldsJsonLines(const std::string& file) {
  std::string text;
  bool is_more = false;
  const absl::Status read = ReadPieces(file, [&](std::string_view bytes) {
    text += bytes;
    if (text.size() > kFirstLineBytesMax) return Enough();
    const size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string::npos) return absl::OkStatus();
    if (text[begin] != '{') return Enough();
    const size_t end = text.find('\n', begin);
    is_more = end != std::string::npos && text.find_first_not_of(kBlank, end) != std::string::npos;
    return is_more ? Enough() : absl::OkStatus();
  });
  if (!read.ok() && !absl::IsCancelled(read)) return read;
  if (!is_more) return false;
  const size_t begin = text.find_first_not_of(kBlank);
  const std::optional<JsonTree> line = ParseJson(
      std::string_view(text).substr(begin, text.find('\n', begin) - begin), kJsonDepthMax);
  return line && line->kind == JsonTree::Kind::kMap;
}

}  // namespace dynolith::designs
