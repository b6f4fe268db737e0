// A folder for one test, gone with it.
#ifndef DYNOLITH_TESTS_UNIT_STORE_SCRATCH_FOLDER_H_
#define DYNOLITH_TESTS_UNIT_STORE_SCRATCH_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <string>

namespace dynolith::testing {

class ScratchFolder {
 public:
  explicit ScratchFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string pattern = (parent / "dynolith-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_STORE_SCRATCH_FOLDER_H_
