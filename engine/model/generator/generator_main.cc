// Turns model.txt into C++ at build time:
//   model_generator <model.txt> <folder>
// writes the files that ../README.md lists into the folder.
#include <fstream>
#include <string>
#include <utility>

#include "engine/model/generator/model.h"
#include "engine/model/generator/writers.h"

int main(int argc, char** argv) {
  using namespace dynolith::generator;
  if (argc != 3) Fail("usage: model_generator <model.txt> <folder>");
  std::ifstream in(argv[1]);
  if (!in) Fail("cannot be read");
  const Model model(in);
  for (const auto& [name, write] :
       {std::pair("shapes.inc", &WriteShapes), std::pair("members.inc", &WriteMembers),
        std::pair("enumerations.h", &WriteEnumerations),
        std::pair("structures.h", &WriteStructures), std::pair("bindings.inc", &WriteBindings),
        std::pair("methods.inc", &WriteMethods), std::pair("definitions.inc", &WriteDefinitions),
        std::pair("rows.inc", &WriteRows)}) {
    std::ofstream out(std::string(argv[2]) + "/" + name);
    write(model, out);
    if (!out.flush()) Fail(std::string("cannot write ") + name);
  }
  return 0;
}
