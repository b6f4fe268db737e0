#include "tools/files/design/export_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "api/transfer/files/data_file.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/files/design/messages.h"
#include "tools/files/items/messages.h"
#include "tools/files/items/text_file.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSummary = "manifest-summary.json";
constexpr std::string_view kFiles = "manifest-files.json";
constexpr std::string_view kStarted = "_started";
constexpr std::string_view kNames[] = {kSummary,
                                       kFiles,
                                       "manifest-summary.md5",
                                       "manifest-summary.checksum",
                                       "manifest-files.md5",
                                       "manifest-files.checksum",
                                       kStarted};
constexpr std::string_view kChecksumEnds[] = {".md5", ".checksum"};
constexpr std::string_view kTop = "AWSDynamoDB/";
constexpr std::string_view kData = "data/";
// Enough for one line per partition of a table of petabytes.
constexpr size_t kManifestBytesMax = size_t{1} << 30;
constexpr size_t kPieceBytes = size_t{1} << 20;

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// The member as a number; nullopt if it is none, or does not fit into 64 bits.
std::optional<uint64_t> FindNumber(const JsonTree& map, std::string_view name) {
  uint64_t number = 0;
  if (!absl::SimpleAtoi(ToAbsl(MemberText(map.Find(name))), &number)) return std::nullopt;
  return number;
}

// A line of manifest-files.json.
struct NamedFile {
  std::string key;
  std::string md5;  // base64
  uint64_t items = 0;
};

std::optional<NamedFile> ReadFileLine(std::string_view line) {
  const std::optional<JsonTree> tree = ParseJson(line, kJsonDepthMax);
  if (!tree || tree->kind != JsonTree::Kind::kMap) return std::nullopt;
  const std::string_view key = MemberText(tree->Find("dataFileS3Key"));
  const std::string_view md5 = MemberText(tree->Find("md5Checksum"));
  const std::optional<uint64_t> items = FindNumber(*tree, "itemCount");
  if (key.empty() || md5.empty() || !items) return std::nullopt;
  return NamedFile{std::string(key), std::string(md5), *items};
}

class ExportReader {
 public:
  ExportReader(const std::string& folder, const std::function<bool()>& is_over, Findings* findings)
      : folder_(folder), is_over_(is_over), findings_(findings) {}

  ExportedFiles Read() {
    const std::optional<std::string> summary = Manifest(kSummary);
    const std::optional<std::string> files = summary ? Manifest(kFiles) : std::nullopt;
    if (!files) return {};
    const std::optional<JsonTree> told = ParseJson(*summary, kJsonDepthMax);
    const std::optional<uint64_t> items = told ? FindNumber(*told, "itemCount") : std::nullopt;
    if (!items || told->Find("exportArn") == nullptr) {
      Fail(PathTo(kSummary), 0, messages::ExportNoSummary());
      return {};
    }
    ReadFiles(*files);
    if (!has_failed_ && !result_.is_over && items_ != *items) {
      Fail(PathTo(kSummary), 0, messages::ExportItemsDiffer(*items, kFiles, items_));
    }
    const std::string_view arn = MemberText(told->Find("tableArn"));
    constexpr std::string_view kTable = ":table/";
    const size_t table = arn.find(kTable);
    if (table != std::string_view::npos) result_.table = arn.substr(table + kTable.size());
    return std::move(result_);
  }

 private:
  bool IsOver() {
    result_.is_over = result_.is_over || (is_over_ && is_over_());
    return result_.is_over;
  }
  fs::path PathTo(std::string_view name) const { return fs::path(folder_) / name; }
  void Fail(const fs::path& file, size_t line, std::string text) {
    findings_->Fail({file.lexically_normal().string(), line}, std::move(text));
    has_failed_ = true;
  }

