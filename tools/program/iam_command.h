// `dynolith iam`, a command as those of commands.h.
#ifndef DYNOLITH_TOOLS_PROGRAM_IAM_COMMAND_H_
#define DYNOLITH_TOOLS_PROGRAM_IAM_COMMAND_H_

namespace CLI {
class App;
}

namespace dynolith {

void AddIamCommand(CLI::App* app, int* exit_code);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_IAM_COMMAND_H_
