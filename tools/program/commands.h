// The commands of the program: each adds its description and its callback to `app`; the callback
// leaves its exit code in `exit_code`. Both must outlive the call.
#ifndef DYNOLITH_TOOLS_PROGRAM_COMMANDS_H_
#define DYNOLITH_TOOLS_PROGRAM_COMMANDS_H_

namespace CLI {
class App;
}

namespace dynolith {

void AddQuickstart(CLI::App* app, int* exit_code);
void AddServe(CLI::App* app, int* exit_code);
void AddProxy(CLI::App* app, int* exit_code);
void AddStore(CLI::App* app, int* exit_code);
void AddKey(CLI::App* app, int* exit_code);
void AddCheck(CLI::App* app, int* exit_code);
void AddRepair(CLI::App* app, int* exit_code);
void AddBackup(CLI::App* app, int* exit_code);
void AddRestore(CLI::App* app, int* exit_code);
void AddVerify(CLI::App* app, int* exit_code);
void AddLoad(CLI::App* app, int* exit_code);
void AddDump(CLI::App* app, int* exit_code);
void AddMigrate(CLI::App* app, int* exit_code);
void AddMcp(CLI::App* app, int* exit_code);
void AddTop(CLI::App* app, int* exit_code);
void AddPing(CLI::App* app, int* exit_code);
void AddDoctor(CLI::App* app, int* exit_code);
void AddIamCommand(CLI::App* app, int* exit_code);
void AddDissect(CLI::App* app, int* exit_code);
void AddLab(CLI::App* app, int* exit_code);
void AddCompletion(CLI::App* app, int* exit_code);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_COMMANDS_H_
