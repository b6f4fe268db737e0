#include "engine/store/new_store.h"

#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "engine/store/integrity_manifest.h"
#include "engine/store/manifest_files.h"
#include "engine/store/rocks_types.h"

namespace dynolith {
namespace {

constexpr std::string_view kFirstManifest = "MANIFEST-000001";

rocksdb::Status HasChanges(rocksdb::Env* env, const std::string& folder, bool* result) {
  *result = false;
  std::vector<std::string> names;
  if (rocksdb::Status status = env->GetChildren(folder, &names); !status.ok()) return status;
  for (const std::string& name : names) {
    if (!LogNumber(name)) continue;
    uint64_t bytes = 0;
    rocksdb::Status status = env->GetFileSize(Concat(folder, "/", name), &bytes);
    if (!status.ok()) return status;
    if (bytes > 0) *result = true;
  }
  return rocksdb::Status::OK();
}

}  // namespace

rocksdb::Status MakeNewStore(rocksdb::Env* env, const std::string& folder) {
  bool has_changes = false;
  rocksdb::Status status = HasChanges(env, folder, &has_changes);
  if (!status.ok() || has_changes) return status;
  const std::vector<std::string_view> families(std::begin(kFamilyNames), std::end(kFamilyNames));
  const std::pair<std::string_view, std::string> files[] = {
      {"IDENTITY", env->GenerateUniqueId()},
      {kFirstManifest, FirstManifest(families)},
      {"CURRENT", Concat(kFirstManifest, "\n")},
  };
  for (const auto& [name, bytes] : files) {
    status = rocksdb::WriteStringToFile(env, bytes, Concat(folder, "/", name));
    if (!status.ok()) return status;
  }
  return status;
}

}  // namespace dynolith
