#include "engine/store/encryption/ciphers.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>

#include "engine/base/strings.h"
#include "engine/store/encryption/messages.h"

namespace dynolith {
namespace {

constexpr size_t kNonceBytes = 12;
using NonceBytes = std::array<unsigned char, kNonceBytes>;

EVP_CIPHER_CTX* Of(const CipherContext& context) {
  return static_cast<EVP_CIPHER_CTX*>(context.get());
}
const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* Bytes(char* out) { return reinterpret_cast<unsigned char*>(out); }

// Looked up once: each look-up takes as long as the encryption of a page.
const EVP_CIPHER* ContentCipher() {
  static const EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr);
  return cipher;
}
const EVP_CIPHER* SingleBlockCipher() {
  static const EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-256-ECB", nullptr);
  return cipher;
}

NonceBytes ToBytes(Nonce nonce) {
  NonceBytes bytes;
  for (size_t i = 0; i < sizeof nonce.number; ++i) {
    bytes[i] = static_cast<unsigned char>(nonce.number >> (8 * i));
  }
  for (size_t i = 0; i < sizeof nonce.kind; ++i) {
    bytes[sizeof nonce.number + i] = static_cast<unsigned char>(nonce.kind >> (8 * i));
  }
  return bytes;
}

enum class Direction : int { kDecrypt = 0, kEncrypt = 1 };

// nullptr without memory.
CipherContext NewContext(const EVP_CIPHER* cipher, const SecretKey& key, Direction direction) {
  CipherContext context(EVP_CIPHER_CTX_new());
  if (context == nullptr || cipher == nullptr) return nullptr;
  if (EVP_CipherInit_ex2(Of(context), cipher, Bytes(key.bytes()), nullptr,
                         static_cast<int>(direction), nullptr) != 1) {
    return nullptr;
  }
  EVP_CIPHER_CTX_set_padding(Of(context), 0);
  return context;
}

bool EncryptWith(EVP_CIPHER_CTX* context, const NonceBytes& nonce, std::string_view bound,
                 std::string_view text, char* out) {
  int written = 0;
  if (EVP_EncryptInit_ex2(context, nullptr, nullptr, nonce.data(), nullptr) != 1) return false;
  if (!bound.empty() && EVP_EncryptUpdate(context, nullptr, &written, Bytes(bound),
                                          static_cast<int>(bound.size())) != 1) {
    return false;
  }
  if (!text.empty() && EVP_EncryptUpdate(context, Bytes(out), &written, Bytes(text),
                                         static_cast<int>(text.size())) != 1) {
    return false;
  }
  char* const tag = out + text.size();
  return EVP_EncryptFinal_ex(context, Bytes(tag), &written) == 1 &&
         EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, kTagBytes, tag) == 1;
}

// Requires: at least kTagBytes.
bool DecryptWith(EVP_CIPHER_CTX* context, const NonceBytes& nonce, std::string_view bound,
                 std::string_view sealed, char* out) {
  const std::string_view text = sealed.substr(0, sealed.size() - kTagBytes);
  std::array<char, kTagBytes> tag;
  std::copy_n(sealed.end() - kTagBytes, kTagBytes, tag.begin());
  int written = 0;
  if (EVP_DecryptInit_ex2(context, nullptr, nullptr, nonce.data(), nullptr) != 1) return false;
  if (!bound.empty() && EVP_DecryptUpdate(context, nullptr, &written, Bytes(bound),
                                          static_cast<int>(bound.size())) != 1) {
    return false;
  }
  if (!text.empty() && EVP_DecryptUpdate(context, Bytes(out), &written, Bytes(text),
                                         static_cast<int>(text.size())) != 1) {
    return false;
  }
  unsigned char nothing = 0;
  return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data()) == 1 &&
         EVP_DecryptFinal_ex(context, &nothing, &written) == 1;
}

}  // namespace

void FreeCipherContext::operator()(void* context) const {
  EVP_CIPHER_CTX_free(static_cast<EVP_CIPHER_CTX*>(context));
}

void WipeText(std::string* text) { OPENSSL_cleanse(text->data(), text->size()); }

absl::StatusOr<std::string> RandomBytes(size_t bytes) {
  // Not OpenSSL's RAND_bytes, which keeps a generator for each thread: a thread that outlives
  // OpenSSL's end, as those of RocksDB may when the process ends, would leave it.
  std::string drawn(bytes, '\0');
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = getrandom(drawn.data() + done, bytes - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return absl::InternalError(messages::NoRandomBytes());
    done += static_cast<size_t>(got);
  }
  return drawn;
}

