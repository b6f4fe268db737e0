// What the values of options must be, said in words: CLI11's own checks print enumerations as
// numbers and the largest double in full.
#ifndef DYNOLITH_TOOLS_PROGRAM_OPTION_CHECKS_H_
#define DYNOLITH_TOOLS_PROGRAM_OPTION_CHECKS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace dynolith {

// `words` as the help shows them: "off|on". To be added after the transformer, so that it sees the
// value first.
CLI::Validator AmongWords(const std::string& words);
CLI::Validator Seconds();
// A factor above 0.
CLI::Validator Scale();
// Both included.
CLI::Validator Between(double least, double most);
CLI::Validator WholeBetween(int64_t least, int64_t most);
// The region becomes a part of every ARN.
CLI::Validator Region();
// A path: neither empty, which a variable without a value makes of it, nor the next option, which
// is taken for the value that was forgotten.
CLI::Validator Path();
// A name, an equals sign and any value.
CLI::Validator NameAndValue();
// As --allow-host and --allow-origin take them.
CLI::Validator HostToAllow();
CLI::Validator OriginToAllow();
// As http::ParseNetwork takes it.
CLI::Validator CallersNetwork();

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_OPTION_CHECKS_H_
