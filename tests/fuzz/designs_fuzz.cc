// Any bytes as files that are loaded: templates, files of the Serverless Framework, models, inputs
// of create-table, items in every form. Reading must end, must not misbehave, and says something of
// whatever it refuses; what it makes of a file is JSON.
//
// An input is one file, or several, each behind a line "=== file NAME", as in tests/templates.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/text/json_tree.h"
#include "tools/files/design/design_file.h"
#include "tools/files/items/item_reader.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/templates/serverless_dotenv.h"

namespace dynolith::designs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "=== file ";
constexpr std::string_view kOnly = "only.yml";
constexpr size_t kFilesMax = 12;

// Where the files of the inputs lie: in memory, if there is such a place.
class Folder {
 public:
  Folder() {
    std::error_code error;
    const fs::path memory = "/dev/shm";
    path_ = (fs::is_directory(memory, error) ? memory : fs::temp_directory_path()) /
            ("dynolith_designs_fuzz_" + std::to_string(getpid()));
    fs::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }

  // Files of an earlier input may be named by this one, too.
  void Empty() const {
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) fs::remove_all(entry);
  }
  std::string Write(std::string_view name, std::string_view text) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }

 private:
  fs::path path_;
};

// No name leads out of the folder.
bool IsName(std::string_view name) {
  const bool has_signs = std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return (letter < 0x80 && std::isalnum(letter) != 0) ||
           std::string_view("._-/").find(static_cast<char>(letter)) != std::string_view::npos;
  });
  return has_signs && !name.empty() && name.size() < 64 && name.front() != '/' &&
         name.back() != '/' && name.back() != '.' && name.find("//") == std::string_view::npos &&
         name.find("..") == std::string_view::npos && name.find("./") == std::string_view::npos;
}

// Names and texts.
std::vector<std::pair<std::string_view, std::string_view>> SplitFiles(std::string_view input) {
  std::vector<std::pair<std::string_view, std::string_view>> files;
  if (!input.starts_with(kMark)) return {{kOnly, input}};
  while (!input.empty() && files.size() < kFilesMax) {
    input.remove_prefix(kMark.size());
    const size_t head = std::min(input.find('\n'), input.size());
    const std::string_view name = input.substr(0, head);
    input.remove_prefix(std::min(head + 1, input.size()));
    size_t end = input.starts_with(kMark) ? 0 : input.find("\n" + std::string(kMark));
    if (end == std::string_view::npos) end = input.size();
    if (end > 0 && end < input.size()) ++end;
    if (IsName(name)) files.emplace_back(name, input.substr(0, end));
    input.remove_prefix(end);
  }
  return files;
}

void Check(bool is_right) {
  if (!is_right) std::abort();
}

bool IsJson(const JsonTree& tree) {
  return ParseJson(PrintJson(tree), 2 * kJsonDepthMax) != std::nullopt;
}

void CheckFindings(const Findings& findings) {
  for (const Finding& finding : findings.list()) {
    Check(!finding.text.empty() && !finding.place.file.empty());
  }
}

void ReadItems(const ItemFile& file) {
  Findings findings;
  const auto all = [] { return true; };
  const auto take = [](const JsonTree& item, const ItemWrite&, const FileLocation& place) {
    Check(IsJson(item) && !place.file.empty());
    return absl::OkStatus();
  };
  const auto fail = [&](const FileLocation& place, std::string text) {
    findings.Fail(place, std::move(text));
  };
  const auto count = [](size_t) {};
  (void)ReadItemFile(file, {}, {all, take, fail, count});
  CheckFindings(findings);
}

void Load(const std::string& file, const ReadOptions& options) {
  DesignFiles files;
  Findings findings;
  ReadDesignFile(file, options, &files, &findings);
  CheckFindings(findings);
  // Of what is wrong nothing is done.
  if (findings.errors() > 0) return;
  for (const TableDesign& table : files.tables) {
    Check(IsJson(table.create));
    for (const TableCall& call : table.calls) Check(IsJson(call.input) && !call.operation.empty());
  }
  for (const ItemList& list : files.item_lists) {
    for (const SampleItem& sample : list.items) Check(IsJson(TypedItem(sample.item, {})));
  }
  for (const ItemFile& items : files.item_files) ReadItems(items);
}

}  // namespace
}  // namespace dynolith::designs

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynolith::designs;
  static const Folder folder;
  folder.Empty();
  const auto files = SplitFiles({reinterpret_cast<const char*>(data), size});
  std::vector<std::string> written;
  for (const auto& [name, text] : files) {
    // A name may be that of another one's folder.
    try {
      written.push_back(folder.Write(name, text));
    } catch (const std::filesystem::filesystem_error&) {
      continue;
    }
    Findings findings;
    (void)ReadDotenv("env", std::string(text), &findings);
  }
  ReadOptions options;
  options.parameters = {{"Stage", "prod"}, {"opt:stage", "prod"}};
  for (const std::string& file : written) Load(file, options);
  return 0;
}
