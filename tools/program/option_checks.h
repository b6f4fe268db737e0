// Checks of options' values with readable texts: CLI11's own checks print enumerations as numbers
// and the largest double in full.
#ifndef DYNOLITH_TOOLS_PROGRAM_OPTION_CHECKS_H_
#define DYNOLITH_TOOLS_PROGRAM_OPTION_CHECKS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace dynolith {

// `words` as the help shows them: "off|on". Add it after the transformer, so that this check sees
// the value first.
CLI::Validator AmongWords(const std::string& words);
CLI::Validator Seconds();
// "500ms", "24h".
CLI::Validator DurationFrom(absl::Duration least);
// A factor above 0.
CLI::Validator Scale();
// Both included.
CLI::Validator Between(double least, double most);
CLI::Validator WholeBetween(int64_t least, int64_t most);
// The region becomes a part of every ARN.
CLI::Validator Region();
// A region, an equals sign and a port.
CLI::Validator RegionPort();
// A path, which must not be empty, as after an unset variable, nor look like an option, as when the
// value was forgotten.
CLI::Validator NamedPath();
// Where a key comes from: file:PATH, env:NAME or command:TEXT.
CLI::Validator KeySource();
// A name, an equals sign and any value.
CLI::Validator NameAndValue();
// A value of --allow-host or --allow-origin.
CLI::Validator HostToAllow();
CLI::Validator OriginToAllow();
// A text that http::ParseNetwork accepts.
CLI::Validator CallersNetwork();

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_OPTION_CHECKS_H_
