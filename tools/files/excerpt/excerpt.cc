#include "tools/files/excerpt/excerpt.h"

#include <utility>

#include "api/json/item_line.h"
#include "api/remote/signature.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/files/excerpt/rules_file.h"

namespace dynolith::excerpt {

absl::StatusOr<std::unique_ptr<Excerpt>> Excerpt::Make(const ExcerptOptions& options) {
  std::unique_ptr<Excerpt> excerpt(new Excerpt());
  excerpt->is_strict_ = options.is_strict;
  std::string all = Concat(options.filter, '\0', options.sample, '\0');
  if (!options.filter.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(excerpt->filter_, ItemFilter::Parse(options.filter));
  }
  if (!options.sample.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(excerpt->sample_, ItemSample::Parse(options.sample));
  }
  if (!options.rules_file.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(Rules rules, ReadRulesFile(options.rules_file));
    all += rules.digest;
    excerpt->anonymiser_.emplace(std::move(rules));
  }
  excerpt->digest_ = http::Hex(http::Sha256(all));
  return excerpt;
}

absl::Status Excerpt::CheckTable(const TableKeys& keys) const {
  return anonymiser_ ? anonymiser_->CheckTable(keys) : absl::OkStatus();
}

absl::StatusOr<bool> Excerpt::Take(const TableKeys& keys, JsonTree* item, bool is_key) {
  if (sample_ && !keys.names.empty()) {
    const JsonTree* const key = item->Find(keys.names.front());
    if (key != nullptr && !sample_->Takes(*key)) return false;
  }
  if (filter_ && !is_key) {
    const absl::StatusOr<Item> read = ReadItemLine(Concat("{\"Item\":", PrintJson(*item), "}"));
    // One that is none is for the service to refuse.
    if (read.ok() && !filter_->Takes(read->view())) return false;
  }
  if (anonymiser_) DYNOLITH_RETURN_IF_ERROR(anonymiser_->Change(keys, item));
  return true;
}

std::vector<Excerpt::Doubt> Excerpt::Doubts(bool is_whole) const {
  std::vector<Doubt> doubts;
  if (!anonymiser_) return doubts;
  for (const auto& [line, text] : anonymiser_->Doubts(is_whole)) {
    doubts.push_back({anonymiser_->rules().file, line, text, is_strict_});
  }
  return doubts;
}

}  // namespace dynolith::excerpt
