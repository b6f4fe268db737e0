#include "tools/server/wire/authenticator.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <system_error>
#include <vector>

#include "api/remote/signature.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/server/http/canonical_request.h"
#include "tools/server/wire/messages.h"

namespace dynolith::http {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kTerminator = "aws4_request";
constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
constexpr int64_t kSkewMinutes = 15;
constexpr int64_t kExpiresSecondsMax = 7 * 24 * 60 * 60;

// What a request claims, from its header or its query. Empty: absent. Borrows from the request,
// from `parameters` and from `formatted_date`.
struct Claim {
  Claim() = default;
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  std::vector<std::pair<std::string, std::string>> parameters;  // of the query
  std::string formatted_date;                                   // of a Date header
  bool presigned = false;
  std::string_view algorithm;
  std::string_view credential;
  std::string_view signature;
  std::string_view signed_headers;
  std::string_view date;
  std::string_view session_token;
  std::string_view expires;  // seconds; of a presigned request

  // The five elements of `credential`, borrowed from it, once CheckShape has accepted it.
  std::array<std::string_view, 5> elements;
  std::string_view key_id() const { return elements[0]; }
  std::string_view day() const { return elements[1]; }
  std::string_view region() const { return elements[2]; }
  // Everything behind the key id.
  std::string_view scope() const { return credential.substr(key_id().size() + 1); }
};

absl::Status Incomplete(std::string_view message) {
  return MakeError(ErrorKind::kIncompleteSignature, message);
}
absl::Status Invalid(std::string_view message) {
  return MakeError(ErrorKind::kInvalidSignature, message);
}

constexpr char kBasicFormat[] = "%Y%m%dT%H%M%SZ";
constexpr char kHttpDateFormat[] = "%a, %d %b %Y %H:%M:%S GMT";

std::string FormatBasic(absl::Time time) {
  return absl::FormatTime(kBasicFormat, time, absl::UTCTimeZone());
}

// "20261001T120000Z", every field in its range.
std::optional<absl::CivilSecond> ParseBasic(std::string_view date) {
  constexpr std::string_view kPattern = "00000000T000000Z";
  if (date.size() != kPattern.size()) return std::nullopt;
  for (size_t i = 0; i < date.size(); ++i) {
    const bool is_digit = date[i] >= '0' && date[i] <= '9';
    if (kPattern[i] == '0' ? !is_digit : date[i] != kPattern[i]) return std::nullopt;
  }
  const auto field = [&](size_t begin, size_t size) {
    int value = 0;
    for (const char c : date.substr(begin, size)) value = value * 10 + (c - '0');
    return value;
  };
  const int fields[] = {field(0, 4), field(4, 2),  field(6, 2),
                        field(9, 2), field(11, 2), field(13, 2)};
  // A civil time normalizes what is out of range.
  const absl::CivilSecond civil(fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]);
  const bool in_range = civil.month() == fields[1] && civil.day() == fields[2] &&
                        civil.hour() == fields[3] && civil.minute() == fields[4] &&
                        civil.second() == fields[5];
  if (!in_range) return std::nullopt;
  return civil;
}

// A Date header has HTTP's format, unless the client means it for the signature. May borrow from
// `formatted`.
std::string_view FindDate(const Request& request, std::string* formatted) {
  if (const auto date = request.Find("x-amz-date")) return *date;
  const std::string_view date = request.Find("date").value_or("");
  absl::Time time;
  if (absl::ParseTime(kHttpDateFormat, std::string(date), absl::UTCTimeZone(), &time, nullptr)) {
    *formatted = FormatBasic(time);
    return *formatted;
  }
  return date;
}

// What is in front of the first `end`, which is dropped with it; all if there is none.
std::string_view TakeUntil(char end, std::string_view* rest) {
  const size_t size = std::min(rest->find(end), rest->size());
  const std::string_view taken = rest->substr(0, size);
  rest->remove_prefix(std::min(size + 1, rest->size()));
  return taken;
}

// One of the pieces of an Authorization header. False unless it is a key and a value.
bool TakePiece(std::string_view piece, Claim* claim) {
  const size_t equals = piece.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = piece.substr(0, equals);
  const std::string_view value = piece.substr(equals + 1);
  if (name == "Credential") claim->credential = value;
  if (name == "Signature") claim->signature = value;
  if (name == "SignedHeaders") claim->signed_headers = value;
  return true;
}