std::string Authenticate(const SecretKey& key, std::string_view text) {
  // HMAC (RFC 2104) of a digest that is looked up once. OpenSSL's own looks it up each time, and
  // keeps something for each thread that does, as RAND_bytes does.
  static const EVP_MD* const digest = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  constexpr size_t kBlockBytes = 64;
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                   &EVP_MD_CTX_free);
  if (digest == nullptr || context == nullptr) throw std::bad_alloc();
  std::string block(kBlockBytes, '\0');
  const auto hash = [&](unsigned char mask, std::string_view message) {
    for (size_t i = 0; i < kBlockBytes; ++i) {
      const char of_key = i < SecretKey::kBytes ? key.bytes()[i] : '\0';
      block[i] = static_cast<char>(of_key ^ static_cast<char>(mask));
    }
    std::string hashed(SHA256_DIGEST_LENGTH, '\0');
    const bool is_done = EVP_DigestInit_ex(context.get(), digest, nullptr) == 1 &&
                         EVP_DigestUpdate(context.get(), block.data(), block.size()) == 1 &&
                         EVP_DigestUpdate(context.get(), message.data(), message.size()) == 1 &&
                         EVP_DigestFinal_ex(context.get(), Bytes(hashed.data()), nullptr) == 1;
    if (!is_done) throw std::bad_alloc();
    return hashed;
  };
  std::string tag = hash(0x5c, hash(0x36, text));
  OPENSSL_cleanse(block.data(), block.size());
  return tag;
}

bool AreSame(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

SecretKey DeriveKey(const SecretKey& key, std::string_view purpose) {
  std::string derived = Authenticate(key, purpose);
  SecretKey result(derived);
  OPENSSL_cleanse(derived.data(), derived.size());
  return result;
}

Encryptor::Encryptor(const SecretKey& key)
    : context_(NewContext(ContentCipher(), key, Direction::kEncrypt)) {}

bool Encryptor::Encrypt(Nonce nonce, std::string_view text, char* out) {
  return context_ != nullptr && EncryptWith(Of(context_), ToBytes(nonce), {}, text, out);
}

Decryptor::~Decryptor() {
  for (std::atomic<void*>& idle : idle_) FreeCipherContext()(idle.load());
}

Decryptor::Outcome Decryptor::Decrypt(Nonce nonce, std::string_view sealed, char* out) const {
  if (sealed.size() < kTagBytes) return Outcome::kAltered;
  CipherContext context;
  for (std::atomic<void*>& idle : idle_) {
    context.reset(idle.exchange(nullptr, std::memory_order_acquire));
    if (context != nullptr) break;
  }
  if (context == nullptr) context = NewContext(ContentCipher(), key_, Direction::kDecrypt);
  if (context == nullptr) return Outcome::kNoMemory;
  const bool is_text = DecryptWith(Of(context), ToBytes(nonce), {}, sealed, out);
  for (std::atomic<void*>& idle : idle_) {
    context.reset(idle.exchange(context.release(), std::memory_order_acq_rel));
    if (context == nullptr) break;
  }
  return is_text ? Outcome::kText : Outcome::kAltered;
}

BlockCipher::BlockCipher(const SecretKey& key)
    : encryption_(NewContext(SingleBlockCipher(), key, Direction::kEncrypt)),
      decryption_(NewContext(SingleBlockCipher(), key, Direction::kDecrypt)) {}

bool BlockCipher::Encrypt(const Block& block, char* out) {
  int written = 0;
  return encryption_ != nullptr &&
         EVP_EncryptUpdate(Of(encryption_), Bytes(out), &written,
                           Bytes(std::string_view(block.data(), block.size())),
                           static_cast<int>(block.size())) == 1;
}

std::optional<BlockCipher::Block> BlockCipher::Decrypt(std::string_view block) {
  Block text = {};
  int written = 0;
  if (decryption_ == nullptr || block.size() != kCipherBlockBytes ||
      EVP_DecryptUpdate(Of(decryption_), Bytes(text.data()), &written, Bytes(block),
                        static_cast<int>(block.size())) != 1) {
    return std::nullopt;
  }
  return text;
}

absl::StatusOr<std::string> Seal(const SecretKey& key, std::string_view bound,
                                 std::string_view text) {
  absl::StatusOr<std::string> sealed = RandomBytes(kNonceBytes);
  if (!sealed.ok()) return sealed;
  NonceBytes nonce;
  std::copy(sealed->begin(), sealed->end(), nonce.begin());
  sealed->resize(kNonceBytes + text.size() + kTagBytes);
  const CipherContext context = NewContext(ContentCipher(), key, Direction::kEncrypt);
  if (context == nullptr ||
      !EncryptWith(Of(context), nonce, bound, text, sealed->data() + kNonceBytes)) {
    return absl::ResourceExhaustedError(messages::NoMemoryToEncrypt());
  }
  return sealed;
}

std::optional<std::string> Unseal(const SecretKey& key, std::string_view bound,
                                  std::string_view sealed) {
  if (sealed.size() < kNonceBytes + kTagBytes) return std::nullopt;
  NonceBytes nonce;
  std::copy_n(sealed.begin(), kNonceBytes, nonce.begin());
  std::string text(sealed.size() - kNonceBytes - kTagBytes, '\0');
  const CipherContext context = NewContext(ContentCipher(), key, Direction::kDecrypt);
  if (context == nullptr ||
      !DecryptWith(Of(context), nonce, bound, sealed.substr(kNonceBytes), text.data())) {
    return std::nullopt;
  }
  return text;
}

}  // namespace dynolith
