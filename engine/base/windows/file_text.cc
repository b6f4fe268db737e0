#include "engine/base/file_text.h"

#include <windows.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/base/windows/system_names.h"

namespace dynolith {
namespace {

// As everywhere else: whoever reads a file keeps nobody from writing, replacing or deleting it.
constexpr DWORD kSharedByAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr DWORD kWrittenBytesMax = 1 << 20;

// Returns 0 or a number of errno.
int WriteAndFlush(HANDLE out, std::string_view text) {
  while (!text.empty()) {
    DWORD written = 0;
    const auto bytes = static_cast<DWORD>(std::min<size_t>(text.size(), kWrittenBytesMax));
    if (WriteFile(out, text.data(), bytes, &written, nullptr) == 0) return ErrnoOfLastError();
    text.remove_prefix(written);
  }
  return FlushFileBuffers(out) != 0 ? 0 : ErrnoOfLastError();
}

int WriteDurably(const std::wstring& file, std::string_view text) {
  const HANDLE out = CreateFileW(file.c_str(), GENERIC_WRITE, kSharedByAll, nullptr, CREATE_ALWAYS,
                                 FILE_ATTRIBUTE_NORMAL, nullptr);
  if (out == INVALID_HANDLE_VALUE) return ErrnoOfLastError();
  const int error = WriteAndFlush(out, text);
  CloseHandle(out);
  return error;
}

}  // namespace

FileText ReadFileText(const std::string& file, size_t bytes_max) {
  FileText read;
  const HANDLE in = CreateFileW(WideName(file).c_str(), GENERIC_READ, kSharedByAll, nullptr,
                                OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (in == INVALID_HANDLE_VALUE) return {.text = {}, .error = ErrnoOfLastError()};
  std::array<char, 16 << 10> part;
  for (;;) {
    DWORD bytes = 0;
    if (ReadFile(in, part.data(), part.size(), &bytes, nullptr) == 0) {
      // The other end of a pipe is closed: its end.
      if (GetLastError() != ERROR_BROKEN_PIPE) read.error = ErrnoOfLastError();
      break;
    }
    if (bytes == 0) break;
    read.text.append(part.data(), bytes);
    if (read.text.size() <= bytes_max) continue;
    read.error = EFBIG;
    break;
  }
  CloseHandle(in);
  return read;
}

int ReplaceFileText(const std::string& file, std::string_view text) {
  const std::wstring temporary = WideName(file + ".new");
  int error = WriteDurably(temporary, text);
  if (error == 0 && MoveFileExW(temporary.c_str(), WideName(file).c_str(),
                                MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) == 0) {
    error = ErrnoOfLastError();
  }
  if (error != 0) DeleteFileW(temporary.c_str());
  return error;
}

int SynchronizeFolderOf(const std::string& /*file*/) { return 0; }

bool MayBeThere(const std::string& file) {
  if (GetFileAttributesW(WideName(file).c_str()) != INVALID_FILE_ATTRIBUTES) return true;
  const int error = ErrnoOfLastError();
  return error != ENOENT && error != ENOTDIR;
}

}  // namespace dynolith
