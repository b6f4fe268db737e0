// What a request says about itself and its caller: the values of condition keys.
#ifndef DYNOLITH_TOOLS_SERVER_IAM_POLICY_REQUEST_CONTEXT_H_
#define DYNOLITH_TOOLS_SERVER_IAM_POLICY_REQUEST_CONTEXT_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "engine/base/strings.h"

namespace dynolith::iam {

// Names of keys are compared without case: "aws:username" (api/facts/iam.md §3).
class RequestContext {
 public:
  using Values = std::vector<std::string>;

  void Set(std::string_view key, std::string value) { SetList(key, {std::move(value)}); }
  // An empty list is a key without a value, unlike an absent key only for the operator Null.
  void SetList(std::string_view key, Values values) { values_[Folded(key)] = std::move(values); }
  // nullptr: the key is absent.
  const Values* Find(std::string_view key) const {
    const auto found = values_.find(Folded(key));
    return found == values_.end() ? nullptr : &found->second;
  }
  // In the order of their names, which are in small letters.
  const std::map<std::string, Values, std::less<>>& values() const { return values_; }

 private:
  static std::string Folded(std::string_view key) { return absl::AsciiStrToLower(ToAbsl(key)); }

  std::map<std::string, Values, std::less<>> values_;
};

}  // namespace dynolith::iam

#endif  // DYNOLITH_TOOLS_SERVER_IAM_POLICY_REQUEST_CONTEXT_H_
