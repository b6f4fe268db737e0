#include "engine/store/local_store.h"

#include <memory>
#include <string>

#include "engine/base/strings.h"
#include "engine/store/memory_store.h"
#include "engine/store/without_folders/messages.h"

namespace dynolith {

absl::StatusOr<std::unique_ptr<LocalStore>> LocalStore::Open(const StoreOptions& options) {
  if (options.in_memory) return MakeMemoryStore();
  return absl::FailedPreconditionError(
      ToAbsl(messages::BuiltWithoutFolders(Concat("a database in the folder ", options.path))));
}

}  // namespace dynolith
