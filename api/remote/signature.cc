#include "api/remote/signature.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <cstring>
#include <utility>

#include "engine/base/strings.h"

namespace dynolith::http {

// HMAC-SHA256 with one key at a time.
class HmacContext {
 public:
  HmacContext() : hmac_(EVP_MAC_fetch(nullptr, "HMAC", nullptr)), context_(EVP_MAC_CTX_new(hmac_)) {
    char name[] = "SHA256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
        OSSL_PARAM_construct_end()};
    EVP_MAC_CTX_set_params(context_, parameters);
  }
  HmacContext(const HmacContext&) = delete;
  HmacContext& operator=(const HmacContext&) = delete;
  ~HmacContext() {
    EVP_MAC_CTX_free(context_);
    EVP_MAC_free(hmac_);
  }

  void TakeKey(std::string_view key) {
    // An empty key must not look like "the key as before".
    const auto* const bytes = reinterpret_cast<const unsigned char*>(key.empty() ? "" : key.data());
    EVP_MAC_init(context_, bytes, key.size(), nullptr);
    is_fresh_ = true;
  }
  // Requires: it has a key.
  Digest Take(std::string_view bytes) {
    if (!std::exchange(is_fresh_, false)) EVP_MAC_init(context_, nullptr, 0, nullptr);
    Digest digest{};
    size_t size = 0;
    EVP_MAC_update(context_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    EVP_MAC_final(context_, digest.data(), &size, digest.size());
    return digest;
  }

 private:
  EVP_MAC* const hmac_;
  EVP_MAC_CTX* const context_;
  bool is_fresh_ = false;  // nothing has been taken since the key
};

namespace {

// What the numbers below 256 look like.
constexpr auto kHexPairs = [] {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::array<char, 2>, 256> pairs{};
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kDigits[i >> 4], kDigits[i & 15]};
  return pairs;
}();

// Fetching algorithms and making contexts costs several times the hashing itself, so each thread
// keeps them.
class ThreadCrypto {
 public:
  ThreadCrypto() : sha256_(EVP_MD_fetch(nullptr, "SHA256", nullptr)), hash_(EVP_MD_CTX_new()) {}
  ThreadCrypto(const ThreadCrypto&) = delete;
  ThreadCrypto& operator=(const ThreadCrypto&) = delete;
  ~ThreadCrypto() {
    EVP_MD_CTX_free(hash_);
    EVP_MD_free(sha256_);
  }

  Digest Hash(std::string_view bytes) {
    Digest digest{};
    EVP_DigestInit_ex2(hash_, sha256_, nullptr);
    EVP_DigestUpdate(hash_, bytes.data(), bytes.size());
    EVP_DigestFinal_ex(hash_, digest.data(), nullptr);
    return digest;
  }

  // A key that comes again, as that of a day does, is taken once: half of the hashing is its part.
  Digest Mac(std::string_view key, std::string_view bytes) {
    if (!has_key_ || key != key_) {
      key_ = key;
      has_key_ = true;
      mac_.TakeKey(key);
    }
    return mac_.Take(bytes);
  }

  static ThreadCrypto& Get() {
    thread_local ThreadCrypto crypto;
    return crypto;
  }

 private:
  EVP_MD* const sha256_;
  EVP_MD_CTX* const hash_;
  HmacContext mac_;
  bool has_key_ = false;
  std::string key_;  // of mac_
};

std::string_view DigestBytes(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

Digest Sha256(std::string_view bytes) { return ThreadCrypto::Get().Hash(bytes); }

Digest HmacSha256(std::string_view key, std::string_view bytes) {
  return ThreadCrypto::Get().Mac(key, bytes);
}

std::string Hex(const Digest& digest) {
  std::array<char, 2 * sizeof(Digest)> hex;
  for (size_t i = 0; i < digest.size(); ++i) {
    std::memcpy(&hex[2 * i], kHexPairs[digest[i]].data(), 2);
  }
  return {hex.data(), hex.size()};
}

bool SecretsEqual(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

std::string StringToSign(std::string_view date, std::string_view scope,
                         std::string_view canonical_request) {
  return Concat("AWS4-HMAC-SHA256\n", date, "\n", scope, "\n", Hex(Sha256(canonical_request)));
}

Digest SigningKey(std::string_view secret, std::string_view day, std::string_view region,
                  std::string_view service) {
  Digest key = HmacSha256(Concat("AWS4", secret), day);
  for (const std::string_view part : {region, service, std::string_view("aws4_request")}) {
    key = HmacSha256(DigestBytes(key), part);
  }
  return key;
}

std::string Sign(const Digest& signing_key, std::string_view string_to_sign) {
  return Hex(HmacSha256(DigestBytes(signing_key), string_to_sign));
}

Signer::Signer(const Digest& signing_key) : mac_(std::make_unique<HmacContext>()) {
  mac_->TakeKey(DigestBytes(signing_key));
}
Signer::Signer(Signer&&) noexcept = default;
Signer& Signer::operator=(Signer&&) noexcept = default;
Signer::~Signer() = default;

std::string Signer::Sign(std::string_view string_to_sign) {
  return Hex(mac_->Take(string_to_sign));
}

}  // namespace dynolith::http
