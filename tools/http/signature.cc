#include "tools/http/signature.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
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

  Digest Mac(std::string_view key, std::string_view bytes) {
    mac_.TakeKey(key);
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
};

std::string_view DigestBytes(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

// RFC 3986: everything but unreserved characters (and `kept`) as %XX.
std::string PercentEncode(std::string_view text, char kept = '-') {
  constexpr std::string_view kUpperHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsUnreserved(c) || c == kept) {
      encoded.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded.append({'%', kUpperHex[byte >> 4], kUpperHex[byte & 15]});
    }
  }
  return encoded;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string PercentDecode(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && HexValue(text[i + 1]) >= 0 &&
                        HexValue(text[i + 2]) >= 0;
    if (!escape) {
      decoded.push_back(text[i]);
      continue;
    }
    decoded.push_back(static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2])));
    i += 2;
  }
  return decoded;
}

std::string CanonicalQuery(std::string_view query) {
  auto parameters = ParseQuery(query);
  for (auto& [name, value] : parameters) {
    name = PercentEncode(name);
    value = PercentEncode(value);
  }
  std::sort(parameters.begin(), parameters.end());
  std::string text;
  for (const auto& [name, value] : parameters) {
    if (name == "X-Amz-Signature") continue;
    if (!text.empty()) text.push_back('&');
    text.append(name).append("=").append(value);
  }
  return text;
}

// Runs of spaces become one.
void AppendFolded(std::string_view value, std::string* out) {
  value = Trim(value);
  if (value.find("  ") == std::string_view::npos) {
    out->append(value);
    return;
  }
  bool after_space = false;
  for (const char c : value) {
    if (c != ' ' || !after_space) out->push_back(c);
    after_space = c == ' ';
  }
}

void AppendLowered(std::string_view text, std::string* out) {
  const size_t begin = out->size();
  out->append(text);
  for (size_t i = begin; i < out->size(); ++i) {
    char& c = (*out)[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
}

void AppendCanonicalHeader(const Request& request, std::string_view name, std::string* out) {
  AppendLowered(name, out);
  out->push_back(':');
  bool first = true;
  for (const Header& header : request.headers) {
    if (!EqualsIgnoreCase(header.name, name)) continue;
    if (!first) out->push_back(',');
    first = false;
    AppendFolded(header.value, out);
  }
  out->push_back('\n');
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

std::vector<std::pair<std::string, std::string>> ParseQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  while (!query.empty()) {
    const size_t ampersand = std::min(query.find('&'), query.size());
    const std::string_view parameter = query.substr(0, ampersand);
    query.remove_prefix(std::min(ampersand + 1, query.size()));
    if (parameter.empty()) continue;
    const size_t equals = std::min(parameter.find('='), parameter.size());
    parameters.emplace_back(
        PercentDecode(parameter.substr(0, equals)),
        PercentDecode(parameter.substr(std::min(equals + 1, parameter.size()))));
  }
  return parameters;
}

// More than most requests need.
constexpr size_t kCanonicalBytes = 768;

std::string CanonicalRequest(const Request& request, std::string_view signed_headers,
                             std::string_view payload_hash) {
  std::string text;
  text.reserve(kCanonicalBytes);
  text.append(request.method_text);
  const std::string_view path = request.path();
  text.append("\n");
  path.size() <= 1 ? text.append("/") : text.append(PercentEncode(path, '/'));
  text.append("\n").append(CanonicalQuery(request.query())).append("\n");
  for (std::string_view rest = signed_headers; !rest.empty();) {
    const size_t semicolon = std::min(rest.find(';'), rest.size());
    AppendCanonicalHeader(request, rest.substr(0, semicolon), &text);
    rest.remove_prefix(std::min(semicolon + 1, rest.size()));
  }
  return text.append("\n").append(signed_headers).append("\n").append(payload_hash);
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