absl::Status ReadHeaderClaim(const Request& request, std::string_view header, Claim* claim) {
  const size_t space = std::min(header.find(' '), header.size());
  claim->algorithm = header.substr(0, space);
  // Pieces have spaces or commas between them. First the spaces and then the commas, since a search
  // for one character looks at many at once.
  for (std::string_view rest = header.substr(space); !rest.empty();) {
    std::string_view pieces = TakeUntil(' ', &rest);
    while (!pieces.empty()) {
      const std::string_view piece = TakeUntil(',', &pieces);
      if (!piece.empty() && !TakePiece(piece, claim)) {
        return Incomplete(messages::NotKeyAndValue(piece, header));
      }
    }
  }
  claim->date = FindDate(request, &claim->formatted_date);
  claim->session_token = request.Find("x-amz-security-token").value_or("");
  std::string missing;
  if (claim->credential.empty()) missing += messages::HeaderRequires("Credential");
  if (claim->signature.empty()) missing += messages::HeaderRequires("Signature");
  if (claim->signed_headers.empty()) missing += messages::HeaderRequires("SignedHeaders");
  if (claim->date.empty()) missing += messages::HeaderRequiresDate();
  return missing.empty() ? absl::OkStatus()
                         : Incomplete(messages::IncompleteHeader(missing, header));
}

absl::Status ReadQueryClaim(Claim* claim) {
  claim->presigned = true;
  // In the order in which missing ones are reported; the last two may be missing.
  const std::pair<std::string_view, std::string_view*> wanted[] = {
      {"X-Amz-Algorithm", &claim->algorithm},
      {"X-Amz-Credential", &claim->credential},
      {"X-Amz-Signature", &claim->signature},
      {"X-Amz-SignedHeaders", &claim->signed_headers},
      {"X-Amz-Date", &claim->date},
      {"X-Amz-Expires", &claim->expires},
      {"X-Amz-Security-Token", &claim->session_token}};
  constexpr size_t kRequired = 5;
  std::string missing;
  for (size_t i = 0; i < std::size(wanted); ++i) {
    const auto& [name, target] = wanted[i];
    for (const auto& [given, value] : claim->parameters) {
      if (given == name) *target = value;
    }
    if (i < kRequired && target->empty()) missing += messages::QueryMustInclude(name);
  }
  return missing.empty() ? absl::OkStatus() : Incomplete(messages::IncompleteQuery(missing));
}

absl::Status ReadClaim(const Request& request, Claim* claim) {
  const auto header = request.Find("authorization");
  claim->parameters = ParseQuery(request.query());
  const bool in_query =
      std::any_of(claim->parameters.begin(), claim->parameters.end(),
                  [](const auto& entry) { return entry.first == "X-Amz-Algorithm"; });
  if (header && in_query) return Invalid(messages::BothKindsOfAuthentication());
  if (in_query) return ReadQueryClaim(claim);
  if (!header || !header->starts_with("AWS4-")) {
    return MakeError(ErrorKind::kMissingAuthenticationToken,
                     messages::MissingAuthenticationToken());
  }
  return ReadHeaderClaim(request, *header, claim);
}

bool IsSigned(std::string_view name, std::string_view signed_headers) {
  while (!signed_headers.empty()) {
    const size_t semicolon = std::min(signed_headers.find(';'), signed_headers.size());
    if (EqualsIgnoreCase(signed_headers.substr(0, semicolon), name)) return true;
    signed_headers.remove_prefix(std::min(semicolon + 1, signed_headers.size()));
  }
  return false;
}

// False unless there are exactly five.
bool SplitCredential(std::string_view credential, std::array<std::string_view, 5>* elements) {
  for (size_t i = 0; i < elements->size(); ++i) {
    const size_t slash = std::min(credential.find('/'), credential.size());
    const bool last = i + 1 == elements->size();
    if (last != (slash == credential.size())) return false;
    (*elements)[i] = credential.substr(0, slash);
    credential.remove_prefix(std::min(slash + 1, credential.size()));
  }
  return true;
}

// Every region's name is good here, also made-up ones such as "local"; one letter is none.
bool LooksLikeRegion(std::string_view region) {
  return region.size() >= 2 && std::all_of(region.begin(), region.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_';
         });
}

