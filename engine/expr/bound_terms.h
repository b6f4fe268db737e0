// The terms of a text together with the values of its placeholders in one request. Internal to
// engine/expr.
#ifndef DYNOLITH_ENGINE_EXPR_BOUND_TERMS_H_
#define DYNOLITH_ENGINE_EXPR_BOUND_TERMS_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "engine/expr/placeholders.h"
#include "engine/expr/term_parser.h"
#include "engine/value/value.h"

namespace dynolith {

// Borrows from the terms and from the request behind the placeholders, all of which are marked as
// used.
class BoundTerms {
 public:
  BoundTerms(const ParsedTerms& parsed, Placeholders* placeholders);

  const std::vector<Term>& terms() const { return parsed_.terms; }
  uint32_t term_count() const { return static_cast<uint32_t>(parsed_.terms.size()); }
  // In text order; an undefined placeholder stands for itself.
  const std::vector<Path>& paths() const { return own_paths_.empty() ? parsed_.paths : own_paths_; }
  // In text order. Do not read undefined ones: CheckValues comes first.
  const std::vector<ValueView>& values() const { return values_; }

  absl::Status Invalid(std::string_view problem) const {
    return InvalidExpressionError(parsed_.kind, problem);
  }
  // Whether the placeholders in the terms [begin, end) are defined.
  absl::Status CheckNames(uint32_t begin, uint32_t end) const;
  absl::Status CheckValues(uint32_t begin, uint32_t end) const;

  // paths(), if they contain placeholders; else none, since those of the text are valid.
  std::vector<Path> TakeOwnPaths() { return std::move(own_paths_); }
  std::vector<ValueView> TakeValues() { return std::move(values_); }

 private:
  const ParsedTerms& parsed_;
  std::vector<Path> own_paths_;
  std::vector<ValueView> values_;
  // Positions in the text's placeholders.
  absl::InlinedVector<uint32_t, 1> undefined_names_;
  absl::InlinedVector<uint32_t, 1> undefined_values_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_BOUND_TERMS_H_
