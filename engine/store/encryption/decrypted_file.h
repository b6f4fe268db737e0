// An encrypted file as what was written to it, wherever its bytes come from.
#ifndef DYNOLITH_ENGINE_STORE_ENCRYPTION_DECRYPTED_FILE_H_
#define DYNOLITH_ENGINE_STORE_ENCRYPTION_DECRYPTED_FILE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/store/encryption/ciphers.h"
#include "engine/store/encryption/file_format.h"
#include "engine/store/encryption/store_keys.h"

namespace dynolith {

// Reads so many bytes of the file from a place on; fewer only where it ends.
using ReadRaw = std::function<absl::Status(uint64_t at, size_t bytes, std::string* out)>;

// How a file of kind 2 ends.
enum class FileEnd : uint8_t {
  kWhole,
  kTorn,     // in a write that did not come to its end, or in zeros
  kAltered,  // as the store never left it
};

// Immutable but for Extend; thread-safe if its ReadRaw is.
class DecryptedFile {
 public:
  // Looks through a file of kind 2 once. A file of kind 1 that was cut is an error; of one of kind
  // 2, what stands before the place is the text, and end() says why no more of it is.
  //
  // Errors: kDataLoss, naming the file; those of `read`.
  static absl::StatusOr<std::unique_ptr<DecryptedFile>> Open(std::string name, uint64_t file_bytes,
                                                             const StoreKeys& keys, ReadRaw read);
  // The same for a file of this machine. Errors: the operating system's, too.
  static absl::StatusOr<std::unique_ptr<DecryptedFile>> Open(const std::string& file,
                                                             const StoreKeys& keys);

  // Looks at what another process has added since to a file of kind 2. Nobody reads meanwhile.
  // Errors: those of ReadRaw.
  absl::Status Extend(const StoreKeys& keys);

  // Of the text.
  uint64_t bytes() const { return text_bytes_; }
  FileEnd end() const { return end_; }
  // In the file: where the last whole write ends.
  uint64_t end_at() const { return end_at_; }
  FileKind kind() const { return kind_; }
  // The data keys that it is encrypted with.
  const std::vector<uint32_t>& key_numbers() const { return key_numbers_; }
  // Where a file of kind 2 may be cut, or go on: in the file, and the salt of the header before it.
  struct Place {
    uint64_t at = 0;
    std::string salt;  // empty: there is no header
  };
  // Behind the write that ends at this byte of the text; nullopt: none does.
  std::optional<Place> PlaceBehind(uint64_t text_bytes) const;

  // So many bytes of the text from `at` on; fewer where it ends, and in a file of kind 2 before
  // what was altered. Errors: kDataLoss, naming the file and the place of what was altered at `at`;
  // those of ReadRaw.
  absl::StatusOr<size_t> Read(uint64_t at, size_t bytes, char* out) const;
  absl::StatusOr<std::string> ReadAll() const;

 private:
  struct Frame {
    uint64_t text_at;
    uint64_t at;  // of its ciphertext
    uint32_t bytes;
    uint32_t part;
  };

  DecryptedFile(std::string name, uint64_t file_bytes, ReadRaw read)
      : name_(std::move(name)), read_(std::move(read)), map_(file_bytes) {}
  // From end_at_ on.
  absl::Status FindFrames(uint64_t file_bytes, const StoreKeys& keys);
  absl::StatusOr<size_t> ReadFrames(uint64_t at, size_t bytes, char* out) const;

  const std::string name_;
  const ReadRaw read_;
  const ChunkMap map_;
  FileKind kind_ = FileKind::kFrames;
  // One for each header.
  std::vector<std::unique_ptr<Decryptor>> parts_;
  std::vector<std::string> salts_;
  std::optional<BlockCipher> lengths_;  // of the last header; nullopt: there is none
  std::vector<Frame> frames_;
  std::vector<uint32_t> key_numbers_;
  uint64_t text_bytes_ = 0;
  FileEnd end_ = FileEnd::kWhole;
  uint64_t end_at_ = 0;
};

// The first bytes of a file of this machine, as many as a header has; empty if it cannot be read.
std::string FrontOfFile(const std::string& file);
// The whole text of a small file of this machine, which `bytes` holds.
absl::StatusOr<std::string> DecryptText(const std::string& file, std::string_view bytes,
                                        const StoreKeys& keys);
// The bytes of a file of kind 1 with this text.
absl::StatusOr<std::string> EncryptText(std::string_view text, const StoreKeys& keys);
// The bytes of a file of kind 2 with this text; none for an empty one.
absl::StatusOr<std::string> EncryptFrames(std::string_view text, const StoreKeys& keys);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ENCRYPTION_DECRYPTED_FILE_H_
