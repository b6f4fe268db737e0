#include <utility>

#include "engine/base/errors.h"
#include "engine/base/messages/expressions.h"
#include "engine/base/status_macros.h"
#include "engine/expr/expression.h"
#include "engine/expr/selection.h"
#include "engine/expr/term_parser.h"

namespace dynolith {
namespace {

absl::Status CheckPaths(const TermParser& parser) {
  DYNOLITH_RETURN_IF_ERROR(parser.CheckReservedWords());
  DYNOLITH_RETURN_IF_ERROR(parser.CheckPathDepth());
  DYNOLITH_RETURN_IF_ERROR(parser.CheckNames(0, parser.term_count()));
  const std::vector<Path>& paths = parser.paths();
  if (const auto pair = FindOverlap(paths)) {
    return parser.Invalid(
        messages::PathsOverlap(paths[pair->first].ToString(), paths[pair->second].ToString()));
  }
  if (const auto pair = FindConflict(paths)) {
    return parser.Invalid(
        messages::PathsConflict(paths[pair->first].ToString(), paths[pair->second].ToString()));
  }
  return absl::OkStatus();
}

}  // namespace

Projection::Projection(std::vector<Path> paths) : paths_(std::move(paths)) {
  for (const Path& path : paths_) {
    if (path.is_top_level()) continue;
    order_ = SortedPositions(paths_);
    return;
  }
}

absl::StatusOr<Projection> Projection::Parse(std::string_view text, Placeholders* placeholders) {
  TermParser parser(text, ExpressionKind::kProjection, placeholders);
  DYNOLITH_RETURN_IF_ERROR(parser.CheckText());
  for (;;) {
    absl::StatusOr<uint32_t> path = parser.ParsePath();
    if (!path.ok()) return std::move(path).status();
    if (!parser.At(TokenKind::kComma)) break;
    parser.Advance();
  }
  DYNOLITH_RETURN_IF_ERROR(parser.Expect(TokenKind::kEnd));
  DYNOLITH_RETURN_IF_ERROR(CheckPaths(parser));
  return Projection(std::move(parser.paths()));
}

Projection Projection::FromTopLevelNames(absl::Span<const std::string> names) {
  std::vector<Path> paths;
  paths.reserve(names.size());
  for (const std::string& name : names) paths.emplace_back(name);
  return Projection(std::move(paths));
}

void Projection::Apply(ItemView item, ItemBuilder* builder) const {
  if (!order_.empty()) {
    SelectPaths(item, paths_, order_, builder);
    return;
  }
  builder->BeginMap();
  for (const Path& path : paths_) {
    const std::optional<ValueView> value = item.Find(path.attribute());
    if (!value) continue;
    builder->Key(path.attribute());
    builder->Copy(*value);
  }
  builder->EndMap();
}

Item Projection::Apply(ItemView item) const {
  ItemBuilder builder;
  Apply(item, &builder);
  return builder.FinishItem();
}

}  // namespace dynolith
