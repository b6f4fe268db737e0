// The words of PartiQL that need quotes as identifiers.
#ifndef DYNOLITH_ENGINE_PARTIQL_WORDS_H_
#define DYNOLITH_ENGINE_PARTIQL_WORDS_H_

#include <string_view>

namespace dynolith::partiql {

// Words in lower case. SQL-92's reserved words and PartiQL's own.
bool IsReservedWord(std::string_view word);
// Those of them that are operators.
bool IsOperatorWord(std::string_view word);
// Those that name functions when a parenthesis follows.
bool IsFunctionWord(std::string_view word);
// The grammar's name of the type that a word after IS names; empty if it names none. Some of these
// words are not reserved: int4.
std::string_view TypeOfWord(std::string_view word);

}  // namespace dynolith::partiql

#endif  // DYNOLITH_ENGINE_PARTIQL_WORDS_H_