  // nullopt: the manifest is missing or damaged, which is reported.
  std::optional<std::string> Manifest(std::string_view name) {
    const fs::path path = PathTo(name);
    if (!IsFile(path)) {
      Fail(folder_, 0, messages::ExportNotWhole(name));
      return std::nullopt;
    }
    absl::StatusOr<std::string> text = ReadWhole(path.string(), kManifestBytesMax);
    if (!text.ok()) {
      Fail(path, 0, std::string(MessageOf(text.status())));
      return std::nullopt;
    }
    for (const std::string_view end : kChecksumEnds) {
      const fs::path beside = fs::path(path).replace_extension(end);
      if (!IsFile(beside)) continue;
      const absl::StatusOr<std::string> checksum = ReadWhole(beside.string(), kPieceBytes);
      const bool is_right =
          checksum.ok() && WithoutSpaces(*checksum) == absl::Base64Escape(Md5(*text));
      if (!is_right) {
        Fail(path, 0, messages::ExportDamaged(beside.filename().string()));
        return std::nullopt;
      }
    }
    return *std::move(text);
  }

  void ReadFiles(std::string_view text) {
    size_t number = 0;
    while (!text.empty()) {
      if (IsOver()) return;
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      if (WithoutSpaces(line).empty()) continue;
      if (const std::optional<NamedFile> file = ReadFileLine(line)) {
        ReadFile(*file, number);
      } else {
        Fail(PathTo(kFiles), number, messages::ExportNoFileLine());
      }
    }
  }

  void ReadFile(const NamedFile& file, size_t line) {
    items_ += file.items;
    const std::optional<fs::path> path = PlaceOfFile(file.key);
    if (!path) return Fail(PathTo(kFiles), line, messages::ExportFileMissing(file.key));
    const std::optional<std::string> md5 = ComputeMd5(*path);
    if (!md5) return;
    if (absl::Base64Escape(*md5) != file.md5)
      return Fail(*path, 0, messages::ExportDamaged(kFiles));
    (file.items > 0 ? result_.files : result_.empty).push_back(path->lexically_normal().string());
  }

  // The local file for a key of S3, whatever prefix the export had in its bucket.
  std::optional<fs::path> PlaceOfFile(const std::string& key) const {
    const std::string name = key.substr(key.rfind('/') + 1);
    const size_t top = key.rfind(kTop);
    const bool is_beside = top != std::string::npos &&
                           std::string_view(key).substr(top + kTop.size()).starts_with(kData);
    const fs::path inside = PathTo(kData) / name;
    const fs::path beside = fs::absolute(folder_).lexically_normal() / ".." / kData / name;
    for (const fs::path& path :
         {is_beside ? beside : inside, is_beside ? inside : beside, PathTo(name)}) {
      if (IsFile(path)) return path;
    }
    return std::nullopt;
  }

  // nullopt: the file cannot be read, which is reported, or the load is interrupted.
  std::optional<std::string> ComputeMd5(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    Md5Sum sum;
    std::string piece(kPieceBytes, '\0');
    while (file) {
      if (IsOver()) return std::nullopt;
      file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      sum.Add(std::string_view(piece).substr(0, static_cast<size_t>(file.gcount())));
    }
    if (file.eof()) return sum.Finish();
    Fail(path, 0, messages::DesignCannotRead(ErrnoReason(errno)));
    return std::nullopt;
  }

  const std::string& folder_;
  const std::function<bool()>& is_over_;
  Findings* const findings_;
  ExportedFiles result_;
  uint64_t items_ = 0;
  bool has_failed_ = false;
};

}  // namespace

bool IsNameOfExport(const std::string& file) {
  const std::string name = fs::path(file).filename().string();
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool IsExportFolder(const std::string& folder) {
  const fs::path path(folder);
  std::error_code error;
  return IsFile(path / kSummary) || IsFile(path / kFiles) ||
         (IsFile(path / kStarted) && fs::file_size(path / kStarted, error) == 0);
}

ExportedFiles ReadExportFolder(const std::string& folder, const std::function<bool()>& is_over,
                               Findings* findings) {
  return ExportReader(folder, is_over, findings).Read();
}

}  // namespace dynolith::designs
