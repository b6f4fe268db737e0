// The texts about a server that cannot be called, and about credentials for it.
#ifndef DYNOLITH_API_REMOTE_MESSAGES_H_
#define DYNOLITH_API_REMOTE_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string ClientUnreached(std::string_view server, std::string_view reason) {
  return Concat("cannot ask ", server, ": ", reason);
}
inline std::string ClientNoCertificates(std::string_view file, std::string_view reason) {
  return Concat("no certificates in ", file.empty() ? "the system's folders" : file, ": ", reason);
}
inline std::string NoFreeConnection(size_t connections) {
  return Concat(connections, " calls are running, and none of them ends");
}
inline std::string ClientNotAServer(std::string_view url) {
  return Concat(url, " is no server's address such as http://127.0.0.1:8000");
}

inline std::string AnswerGzipDamaged() { return "the gzip of the answer is damaged or cut off"; }
inline std::string AnswerInflatesTooFar(size_t bytes_max) {
  return Concat("the gzip of the answer holds more than ", bytes_max, " bytes");
}
inline std::string AnswerEncodingUnknown(std::string_view encoding) {
  return Concat("the answer has the Content-Encoding ", encoding, ", which is not known here");
}

// --- credentials and regions

inline std::string ProfilePlace(std::string_view profile, std::string_view file) {
  return Concat("profile ", profile, " of ", file);
}
inline std::string ProfileMissing(std::string_view profile, std::string_view config,
                                  std::string_view credentials) {
  return Concat("AWS_PROFILE names ", profile, ", which is neither in ", config, " nor in ",
                credentials);
}
inline std::string CredentialsHalf(std::string_view place, bool is_access) {
  return Concat(place, " is set, and the ", is_access ? "secret" : "access", " key is not");
}
// `place` is a profile or a variable.
inline std::string CredentialsNotFollowed(std::string_view place, std::string_view source,
                                          std::string_view profile) {
  return Concat("the credentials of ", place, " are those of ", source,
                ", which is not followed here: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and "
                "AWS_SESSION_TOKEN, or in a profile credential_process = aws configure "
                "export-credentials --profile ",
                profile);
}
// `reason`: why not even the instance's endpoint has some.
inline std::string CredentialsNowhere(std::string_view server, std::string_view reason) {
  return Concat("there are no credentials for calls of ", server,
                ": the variable AWS_ACCESS_KEY_ID is not set, nor has a profile, a container or an "
                "instance any (",
                reason, ")");
}
inline std::string RegionNowhere(std::string_view server) {
  return Concat("the variable AWS_REGION is needed to call ", server,
                ": neither the address nor a profile has a region");
}
inline std::string CredentialsNoJson() { return "the answer is no JSON object"; }
inline std::string CredentialsWithoutKeys() {
  return "the answer has no AccessKeyId and SecretAccessKey";
}
inline std::string CredentialsOddTime(std::string_view text) {
  return Concat("its Expiration is no time: ", text);
}
inline std::string CredentialsRefused(std::string_view code, std::string_view message) {
  return message.empty() ? std::string(code) : Concat(code, ": ", message);
}
inline std::string CredentialsExpired(std::string_view access_key) {
  return Concat("the credentials ", access_key, " have expired, and there are no newer ones");
}
inline std::string CredentialsUnusable(std::string_view url, std::string_view reason) {
  return Concat("no credentials from ", url, ": ", reason);
}
inline std::string EndpointStatus(std::string_view url, int status) {
  return Concat(url, " answers with status ", status);
}
inline std::string ContainerHostRefused(std::string_view url) {
  return Concat("credentials are not fetched from ", url,
                ": without TLS only from this machine or 169.254.170.2, 169.254.170.23 and "
                "fd00:ec2::23");
}
inline std::string TokenFileUnread(std::string_view file, std::string_view reason) {
  return Concat("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: ", file, ": ", reason);
}
inline std::string TokenHasLines() {
  return "the container's authorization token is more than a line of text";
}
inline std::string InstanceWithoutRole(std::string_view url) {
  return Concat(url, " knows no role of this instance");
}
inline std::string ProcessFailed(std::string_view command, std::string_view reason) {
  return Concat("no credentials from credential_process = ", command, reason.empty() ? "" : ": ",
                reason);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_REMOTE_MESSAGES_H_
