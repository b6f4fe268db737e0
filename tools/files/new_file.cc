#include "tools/files/new_file.h"

#include <cerrno>
#include <utility>

#include "engine/base/errno_status.h"
#include "tools/files/messages.h"

namespace dynolith::designs {

NewFile::NewFile(std::string path) : path_(std::move(path)), file_(fopen(path_.c_str(), "wbe")) {
  if (file_ == nullptr) error_ = errno;
}

bool NewFile::Write(std::string_view text) {
  if (error_ == 0 && std::fwrite(text.data(), 1, text.size(), file_.get()) < text.size()) {
    error_ = errno;
  }
  return error_ == 0;
}

absl::Status NewFile::Close() {
  if (file_ != nullptr && std::fclose(file_.release()) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0) return absl::OkStatus();
  return ErrnoStatus(error_, messages::DumpCannotWrite(path_, ErrnoReason(error_)));
}

}  // namespace dynolith::designs
