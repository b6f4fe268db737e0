#include "tools/files/design/files_to_load.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "tools/files/design/design_file.h"
#include "tools/files/design/export_folder.h"
#include "tools/files/design/messages.h"
#include "tools/files/items/messages.h"

namespace dynolith::designs {
namespace {

namespace fs = std::filesystem;

class FileFinder {
 public:
  FileFinder(const std::function<bool()>& is_over, Findings* findings)
      : is_over_(is_over), findings_(findings) {}

  FilesToLoad Find(const std::vector<std::string>& named) {
    for (const std::string& name : named) {
      if (const std::string folder = ExportName(name); !folder.empty()) ReadExport(folder);
    }
    for (const std::string& name : named) {
      std::error_code error;
      const std::string exported = ExportName(name);
      if (fs::is_directory(name, error)) {
        AddFolder(name, !exported.empty());
      } else if (name.ends_with(kUnfinishedEnding)) {
        findings_->Fail({name}, messages::DesignUnfinished());
      } else if (exported.empty()) {
        Add(name);
      }
      if (!exported.empty()) AddAll(exports_[Whole(exported)].files);
    }
    return std::move(found_);
  }

 private:
  static std::string Whole(const std::string& path) {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(path, error);
    return error ? path : whole.string();
  }
  // The folder of the export that `name` is or to which it belongs as a manifest; empty: none.
  static std::string ExportName(const std::string& name) {
    std::error_code error;
    if (fs::is_directory(name, error)) return IsExportFolder(name) ? name : "";
    if (!IsNameOfExport(name) || !fs::is_regular_file(name, error)) return "";
    const std::string folder = fs::path(name).parent_path().string();
    return folder.empty() ? "." : folder;
  }

  // Exports are read first, since a file named besides may be one of their data files.
  void ReadExport(const std::string& folder) {
    const auto [place, is_new] = exports_.try_emplace(Whole(folder));
    if (!is_new) return;
    place->second = ReadExportFolder(folder, is_over_, findings_);
    const ExportedFiles& exported = place->second;
    found_.is_over |= exported.is_over;
    for (const std::string& file : exported.files) exported_from_[Whole(file)] = exported.table;
    for (const std::string& file : exported.empty) seen_.insert(Whole(file));
  }

  // Adds a file once, though it may be named itself and also be in a folder or an export.
  void Add(const std::string& file) {
    const std::string whole = Whole(file);
    if (!seen_.insert(whole).second) return;
    found_.files.push_back(file);
    const auto exported = exported_from_.find(whole);
    if (exported != exported_from_.end()) found_.exported_from.emplace(file, exported->second);
  }
  void AddAll(const std::vector<std::string>& files) {
    for (const std::string& file : files) Add(file);
  }

  void AddFolder(const std::string& folder, bool is_export) {
    std::vector<std::string> files;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      std::error_code unknown;
      const std::string path = it->path().string();
      if (path.ends_with(kUnfinishedEnding)) {
        return findings_->Fail({path}, messages::DesignUnfinished());
      }
      if (it->is_regular_file(unknown) && HasDesignName(path) && !IsNameOfExport(path)) {
        files.push_back(path);
      }
    }
    if (error) return findings_->Fail({folder}, messages::DesignCannotRead(error.message()));
    if (files.empty() && !is_export) findings_->Fail({folder}, messages::DesignFolderEmpty());
    std::sort(files.begin(), files.end());
    AddAll(files);
  }

  const std::function<bool()>& is_over_;
  Findings* const findings_;
  FilesToLoad found_;
  std::set<std::string> seen_;
  std::map<std::string, ExportedFiles> exports_;      // by folder
  std::map<std::string, std::string> exported_from_;  // table by file
};

}  // namespace

FilesToLoad FindFiles(const std::vector<std::string>& named, const std::function<bool()>& is_over,
                      Findings* findings) {
  return FileFinder(is_over, findings).Find(named);
}

}  // namespace dynolith::designs
