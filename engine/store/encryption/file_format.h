// The bytes of an encrypted file. The grammar is here; who writes and reads files by it is in
// encrypted_file_system.h and decrypted_file.h.
//
// clang-format off
//   file      = ""                           one that nothing was written to
//             | header chunk* last           kind 1: written once, read anywhere
//             | header (frame | header)*     kind 2: appended to and synced in between; read in order
//   header    = "DYNOENC" 1  kind  0 0 0  key  salt  tag
//               8 bytes      1     3      4    32    16     key: the number of the data key
//                                                   tag: of HMAC-SHA-256 by the data key, of the salt
//                                                   of the header before it in the file (zeros: there
//                                                   is none), of its own place in the file (8 bytes),
//                                                   and of the header itself up to the tag
//   chunk     = ciphertext tag               of 4,080 bytes; 4,096 with the tag
//   last      = ciphertext tag               of 0 to 4,080 bytes; its nonce says that it is the last
//                                            one, so that a file that was cut has none
//   frame     = sealed ciphertext tag        what one write appended, or 64 KiB of it
//   sealed    = one block of AES-256 of length (4 bytes), zeros (4), the frame's own place (8): a
//               length that anyone has changed does not become one that was torn
// clang-format on
//
// Numbers are little-endian. Each header has keys of its own, derived from the data key and the
// salt: for chunks and frames by AES-256-GCM, and for sealed lengths. A chunk's nonce is its number
// in the file, a frame's is its place. A file of kind 2 that is opened again to be appended to
// gets another header first, and so never repeats a nonce, even if a part of it was cut off.
#ifndef DYNOLITH_ENGINE_STORE_ENCRYPTION_FILE_FORMAT_H_
#define DYNOLITH_ENGINE_STORE_ENCRYPTION_FILE_FORMAT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/store/encryption/ciphers.h"
#include "engine/store/encryption/secret_key.h"
#include "engine/store/encryption/store_keys.h"

namespace dynolith {

// In each header. Append only.
enum class FileKind : uint8_t { kChunks = 1, kFrames = 2 };

inline constexpr size_t kFileHeaderBytes = 64;
inline constexpr size_t kFileSaltBytes = 32;
inline constexpr size_t kChunkBytes = 4080;
inline constexpr size_t kSealedChunkBytes = kChunkBytes + kTagBytes;
inline constexpr size_t kFrameHeadBytes = kCipherBlockBytes;
inline constexpr size_t kFrameOverheadBytes = kFrameHeadBytes + kTagBytes;
// Of text. A reader decrypts frames whole, so a long write is several of them.
inline constexpr size_t kFrameBytesMax = 64 << 10;

struct FileHeader {
  FileKind kind = FileKind::kChunks;
  uint32_t key = 0;
  std::string salt;
};

// The keys of what follows a header.
struct FileSecrets {
  SecretKey contents;
  SecretKey lengths;
};
FileSecrets DeriveFileSecrets(const SecretKey& data_key, const FileHeader& header);

// Whether the bytes begin as a header does.
bool LooksLikeHeader(std::string_view bytes);

// A header with a new salt and the newest key, for the place `at`, behind a header with the salt
// `before` (empty: none). Sets `header`.
absl::StatusOr<std::string> MakeHeader(const StoreKeys& keys, FileKind kind, uint64_t at,
                                       std::string_view before, FileHeader* header);
// `file` is for messages. Requires: kFileHeaderBytes bytes. Errors: kDataLoss.
absl::StatusOr<FileHeader> ParseHeader(const std::string& file, std::string_view bytes,
                                       const StoreKeys& keys, uint64_t at, std::string_view before);

// HMAC-SHA-256 of what a file that stays readable says, by that data key: 32 bytes; empty without
// such a key.
std::string TagOfFacts(const StoreKeys& keys, uint32_t key, std::string_view text);

// The head of a frame.
bool SealLength(BlockCipher* cipher, uint64_t at, uint32_t length, char* out);
// nullopt: altered.
std::optional<uint32_t> UnsealLength(BlockCipher* cipher, uint64_t at, std::string_view head);

// Appends the frames of a text that follow `at` bytes of the file. False without memory.
bool AppendFrames(Encryptor* encryptor, BlockCipher* lengths, uint64_t at, std::string_view text,
                  std::string* out);

inline Nonce NonceOfFrame(uint64_t at) { return {.number = at, .kind = 2}; }
inline Nonce NonceOfChunk(uint64_t number, bool is_last) {
  return {.number = number, .kind = is_last ? 1U : 0U};
}

// Where the chunks of a file of so many bytes are.
class ChunkMap {
 public:
  explicit ChunkMap(uint64_t file_bytes);
  // False: no file of that length was ever finished.
  bool is_whole() const { return is_whole_; }
  // Of what was written to it. Requires: is_whole.
  uint64_t text_bytes() const { return text_bytes_; }

  // The whole chunks that hold [at, at + bytes), as a part of the file. Requires: bytes > 0, and
  // the range is within the text.
  struct Span {
    uint64_t at = 0;
    size_t bytes = 0;
  };
  Span SpanOf(uint64_t at, size_t bytes) const;
  // The last chunk, which a file that was cut or has grown does not have.
  Span LastSpan() const;
  bool IsLast(const Decryptor& decryptor, std::string_view span) const;

  // Decrypts [at, at + bytes) of the text from the bytes of SpanOf. Sets `bad_at` to the place in
  // the file of a chunk that was altered.
  Decryptor::Outcome Decrypt(const Decryptor& decryptor, uint64_t at, size_t bytes,
                             std::string_view span, char* out, uint64_t* bad_at) const;

 private:
  uint64_t file_bytes_ = 0;
  uint64_t chunks_ = 0;
  uint64_t text_bytes_ = 0;
  bool is_whole_ = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ENCRYPTION_FILE_FORMAT_H_
