// The commands of `dynolith lab`, as those of commands.h.
#ifndef DYNOLITH_TOOLS_PROGRAM_LAB_COMMANDS_H_
#define DYNOLITH_TOOLS_PROGRAM_LAB_COMMANDS_H_

namespace CLI {
class App;
}

namespace dynolith {

void AddLabNew(CLI::App* lab, int* exit_code);
void AddLabCheck(CLI::App* lab, int* exit_code);
void AddLabList(CLI::App* lab, int* exit_code);
void AddLabPrices(CLI::App* lab, int* exit_code);
void AddLabTrace(CLI::App* lab, int* exit_code);
void AddLabSimulate(CLI::App* lab, int* exit_code);
void AddLabMeasure(CLI::App* lab, int* exit_code);
void AddLabProbe(CLI::App* lab, int* exit_code);
void AddLabAdvise(CLI::App* lab, int* exit_code);
void AddLabCompare(CLI::App* lab, int* exit_code);
void AddLabBill(CLI::App* lab, int* exit_code);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_LAB_COMMANDS_H_
