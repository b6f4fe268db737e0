#include <memory>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/expr/bound_terms.h"
#include "engine/expr/expression.h"
#include "engine/expr/messages.h"
#include "engine/expr/selection.h"
#include "engine/expr/term_parser.h"
#include "engine/expr/text_cache.h"

namespace dynolith {
namespace {

// The parse of a valid text, without its placeholders.
struct ProjectionText {
  ProjectionText(std::string_view text, ExpressionKind kind) : terms(text, kind), plan({}) {}

  ParsedTerms terms;
  Projection::Plan plan;  // valid if no placeholder stands for a name
};

absl::Status ParsePaths(TermParser* parser) {
  DYNOLITH_RETURN_IF_ERROR(parser->CheckText());
  for (;;) {
    absl::StatusOr<uint32_t> path = parser->ParsePath();
    if (!path.ok()) return std::move(path).status();
    if (!parser->At(TokenKind::kComma)) break;
    parser->Advance();
  }
  DYNOLITH_RETURN_IF_ERROR(parser->Expect(TokenKind::kEnd));
  DYNOLITH_RETURN_IF_ERROR(parser->CheckReservedWords());
  return parser->CheckPathDepth();
}

// Finds errors that depend on the values of the placeholders.
absl::Status CheckPaths(const BoundTerms& terms) {
  DYNOLITH_RETURN_IF_ERROR(terms.CheckNames(0, terms.term_count()));
  const std::vector<Path>& paths = terms.paths();
  if (const auto pair = FindOverlap(paths)) {
    return terms.Invalid(
        messages::PathsOverlap(paths[pair->first].ToString(), paths[pair->second].ToString()));
  }
  if (const auto pair = FindConflict(paths)) {
    return terms.Invalid(
        messages::PathsConflict(paths[pair->first].ToString(), paths[pair->second].ToString()));
  }
  return absl::OkStatus();
}

}  // namespace

Projection::Plan::Plan(std::vector<Path> all_paths) : paths(std::move(all_paths)) {
  for (const Path& path : paths) {
    if (path.is_top_level()) continue;
    order = SortedPositions(paths);
    return;
  }
}

// A text is cached after it was valid once, so a cached text without placeholders is always valid.
absl::StatusOr<Projection> Projection::Parse(std::string_view text, Placeholders* placeholders) {
  TextCache<ProjectionText>& cache = TextCache<ProjectionText>::OfThread();
  std::shared_ptr<const ProjectionText> parsed = cache.Find(text, ExpressionKind::kProjection);
  std::shared_ptr<ProjectionText> fresh;
  if (parsed == nullptr) {
    fresh = std::make_shared<ProjectionText>(text, ExpressionKind::kProjection);
    TermParser parser(&fresh->terms);
    DYNOLITH_RETURN_IF_ERROR(ParsePaths(&parser));
    parsed = fresh;
  }
  const bool has_names = !parsed->terms.names.empty();
  std::shared_ptr<const Plan> plan(parsed, &parsed->plan);
  if (has_names || fresh != nullptr) {
    BoundTerms terms(parsed->terms, placeholders);
    DYNOLITH_RETURN_IF_ERROR(CheckPaths(terms));
    if (has_names) plan = std::make_shared<const Plan>(terms.TakeOwnPaths());
  }
  if (fresh != nullptr) {
    fresh->plan = Plan(fresh->terms.paths);
    cache.Add(fresh);
  }
  Projection projection(std::move(plan));
  projection.text_ = std::move(parsed);
  return projection;
}

Projection Projection::FromTopLevelNames(absl::Span<const std::string> names) {
  std::vector<Path> paths;
  paths.reserve(names.size());
  for (const std::string& name : names) paths.emplace_back(name);
  return Projection(std::make_shared<const Plan>(std::move(paths)));
}

void Projection::Apply(ItemView item, ItemBuilder* builder) const {
  if (!plan_->order.empty()) {
    SelectPaths(item, plan_->paths, plan_->order, builder);
    return;
  }
  builder->BeginMap();
  for (const Path& path : plan_->paths) {
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
