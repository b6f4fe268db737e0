#include "engine/store/following/held_manifest.h"

#include <string_view>
#include <utility>

namespace dynolith {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

class HeldFile final : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  HeldFile(std::unique_ptr<rocksdb::FSSequentialFile> target,
           std::shared_ptr<const std::atomic<bool>> is_held)
      : FSSequentialFileOwnerWrapper(std::move(target)), is_held_(std::move(is_held)) {}

  IOStatus Read(size_t bytes, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) override {
    if (!*is_held_) return target()->Read(bytes, options, result, scratch, debug);
    *result = Slice(scratch, 0);
    return IOStatus::OK();
  }

 private:
  const std::shared_ptr<const std::atomic<bool>> is_held_;
};

}  // namespace

IOStatus HeldManifest::NewSequentialFile(const std::string& file,
                                         const rocksdb::FileOptions& options,
                                         std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                         IODebugContext* debug) {
  IOStatus status = target()->NewSequentialFile(file, options, result, debug);
  const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
  if (!status.ok() || !name.starts_with("MANIFEST-")) return status;
  opened_ = file;
  *result = std::make_unique<HeldFile>(std::move(*result), is_held_);
  return status;
}

}  // namespace dynolith
