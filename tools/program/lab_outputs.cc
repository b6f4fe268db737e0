#include "tools/program/lab_outputs.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "engine/base/file_text.h"
#include "engine/base/strings.h"
#include "tools/program/messages.h"

namespace dynolith {
namespace {

absl::Status CannotWrite(const std::string& file) {
  return absl::UnavailableError(ToAbsl(messages::LabCannotWrite(file, std::strerror(errno))));
}

}  // namespace

absl::Status WriteTextFile(const std::string& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  return stream ? absl::OkStatus() : CannotWrite(file);
}

absl::Status CheckWritable(const std::string& file) {
  if (file.empty()) return absl::OkStatus();
  const bool is_there = MayBeThere(file);
  const std::ofstream stream(file, std::ios::binary | std::ios::app);
  if (!stream) return CannotWrite(file);
  std::error_code error;
  if (!is_there) std::filesystem::remove(file, error);
  return absl::OkStatus();
}

absl::Status MakeFolder(const std::string& folder) {
  if (folder.empty()) return absl::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(ToAbsl(messages::LabCannotWrite(folder, error.message())));
}

}  // namespace dynolith
