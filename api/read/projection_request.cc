#include "api/read/projection_request.h"

#include "engine/base/status_macros.h"
#include "engine/expr/legacy.h"

namespace dynolith {

absl::Status LowerRequestAttributesToGet(const std::optional<std::vector<std::string>>& names,
                                         std::optional<Projection>* projection) {
  if (!names) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(*projection, LowerAttributesToGet(*names));
  return absl::OkStatus();
}

absl::Status ParseRequestProjection(const std::optional<std::string>& expression,
                                    Placeholders* placeholders,
                                    std::optional<Projection>* projection) {
  if (!expression) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(*projection, Projection::Parse(*expression, placeholders));
  return absl::OkStatus();
}

absl::Status CheckKeyPaths(const std::optional<Projection>& projection, const KeySchema& key,
                           absl::Span<const IndexSchema> indexes) {
  if (!projection) return absl::OkStatus();
  for (const Path& path : projection->paths()) {
    DYNOLITH_RETURN_IF_ERROR(CheckKeyPath(path, key, indexes));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