absl::Status CheckScope(const Claim& claim, const AuthenticatorOptions& options) {
  std::string wrong;
  if (!LooksLikeRegion(claim.region())) wrong += messages::ScopeRegion(claim.region());
  // Where nobody verifies, a client that names no service is let in.
  const bool is_ours = claim.elements[3] == options.service ||
                       (claim.elements[3].empty() && options.mode == AuthMode::kShape);
  if (!is_ours) wrong += messages::ScopeService(options.service);
  if (claim.elements[4] != kTerminator) wrong += messages::ScopeTerminator(claim.elements[4]);
  if (claim.day() != claim.date.substr(0, 8)) {
    wrong += messages::ScopeDate(claim.day(), claim.date);
  }
  return wrong.empty() ? absl::OkStatus() : Invalid(wrong);
}

// For how many minutes from its date on the request is good: as it says itself, rounded up.
absl::StatusOr<int64_t> MinutesGood(const Claim& claim) {
  if (claim.expires.empty()) return kSkewMinutes;
  const char* const end = claim.expires.data() + claim.expires.size();
  int64_t seconds = 0;
  const auto parsed = std::from_chars(claim.expires.data(), end, seconds);
  if (parsed.ptr != end || parsed.ec == std::errc::invalid_argument) {
    return Incomplete(messages::ExpiresNotANumber());
  }
  if (claim.expires.front() == '-') return Incomplete(messages::ExpiresNegative());
  if (parsed.ec == std::errc::result_out_of_range || seconds > kExpiresSecondsMax) {
    return Incomplete(messages::ExpiresTooLate(kExpiresSecondsMax));
  }
  if (seconds == 0) return Incomplete(messages::ExpiresAtOnce());
  return (seconds + 59) / 60;
}

absl::Status CheckAge(const Claim& claim, absl::Time date, int64_t minutes, absl::Time now) {
  const absl::Time earliest = now - absl::Minutes(minutes);
  const absl::Time latest = now + absl::Minutes(kSkewMinutes);
  if (date < earliest) {
    return Invalid(
        messages::SignatureExpired(claim.date, FormatBasic(earliest), FormatBasic(now), minutes));
  }
  if (date > latest) {
    return Invalid(messages::SignatureNotYetCurrent(claim.date, FormatBasic(latest),
                                                    FormatBasic(now), kSkewMinutes));
  }
  return absl::OkStatus();
}

// The service's own headers, and those that name a database of this server.
bool DecidesWhatIsDone(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"x-amz-", "x-dynolith-"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](std::string_view prefix) {
    return EqualsIgnoreCase(name.substr(0, prefix.size()), prefix);
  });
}

// A header that is not signed could have been changed on the way, the target above all.
absl::Status CheckSignedHeaders(const Request& request, const Claim& claim, AuthMode mode) {
  if (!IsSigned("host", claim.signed_headers)) {
    return Invalid(messages::HeaderMustBeSigned("Host"));
  }
  if (mode != AuthMode::kVerify) return absl::OkStatus();
  for (const Header& header : request.headers) {
    if (DecidesWhatIsDone(header.name) && !IsSigned(header.name, claim.signed_headers)) {
      return Invalid(messages::HeaderMustBeSigned(header.name));
    }
  }
  return absl::OkStatus();
}

// Deriving a key takes four times as long as using it, and clients use theirs for a day.
Signer& CachedSigner(const Claim& claim, std::string_view secret, std::string_view service) {
  struct Entry {
    std::string secret;
    std::string service;
    std::string day;
    std::string region;
    std::optional<Signer> signer;
  };
  thread_local Entry entry;
  if (entry.secret != secret || entry.service != service || entry.day != claim.day() ||
      entry.region != claim.region() || !entry.signer) {
    entry = {std::string(secret), std::string(service), std::string(claim.day()),
             std::string(claim.region()),
             Signer(SigningKey(secret, claim.day(), claim.region(), service))};
  }
  return *entry.signer;
}

