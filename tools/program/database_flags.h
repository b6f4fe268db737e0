// The program's flags for the options of opening a database (api/service/database_options.h).
#ifndef DYNOLITH_TOOLS_PROGRAM_DATABASE_FLAGS_H_
#define DYNOLITH_TOOLS_PROGRAM_DATABASE_FLAGS_H_

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>
#include <string_view>

#include "api/service/database_options.h"

namespace dynolith {

// Adds the flag of the option with this JSON name, whose values go into the settings. Requires:
// there is such an option, and it has a flag.
CLI::Option* AddDatabaseFlag(CLI::App* command, std::string_view name, OpenSettings* settings);
// Those of several options, one after the other.
void AddDatabaseFlags(CLI::App* command, std::initializer_list<std::string_view> names,
                      OpenSettings* settings);
// The flag of the key of an encrypted data folder, for commands that open a folder by themselves.
CLI::Option* AddKeyFlag(CLI::App* command, std::string* key);
// The flag of an option whose value is kept as given.
CLI::Option* AddUnreadFlag(CLI::App* command, std::string_view name, std::string* text);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_DATABASE_FLAGS_H_
