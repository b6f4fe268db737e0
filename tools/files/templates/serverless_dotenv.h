// .env files beside serverless.yml, as the framework's libraries dotenv 16 and dotenv-expand 10
// read them.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_SERVERLESS_DOTENV_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_SERVERLESS_DOTENV_H_

#include <map>
#include <optional>
#include <string>

#include "tools/files/table/findings.h"

namespace dynolith::designs {

// Returns a variable of the process; nullopt if there is none of this name.
std::optional<std::string> OfProcess(const std::string& name);

// The variables of a file, overridden by those of the process, and with ${NAME}, ${NAME:-default}
// and $NAME in them replaced. For each name the last line wins. A line that is no assignment, which
// the framework skips, is an error, and so is a variable that refers to itself or is too long.
std::map<std::string, std::string> ReadDotenv(const std::string& file, const std::string& text,
                                              Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_SERVERLESS_DOTENV_H_
