// The texts of the service before an operation begins: authentication (api/facts/wire.md §5, §6).
#ifndef DYNOLITH_TOOLS_SERVER_WIRE_MESSAGES_H_
#define DYNOLITH_TOOLS_SERVER_WIRE_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- web pages

inline std::string OriginNotAllowed(std::string_view origin) {
  return Concat("web pages of ", origin, " may not use this server; --allow-origin ", origin,
                " lets them");
}
// A browser says that a page called, but not which one.
inline std::string UnnamedOriginNotAllowed() {
  return "web pages that do not say where they are from may not use this server; --allow-origin "
         "'*' lets all pages";
}
inline std::string HostNotAllowed(std::string_view name) {
  return Concat("web pages may not call this server ", name, "; --allow-host ", name, " lets them");
}

// --- calls

// The response to a health check, with its trailing space.
inline std::string Healthy(std::string_view region) {
  return Concat("healthy: dynamodb.", region, ".amazonaws.com ");
}
// The response to a request that is not a call. Unlike all others it is not JSON.
inline std::string NotACall() { return "<UnknownOperationException/>\n"; }

// Why a call failed, for the log; the response does not say it.
inline std::string BodyNotDecoded(std::string_view coding) {
  return Concat("the body is not in the Content-Encoding ", coding,
                ", or is larger than any request");
}

inline std::string BothKindsOfAuthentication() {
  return "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.";
}
inline std::string MissingAuthenticationToken() {
  return "Request is missing Authentication Token";
}

// `piece`: it has no equal-sign.
inline std::string NotKeyAndValue(std::string_view piece, std::string_view header) {
  return Concat("'", piece,
                "' not a valid key=value pair (missing equal-sign) in Authorization header: '",
                header, "'.");
}
// Parts of IncompleteHeader, one for each missing parameter, in the order of these declarations.
inline std::string HeaderRequires(std::string_view parameter) {
  return Concat("Authorization header requires '", parameter, "' parameter. ");
}
inline std::string HeaderRequiresDate() {
  return "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
}
inline std::string IncompleteHeader(std::string_view missing, std::string_view header) {
  return Concat(missing, "Authorization=", header);
}
inline std::string QueryMustInclude(std::string_view parameter) {
  return Concat("AWS query-string parameters must include '", parameter, "'. ");
}
inline std::string IncompleteQuery(std::string_view missing) {
  return Concat(missing, "Re-examine the query-string parameters.");
}

inline std::string DateNotBasic(std::string_view date) {
  return Concat("Date must be in ISO-8601 'basic format'. Got '", date,
                "'. See http://en.wikipedia.org/wiki/ISO_8601");
}
// For X-Amz-Expires. The first three are S3's texts, which AWS documents together with the bounds
// of all query authentication; the last is ours.
inline std::string ExpiresNotANumber() { return "X-Amz-Expires should be a number"; }
inline std::string ExpiresNegative() { return "X-Amz-Expires must be non-negative"; }
inline std::string ExpiresTooLate(int64_t seconds_max) {
  return Concat(
      "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must "
      "be less than ",
      seconds_max, " seconds");
}
inline std::string ExpiresAtOnce() { return "X-Amz-Expires must be at least 1 second"; }
inline std::string SignatureExpired(std::string_view date, std::string_view earliest,
                                    std::string_view now, int64_t minutes) {
  return Concat("Signature expired: ", date, " is now earlier than ", earliest, " (", now, " - ",
                minutes, " min.)");
}
inline std::string SignatureNotYetCurrent(std::string_view date, std::string_view latest,
                                          std::string_view now, int64_t minutes) {
  return Concat("Signature not yet current: ", date, " is still later than ", latest, " (", now,
                " + ", minutes, " min.)");
}
inline std::string HeaderMustBeSigned(std::string_view name) {
  return Concat("'", name, "' must be a 'SignedHeader' in the AWS Authorization.");
}
inline std::string UnsupportedAlgorithm(std::string_view algorithm) {
  return Concat("Unsupported AWS 'algorithm': '", algorithm, "' (only AWS4-HMAC-SHA256 for now). ");
}
inline std::string CredentialNotFiveElements(std::string_view credential) {
  return Concat(
      "Credential must have exactly 5 slash-delimited elements, e.g. "
      "keyid/date/region/service/term, got '",
      credential, "'");
}
inline std::string ScopeRegion(std::string_view region) {
  return Concat("Credential should be scoped to a valid region, not '", region, "'. ");
}
inline std::string ScopeService(std::string_view service) {
  return Concat("Credential should be scoped to correct service: '", service, "'. ");
}
inline std::string ScopeTerminator(std::string_view terminator) {
  return Concat("Credential should be scoped with a valid terminator: 'aws4_request', not '",
                terminator, "'. ");
}
inline std::string ScopeDate(std::string_view scope_date, std::string_view date) {
  return Concat(
      "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '",
      scope_date, "' != '", date.substr(0, 8), "', from '", date, "'.");
}
inline std::string UnknownKeyId() {
  return "The security token included in the request is invalid.";
}
inline std::string BadSessionToken() {
  return "The security token included in the request is invalid";
}
inline std::string SignatureMismatch(std::string_view canonical, std::string_view string_to_sign) {
  return Concat(
      "The request signature we calculated does not match the signature you provided. Check your "
      "AWS Secret Access Key and signing method. Consult the service documentation for details."
      "\n\nThe Canonical String for this request should have been\n'",
      canonical, "'\n\nThe String-to-Sign should have been\n'", string_to_sign, "'\n");
}

// SearchVectors has hosts of its own.
inline std::string NotAtThisEndpoint() {
  return "This operation is not supported by this endpoint";
}

// For a request that the client should repeat later.
inline std::string NoMemoryForRequest() {
  return "there is not enough memory for a request of this size now";
}

// For a file of credentials.
inline std::string CannotReadCredentials(std::string_view file, std::string_view reason) {
  return Concat("cannot read the credentials in ", file, ": ", reason);
}
inline std::string BadCredentialsLine(std::string_view file, size_t line) {
  return Concat(file, ":", line, ": expected \"access_key secret_key [session_token]\"");
}
inline std::string NoCredentials(std::string_view file) {
  return Concat("there are no credentials in ", file);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SERVER_WIRE_MESSAGES_H_
