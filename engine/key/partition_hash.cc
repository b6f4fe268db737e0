// MD5 of a prefix and the key. Nearly every key fits into one block of MD5 together with the prefix
// and the padding; then only the block function runs. OpenSSL's EVP interface, which serves every
// algorithm, took twice as long. Only the older interface, which OpenSSL discourages, has that
// function. It hashes one message at a time; the vector code below hashes four at once, each in
// less than half of the time, and in a library without OpenSSL one.
#ifndef DYNOLITH_WITHOUT_FOLDERS
#include <openssl/md5.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "engine/key/key_codec.h"

namespace dynolith {
namespace {

constexpr std::string_view kHashPrefix = "Outliers";
constexpr size_t kBlockBytes = 64;
// A block ends with the length, after at least one byte of padding.
constexpr size_t kOneBlockMax = kBlockBytes - sizeof(uint64_t) - 1;
using Block = unsigned char[kBlockBytes];

// Writes the prefix, the key and MD5's padding. Returns false if they do not fit into a block.
bool FillBlock(absl::Span<const std::string_view> payloads, Block& block) {
  size_t size = kHashPrefix.size();
  for (const std::string_view payload : payloads) size += payload.size();
  if (size > kOneBlockMax) return false;
  std::memset(block, 0, sizeof(block));
  unsigned char* end = block;
  const auto append = [&end](std::string_view bytes) {
    std::memcpy(end, bytes.data(), bytes.size());
    end += bytes.size();
  };
  append(kHashPrefix);
  for (const std::string_view payload : payloads) {
    if (!payload.empty()) append(payload);
  }
  *end = 0x80;
  const uint64_t bits = uint64_t{8} * size;
  std::memcpy(block + kBlockBytes - sizeof(bits), &bits, sizeof(bits));
  return true;
}

// --- MD5 (RFC 1321): of one message, or of several messages of one block, each in a lane of a
// vector

using Lanes = uint32_t __attribute__((vector_size(kKeysAtOnce * sizeof(uint32_t))));

constexpr uint32_t kBeginning[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
// floor(2^32 * abs(sin(i + 1))).
constexpr uint32_t kSines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

// One step of one of the four rounds. The rounds differ in the mixing function, the order of the
// words, and the rotations.
template <int kStep, typename Word>
void Step(const Word (&words)[16], Word* a, Word b, Word c, Word d) {
  constexpr int kRound = kStep / 16;
  constexpr int kFactors[] = {1, 5, 3, 7};
  constexpr int kOffsets[] = {0, 1, 5, 0};
  constexpr int kRotations[4][4] = {
      {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  constexpr int kWord = (kFactors[kRound] * kStep + kOffsets[kRound]) % 16;
  constexpr int kRotation = kRotations[kRound][kStep % 4];
  Word mixed{};
  if constexpr (kRound == 0) mixed = d ^ (b & (c ^ d));
  if constexpr (kRound == 1) mixed = c ^ (d & (b ^ c));
  if constexpr (kRound == 2) mixed = b ^ c ^ d;
  if constexpr (kRound == 3) mixed = c ^ (b | ~d);
  const Word sum = *a + mixed + words[kWord] + kSines[kStep];
  *a = b + ((sum << kRotation) | (sum >> (32 - kRotation)));
}

template <typename Word, size_t... kFours>
void Steps(const Word (&words)[16], Word* a, Word* b, Word* c, Word* d,
           std::index_sequence<kFours...>) {
  ((Step<4 * kFours>(words, a, *b, *c, *d), Step<4 * kFours + 1>(words, d, *a, *b, *c),
    Step<4 * kFours + 2>(words, c, *d, *a, *b), Step<4 * kFours + 3>(words, b, *c, *d, *a)),
   ...);
}

void TransformBlocks(const Block (&blocks)[kKeysAtOnce], PartitionHash (&hashes)[kKeysAtOnce]) {
  Lanes words[16];
  for (int lane = 0; lane < kKeysAtOnce; ++lane) {
    for (int i = 0; i < 16; ++i) {
      uint32_t word;
      std::memcpy(&word, blocks[lane] + sizeof(word) * i, sizeof(word));
      words[i][lane] = word;
    }
  }
  Lanes state[4];
  for (int i = 0; i < 4; ++i) state[i] = Lanes{} + kBeginning[i];
  Steps(words, &state[0], &state[1], &state[2], &state[3], std::make_index_sequence<16>());
  for (int i = 0; i < 4; ++i) state[i] += kBeginning[i];
  for (int lane = 0; lane < kKeysAtOnce; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const uint32_t word = state[i][lane];
      std::memcpy(hashes[lane].data() + sizeof(word) * i, &word, sizeof(word));
    }
  }
}

#ifndef DYNOLITH_WITHOUT_FOLDERS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
// One message, block by block.
class OneMessage {
 public:
  OneMessage() { MD5_Init(&context_); }
  void Add(const unsigned char* block) { MD5_Transform(&context_, block); }
  PartitionHash hash() const {
    const MD5_LONG words[] = {context_.A, context_.B, context_.C, context_.D};
    PartitionHash hash;
    static_assert(sizeof(words) == sizeof(hash));
    std::memcpy(hash.data(), words, sizeof(words));
    return hash;
  }

 private:
  MD5_CTX context_;
};
#pragma GCC diagnostic pop
#else
// One message, block by block.
class OneMessage {
 public:
  void Add(const unsigned char* block) {
    uint32_t words[16];
    std::memcpy(words, block, sizeof(words));
    uint32_t state[4];
    std::copy(std::begin(state_), std::end(state_), state);
    Steps(words, &state[0], &state[1], &state[2], &state[3], std::make_index_sequence<16>());
    for (int i = 0; i < 4; ++i) state_[i] += state[i];
  }
  PartitionHash hash() const {
    PartitionHash hash;
    static_assert(sizeof(state_) == sizeof(hash));
    std::memcpy(hash.data(), state_, sizeof(state_));
    return hash;
  }

 private:
  uint32_t state_[4] = {kBeginning[0], kBeginning[1], kBeginning[2], kBeginning[3]};
};
#endif

PartitionHash HashOfBlock(const Block& block) {
  OneMessage hashed;
  hashed.Add(block);
  return hashed.hash();
}

PartitionHash HashOfBlocks(absl::Span<const std::string_view> payloads) {
  std::string message(kHashPrefix);
  for (const std::string_view payload : payloads) message += payload;
  const uint64_t bits = uint64_t{8} * message.size();
  message.push_back(static_cast<char>(0x80));
  const size_t end = message.size() + sizeof(bits);
  message.resize((end + kBlockBytes - 1) / kBlockBytes * kBlockBytes);
  std::memcpy(message.data() + message.size() - sizeof(bits), &bits, sizeof(bits));
  OneMessage hashed;
  for (size_t at = 0; at < message.size(); at += kBlockBytes) {
    hashed.Add(reinterpret_cast<const unsigned char*>(message.data()) + at);
  }
  return hashed.hash();
}

// --- Hashes that a thread has computed lately: a block takes 85 ns, a look here a tenth of that
// (one slot for a key, on one cache line). The keys of a load often come again and again.

constexpr size_t kKnownHashes = 512;

// The part of a block in which keys differ: the key, 0x80 and zeros.
using KeyWords = std::array<uint64_t, (kOneBlockMax + 1 - kHashPrefix.size()) / sizeof(uint64_t)>;
struct alignas(kBlockBytes) KnownHash {
  KeyWords key;
  PartitionHash hash;
};
static_assert(sizeof(KnownHash) == kBlockBytes);
// Not a part of the thread: the C library takes that from the thread's stack, which may be small.
using KnownHashes = std::array<KnownHash, kKnownHashes>;
struct FreeHashes {
  void operator()(KnownHashes* /*hashes*/) const { std::free(memory); }
  void* memory = nullptr;
};

// nullptr if there is no memory. Aligned here: not every system's C library frees what it aligned
// as it frees anything else.
std::unique_ptr<KnownHashes, FreeHashes> MakeKnownHashes() {
  size_t bytes = sizeof(KnownHashes) + alignof(KnownHashes);
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) return nullptr;
  void* aligned = memory;
  std::align(alignof(KnownHashes), sizeof(KnownHashes), aligned, bytes);
  return {new (aligned) KnownHashes(), FreeHashes{memory}};
}

KeyWords KeyWordsOf(const Block& block) {
  KeyWords words;
  std::memcpy(words.data(), block + kHashPrefix.size(), sizeof(words));
  return words;
}

// Products with odd numbers, none of which waits for another one.
size_t SlotOf(const KeyWords& key) {
  constexpr std::array<uint64_t, std::tuple_size_v<KeyWords>> kFactors = {
      0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb,
      0xd6e8feb86659fd93, 0xa0761d6478bd642f, 0xe7037ed1a0b428db};
  uint64_t sum = 0;
  for (size_t i = 0; i < key.size(); ++i) sum += (key[i] ^ (key[i] >> 32)) * kFactors[i];
  static_assert(std::has_single_bit(kKnownHashes));
  return sum >> (64 - std::countr_zero(kKnownHashes));
}

}  // namespace

PartitionHash HashPartitionKey(absl::Span<const std::string_view> payloads) {
  Block block;
  if (!FillBlock(payloads, block)) return HashOfBlocks(payloads);
  thread_local std::unique_ptr<KnownHashes, FreeHashes> known_hashes;
  if (known_hashes == nullptr) known_hashes = MakeKnownHashes();
  if (known_hashes == nullptr) return HashOfBlock(block);
  const KeyWords key = KeyWordsOf(block);
  KnownHash& known = (*known_hashes)[SlotOf(key)];
  // No key has words of zeros only, as those of a slot that was never used: 0x80 ends it.
  if (known.key != key) known = {key, HashOfBlock(block)};
  return known.hash;
}

void HashPartitionKeys(const KeyPayloads (&keys)[kKeysAtOnce],
                       PartitionHash (&hashes)[kKeysAtOnce]) {
  Block blocks[kKeysAtOnce];
  bool fit = true;
  for (int lane = 0; lane < kKeysAtOnce; ++lane) fit = FillBlock(keys[lane], blocks[lane]) && fit;
  if (fit) return TransformBlocks(blocks, hashes);
  for (int lane = 0; lane < kKeysAtOnce; ++lane) hashes[lane] = HashPartitionKey(keys[lane]);
}

}  // namespace dynolith
