#include "tools/program/doctor/port_holder.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/base/strings.h"
#include "tools/program/doctor/messages.h"

namespace dynolith::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kListening = "0A";

// The inode of a socket that listens on `port`, from /proc/net/tcp or tcp6 (proc(5)); empty: none.
std::string ListeningInode(const char* file, uint16_t port) {
  std::ifstream lines(file);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::vector<std::string> row(10);
    for (std::string& word : row) words >> word;
    const std::string& local = row[1];
    if (!words || row[3] != kListening) continue;
    uint16_t number = 0;
    const char* const digits = local.data() + local.find(':') + 1;
    std::from_chars(digits, local.data() + local.size(), number, 16);
    if (number == port) return row[9];
  }
  return "";
}

// Returns whether one of the process's open files is `file`.
bool HasOpen(const fs::path& process, const std::string& file) {
  std::error_code error;
  for (fs::directory_iterator at(process / "fd", error), end; !error && at != end;
       at.increment(error)) {
    std::error_code gone;
    if (fs::read_symlink(at->path(), gone) == file) return true;
  }
  return false;
}

}  // namespace

std::string PortHolder(uint16_t port) {
  std::string inode = ListeningInode("/proc/net/tcp", port);
  if (inode.empty()) inode = ListeningInode("/proc/net/tcp6", port);
  if (inode.empty()) return "";
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string number = at->path().filename().string();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!HasOpen(at->path(), Concat("socket:[", inode, "]"))) continue;
    std::string name;
    std::getline(std::ifstream(at->path() / "comm"), name);
    return messages::ProcessName(name, number);
  }
  return "";
}

}  // namespace dynolith::doctor
