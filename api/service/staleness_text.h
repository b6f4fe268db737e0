// Stale reads as texts: the values of --staleness, and the bodies of /_dynolith/staleness.
//
//   rule  = [scope "="] how [",monotonic"]
//   scope = table | table "/" index | table ":stream"          ; without one: everything
//   how   = "held" | "none" | ["fixed:" | "random:"] duration  ; "500ms", "1.5s", "1h"
//
//   body  = {} | {"table": text} | {"table": text, "index": text} | {"table": text, "stream": true}
#ifndef DYNOLITH_API_SERVICE_STALENESS_TEXT_H_
#define DYNOLITH_API_SERVICE_STALENESS_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include "dynolith/staleness_options.h"

namespace dynolith {

// nullopt if it is no rule. Database::Open checks the bounds of the duration.
std::optional<StalenessRule> ParseStalenessRule(std::string_view text);

// nullopt if it is no such body. An empty one is {}.
std::optional<ReadScope> ParseScopeBody(std::string_view body);
// {"rules": [scope and "kind", "seconds", "monotonic"], "held": [scope and "since"], "snapshots":
// n}
void AppendStaleness(const StalenessState& state, std::string* body);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_STALENESS_TEXT_H_
