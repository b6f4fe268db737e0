// Writes the generated C++ texts.
#ifndef DYNOLITH_ENGINE_MODEL_GENERATOR_WRITERS_H_
#define DYNOLITH_ENGINE_MODEL_GENERATOR_WRITERS_H_

#include <ostream>

#include "engine/model/generator/model.h"

namespace dynolith::generator {

// The arrays that shapes.cc includes.
void WriteShapes(const Model& model, std::ostream& out);
// The members of the structures as numbers, for code that needs single ones.
void WriteMembers(const Model& model, std::ostream& out);
// The enumerations and the structures that a C++ caller fills and gets.
void WriteEnumerations(const Model& model, std::ostream& out);
void WriteStructures(const Model& model, std::ostream& out);
// The operations as methods of the database, their definitions, and their rows for the wire.
void WriteMethods(const Model& model, std::ostream& out);
void WriteDefinitions(const Model& model, std::ostream& out);
void WriteRows(const Model& model, std::ostream& out);
// The places of the members in those structures, for bindings.cc.
void WriteBindings(const Model& model, std::ostream& out);

}  // namespace dynolith::generator

#endif  // DYNOLITH_ENGINE_MODEL_GENERATOR_WRITERS_H_
