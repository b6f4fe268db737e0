#include "engine/store/encryption/file_format.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/messages.h"

namespace dynolith {
namespace {

constexpr std::string_view kHeaderMagic("DYNOENC\1", 8);
constexpr size_t kKindAt = 8;
constexpr size_t kKeyAt = 12;
constexpr size_t kSaltAt = 16;
constexpr size_t kTagAt = kSaltAt + kFileSaltBytes;
static_assert(kTagAt + kTagBytes == kFileHeaderBytes);
// Purposes of keys.
constexpr std::string_view kOfFile = "dynolith file ";
constexpr std::string_view kOfFacts = "dynolith facts";
constexpr std::string_view kOfHeaders = "dynolith headers";
constexpr std::string_view kOfContents = "dynolith contents";
constexpr std::string_view kOfLengths = "dynolith lengths";

template <typename Integer>
void Append(Integer number, std::string* out) {
  for (size_t i = 0; i < sizeof number; ++i) out->push_back(static_cast<char>(number >> (8 * i)));
}
template <typename Integer>
Integer ReadInteger(std::string_view bytes) {
  Integer number = 0;
  for (size_t i = 0; i < sizeof number; ++i) {
    number |= static_cast<Integer>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return number;
}

// `header`: up to its tag.
std::string HeaderTag(const SecretKey& data_key, std::string_view before, uint64_t at,
                      std::string_view header) {
  std::string text(before);
  text.resize(kFileSaltBytes, '\0');
  Append(at, &text);
  text += header;
  return Authenticate(DeriveKey(data_key, kOfHeaders), text).substr(0, kTagBytes);
}

}  // namespace

FileSecrets DeriveFileSecrets(const SecretKey& data_key, const FileHeader& header) {
  const SecretKey of_file = DeriveKey(data_key, Concat(kOfFile, header.salt));
  return {.contents = DeriveKey(of_file, kOfContents), .lengths = DeriveKey(of_file, kOfLengths)};
}

bool LooksLikeHeader(std::string_view bytes) { return bytes.starts_with(kHeaderMagic); }

absl::StatusOr<std::string> MakeHeader(const StoreKeys& keys, FileKind kind, uint64_t at,
                                       std::string_view before, FileHeader* header) {
  header->kind = kind;
  header->key = keys.newest();
  DYNOLITH_ASSIGN_OR_RETURN(header->salt, RandomBytes(kFileSaltBytes));
  std::string bytes(kHeaderMagic);
  bytes.push_back(static_cast<char>(kind));
  bytes.resize(kKeyAt, '\0');
  Append(header->key, &bytes);
  bytes += header->salt;
  return bytes + HeaderTag(*keys.Find(header->key), before, at, bytes);
}

absl::StatusOr<FileHeader> ParseHeader(const std::string& file, std::string_view bytes,
                                       const StoreKeys& keys, uint64_t at,
                                       std::string_view before) {
  if (!LooksLikeHeader(bytes)) return absl::DataLossError(messages::FileNotEncrypted(file));
  FileHeader header;
  header.key = ReadInteger<uint32_t>(bytes.substr(kKeyAt));
  const SecretKey* const key = keys.Find(header.key);
  if (key == nullptr) return absl::DataLossError(messages::FileKeyUnknown(file, header.key));
  if (!AreSame(bytes.substr(kTagAt, kTagBytes),
               HeaderTag(*key, before, at, bytes.substr(0, kTagAt)))) {
    return absl::DataLossError(messages::FileHeaderAltered(file));
  }
  header.kind = static_cast<FileKind>(bytes[kKindAt]);
  header.salt = bytes.substr(kSaltAt, kFileSaltBytes);
  return header;
}

std::string TagOfFacts(const StoreKeys& keys, uint32_t key, std::string_view text) {
  const SecretKey* const data_key = keys.Find(key);
  if (data_key == nullptr) return {};
  return Authenticate(DeriveKey(*data_key, kOfFacts), text);
}

bool SealLength(BlockCipher* cipher, uint64_t at, uint32_t length, char* out) {
  std::string text;
  Append(length, &text);
  Append(uint32_t{0}, &text);
  Append(at, &text);
  BlockCipher::Block block;
  std::copy(text.begin(), text.end(), block.begin());
  return cipher->Encrypt(block, out);
}

std::optional<uint32_t> UnsealLength(BlockCipher* cipher, uint64_t at, std::string_view head) {
  const std::optional<BlockCipher::Block> block = cipher->Decrypt(head);
  if (!block) return std::nullopt;
  const std::string_view text(block->data(), block->size());
  const bool is_ours =
      ReadInteger<uint32_t>(text.substr(4)) == 0 && ReadInteger<uint64_t>(text.substr(8)) == at;
  if (!is_ours) return std::nullopt;
  return ReadInteger<uint32_t>(text);
}

bool AppendFrames(Encryptor* encryptor, BlockCipher* lengths, uint64_t at, std::string_view text,
                  std::string* out) {
  const size_t begin = out->size();
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, kFrameBytesMax);
    text.remove_prefix(piece.size());
    const size_t in_out = out->size();
    const uint64_t place = at + (in_out - begin);
    out->resize(in_out + kFrameOverheadBytes + piece.size());
    char* const frame = out->data() + in_out;
    if (!SealLength(lengths, place, static_cast<uint32_t>(piece.size()), frame) ||
        !encryptor->Encrypt(NonceOfFrame(place), piece, frame + kFrameHeadBytes)) {
      return false;
    }
  }
  return true;
}