absl::Status CheckSignature(const Request& request, const Claim& claim,
                            const AuthenticatorOptions& options) {
  const auto found = options.credentials.find(claim.key_id());
  if (found == options.credentials.end()) {
    return MakeError(ErrorKind::kUnrecognizedClient, messages::UnknownKeyId());
  }
  const Credentials& credentials = found->second;
  const bool is_unsigned =
      options.allow_unsigned_payload && request.Find("x-amz-content-sha256") == kUnsignedPayload;
  const std::string payload =
      is_unsigned ? std::string(kUnsignedPayload) : Hex(Sha256(request.body));
  const std::string canonical = CanonicalRequest(request, claim.signed_headers, payload);
  const std::string to_sign = StringToSign(claim.date, claim.scope(), canonical);
  if (!SecretsEqual(CachedSigner(claim, credentials.secret_key, options.service).Sign(to_sign),
                    claim.signature)) {
    return Invalid(messages::SignatureMismatch(canonical, to_sign));
  }
  if (!SecretsEqual(claim.session_token, credentials.session_token)) {
    return MakeError(ErrorKind::kUnrecognizedClient, messages::BadSessionToken());
  }
  return absl::OkStatus();
}

}  // namespace

Signatory FindSignatory(const Request& request) {
  Claim claim;
  // Whatever makes it no good claim is Check's to say.
  ReadClaim(request, &claim).IgnoreError();
  std::string_view rest = claim.credential;
  Signatory signatory;
  signatory.access_key = TakeUntil('/', &rest);
  TakeUntil('/', &rest);
  signatory.region = TakeUntil('/', &rest);
  return signatory;
}

namespace {

// What a client says in each request but the signature, which only its key tells from another one.
// So what stands in front of it, and the date, need a look once a second.
class LastShape {
 public:
  // Whether the shape of a request like this one was found right.
  bool Matches(const Request& request) const {
    const std::string_view header = request.Find("authorization").value_or("");
    if (header_.empty() || header.size() <= header_.size() || !header.starts_with(header_)) {
      return false;
    }
    // What would not be the signature alone.
    const std::string_view signature = header.substr(header_.size());
    return signature.find(' ') == std::string_view::npos &&
           signature.find(',') == std::string_view::npos && request.query().empty() &&
           request.Find("x-amz-date") == date_;
  }

  // Of one that was found right.
  void Note(const Request& request, const Claim& claim) {
    constexpr std::string_view kName = "Signature=";
    const std::string_view header = request.Find("authorization").value_or("");
    if (claim.presigned || !header.ends_with(claim.signature)) return;
    const std::string_view front = header.substr(0, header.size() - claim.signature.size());
    if (!front.ends_with(kName) || request.Find("x-amz-date") != claim.date) return;
    header_ = front;
    date_ = claim.date;
  }

  static LastShape& OfThread() {
    thread_local LastShape last;
    return last;
  }

 private:
  std::string header_;  // up to the signature
  std::string date_;
};

}  // namespace

absl::Status Authenticator::Check(const Request& request) const {
  if (options_.mode == AuthMode::kOff) return absl::OkStatus();
  if (keeps_shapes_ && LastShape::OfThread().Matches(request)) {
    return absl::OkStatus();
  }
  Claim claim;
  DYNOLITH_RETURN_IF_ERROR(ReadClaim(request, &claim));
  const std::optional<absl::CivilSecond> date = ParseBasic(claim.date);
  if (!date) return Incomplete(messages::DateNotBasic(claim.date));
  DYNOLITH_ASSIGN_OR_RETURN(const int64_t minutes, MinutesGood(claim));
  if (options_.mode == AuthMode::kVerify) {
    // Without a time zone, whose offsets would be looked for.
    const absl::Time time = absl::FromUnixSeconds(*date - absl::CivilSecond(1970));
    DYNOLITH_RETURN_IF_ERROR(CheckAge(claim, time, minutes, options_.clock->Now()));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckSignedHeaders(request, claim, options_.mode));
  if (claim.algorithm != kAlgorithm)
    return Incomplete(messages::UnsupportedAlgorithm(claim.algorithm));
  const std::string_view given = claim.credential;
  while (claim.credential.ends_with('/')) claim.credential.remove_suffix(1);
  if (!SplitCredential(claim.credential, &claim.elements)) {
    return Incomplete(messages::CredentialNotFiveElements(given));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckScope(claim, options_));
  if (options_.mode == AuthMode::kVerify) return CheckSignature(request, claim, options_);
  if (keeps_shapes_) LastShape::OfThread().Note(request, claim);
  return absl::OkStatus();
}

}  // namespace dynolith::http
