#include "tools/server/wire/credentials.h"

#include <sys/stat.h>

#include <sstream>

#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "tools/server/wire/messages.h"

namespace dynolith::http {

absl::StatusOr<CredentialMap> ParseCredentials(std::string_view text, std::string_view name) {
  CredentialMap credentials;
  std::istringstream lines{std::string(text)};
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream fields(line);
    std::string access_key;
    if (!(fields >> access_key) || access_key.starts_with('#')) continue;
    Credentials entry;
    std::string extra;
    if (!(fields >> entry.secret_key)) {
      return absl::InvalidArgumentError(messages::BadCredentialsLine(name, number));
    }
    fields >> entry.session_token;
    if (fields >> extra) {
      return absl::InvalidArgumentError(messages::BadCredentialsLine(name, number));
    }
    credentials[access_key] = entry;
  }
  if (credentials.empty()) return absl::InvalidArgumentError(messages::NoCredentials(name));
  return credentials;
}

absl::StatusOr<CredentialMap> LoadCredentials(const std::string& file) {
  const FileText read = ReadFileText(file);
  if (read.error != 0) {
    return absl::NotFoundError(messages::CannotReadCredentials(file, ErrnoReason(read.error)));
  }
  return ParseCredentials(read.text, file);
}

std::string ModeOpenToOthers(const std::string& file) {
  struct stat found {};
  if (stat(file.c_str(), &found) != 0) return "";
  constexpr mode_t kReadOrWrite = S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
  if ((found.st_mode & kReadOrWrite) == 0) return "";
  std::string digits = "0";
  for (int shift = 6; shift >= 0; shift -= 3) {
    digits.push_back(static_cast<char>('0' + (found.st_mode >> shift & 7)));
  }
  return digits;
}

}  // namespace dynolith::http