ChunkMap::ChunkMap(uint64_t file_bytes) : file_bytes_(file_bytes) {
  if (file_bytes < kFileHeaderBytes + kTagBytes) return;
  const uint64_t sealed = file_bytes - kFileHeaderBytes;
  chunks_ = (sealed + kSealedChunkBytes - 1) / kSealedChunkBytes;
  is_whole_ = sealed - (chunks_ - 1) * kSealedChunkBytes >= kTagBytes;
  if (is_whole_) text_bytes_ = sealed - chunks_ * kTagBytes;
}

ChunkMap::Span ChunkMap::SpanOf(uint64_t at, size_t bytes) const {
  const uint64_t first = at / kChunkBytes;
  const uint64_t last = (at + bytes - 1) / kChunkBytes;
  const uint64_t begin = kFileHeaderBytes + first * kSealedChunkBytes;
  const uint64_t end =
      std::min<uint64_t>(kFileHeaderBytes + (last + 1) * kSealedChunkBytes, file_bytes_);
  return {.at = begin, .bytes = static_cast<size_t>(end - begin)};
}

ChunkMap::Span ChunkMap::LastSpan() const {
  const uint64_t at = kFileHeaderBytes + (chunks_ - 1) * kSealedChunkBytes;
  return {.at = at, .bytes = static_cast<size_t>(file_bytes_ - at)};
}

bool ChunkMap::IsLast(const Decryptor& decryptor, std::string_view span) const {
  std::array<char, kChunkBytes> text;
  return span.size() <= kSealedChunkBytes &&
         decryptor.Decrypt(NonceOfChunk(chunks_ - 1, /*is_last=*/true), span, text.data()) ==
             Decryptor::Outcome::kText;
}

Decryptor::Outcome ChunkMap::Decrypt(const Decryptor& decryptor, uint64_t at, size_t bytes,
                                     std::string_view span, char* out, uint64_t* bad_at) const {
  const uint64_t end = at + bytes;
  for (uint64_t number = at / kChunkBytes; !span.empty(); ++number) {
    const std::string_view sealed = span.substr(0, kSealedChunkBytes);
    span.remove_prefix(sealed.size());
    const uint64_t begin = number * kChunkBytes;
    const uint64_t text_bytes = sealed.size() - std::min(sealed.size(), kTagBytes);
    const Nonce nonce = NonceOfChunk(number, number + 1 == chunks_);
    const bool is_wanted_whole = begin >= at && begin + text_bytes <= end;
    std::array<char, kChunkBytes> edge;
    char* const to = is_wanted_whole ? out + (begin - at) : edge.data();
    const Decryptor::Outcome outcome = decryptor.Decrypt(nonce, sealed, to);
    if (outcome != Decryptor::Outcome::kText) {
      *bad_at = kFileHeaderBytes + number * kSealedChunkBytes;
      return outcome;
    }
    if (is_wanted_whole) continue;
    const uint64_t from = std::max(begin, at);
    const uint64_t until = std::min(begin + text_bytes, end);
    std::copy_n(edge.data() + (from - begin), until - from, out + (from - at));
  }
  return Decryptor::Outcome::kText;
}

}  // namespace dynolith
