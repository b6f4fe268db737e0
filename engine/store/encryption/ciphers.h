// The ciphers of encrypted stores, by OpenSSL: AES-256-GCM for contents, HMAC-SHA-256 for headers
// and to derive keys, one block of AES-256 for the lengths of frames. All failures of OpenSSL are
// of memory.
#ifndef DYNOLITH_ENGINE_STORE_ENCRYPTION_CIPHERS_H_
#define DYNOLITH_ENGINE_STORE_ENCRYPTION_CIPHERS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/store/encryption/secret_key.h"

namespace dynolith {

inline constexpr size_t kTagBytes = 16;
inline constexpr size_t kCipherBlockBytes = 16;

// Leaves nothing of a secret text in its memory.
void WipeText(std::string* text);

// From the operating system's generator. Errors: kInternal if it gives none.
absl::StatusOr<std::string> RandomBytes(size_t bytes);

// HMAC-SHA-256: 32 bytes.
std::string Authenticate(const SecretKey& key, std::string_view text);
// Whether both are the same, in a time that does not tell where they differ.
bool AreSame(std::string_view a, std::string_view b);
// A key for one purpose.
SecretKey DeriveKey(const SecretKey& key, std::string_view purpose);

struct FreeCipherContext {
  void operator()(void* context) const;
};
using CipherContext = std::unique_ptr<void, FreeCipherContext>;  // OpenSSL's

// Which of the texts under one key it is: two texts under one key never have the same.
struct Nonce {
  uint64_t number = 0;
  uint32_t kind = 0;
};

// Encrypts many texts under one key. Not thread-safe.
class Encryptor {
 public:
  explicit Encryptor(const SecretKey& key);
  // Writes the ciphertext and its tag, so kTagBytes more than `text` has. False without memory.
  bool Encrypt(Nonce nonce, std::string_view text, char* out);

 private:
  CipherContext context_;
};

// Decrypts many texts under one key. Thread-safe: each thread that reads at the same time has a
// context with the expanded key, of which only the nonce is renewed.
class Decryptor {
 public:
  explicit Decryptor(const SecretKey& key) : key_(key) {}
  Decryptor(const Decryptor&) = delete;
  Decryptor& operator=(const Decryptor&) = delete;
  ~Decryptor();
  enum class Outcome : uint8_t { kText, kAltered, kNoMemory };
  // `sealed`: as Encrypt wrote it. Writes kTagBytes less; of an altered text, anything.
  Outcome Decrypt(Nonce nonce, std::string_view sealed, char* out) const;

 private:
  const SecretKey key_;
  mutable std::array<std::atomic<void*>, 4> idle_ = {};
};

// AES-256 of single blocks, which nobody can make without the key. Not thread-safe.
class BlockCipher {
 public:
  explicit BlockCipher(const SecretKey& key);
  using Block = std::array<char, kCipherBlockBytes>;
  // False without memory.
  bool Encrypt(const Block& block, char* out);
  std::optional<Block> Decrypt(std::string_view block);

 private:
  CipherContext encryption_;
  CipherContext decryption_;
};

// A short text under a key that may encrypt any number of them: the nonce is drawn and stands in
// front. `bound`: what it belongs to.
absl::StatusOr<std::string> Seal(const SecretKey& key, std::string_view bound,
                                 std::string_view text);
// nullopt: altered, or sealed otherwise.
std::optional<std::string> Unseal(const SecretKey& key, std::string_view bound,
                                  std::string_view sealed);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ENCRYPTION_CIPHERS_H_
