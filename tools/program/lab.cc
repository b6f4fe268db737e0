// `dynolith lab`: experiments on capacity, from the command line (tools/lab). Its commands are in
// lab_commands.h.
#include <CLI/CLI.hpp>

#include "tools/program/commands.h"
#include "tools/program/lab_commands.h"

namespace dynolith {

void AddLab(CLI::App* app, int* exit_code) {
  CLI::App* const lab = app->add_subcommand(
      "lab", "Experiments on hot partitions, sharding, capacity and what they cost");
  lab->require_subcommand(1);
  AddLabNew(lab, exit_code);
  AddLabCheck(lab, exit_code);
  AddLabList(lab, exit_code);
  AddLabPrices(lab, exit_code);
  AddLabTrace(lab, exit_code);
  AddLabSimulate(lab, exit_code);
  AddLabMeasure(lab, exit_code);
  AddLabProbe(lab, exit_code);
  AddLabAdvise(lab, exit_code);
  AddLabCompare(lab, exit_code);
  AddLabBill(lab, exit_code);
  lab->footer(
      "Examples:\n"
      "  dynolith lab list\n"
      "  dynolith lab simulate celebrity\n"
      "  dynolith lab measure ycsb-b --endpoint http://localhost:8000\n"
      "  dynolith lab new shop.toml\n"
      "  dynolith lab simulate shop.toml\n"
      "  dynolith lab advise shop.toml\n"
      "  dynolith lab compare before.json after.json\n"
      "  dynolith lab bill week.json");
}

}  // namespace dynolith
