// The text files of tests/testdata/: calls and what they must answer.
//
// Grammar, by lines:
//   file     = { blank | comment | command | block }
//   comment  = "#" anything
//   command  = "!advance" seconds     ; moves the clock
//            | "!table-delay" seconds ; how long changes of tables take in this file
//            | "!wait"                ; until no index is being filled any more
//            | "!capacity" table mode scale ; what becomes of requests beyond it, from now on
//            | "!sweep"               ; deletes what has expired
//            | "!reopen"              ; closes the database, of this file in a folder, and opens it
//            | "!check"               ; every check of a store agrees
//            | "!regions" { name }    ; this file has a database for each; calls go to the first
//            | "!in" region           ; from now on calls go there
//            | "!cut" region | "!lag" seconds | "!overlap" seconds | "!release" | "!settle"
//                                     ; the dials of Regions (dynolith/regions.h)
//   block    = operation-name { body-line } "----" { expected-line } ( blank | end )
//   body     = a JSON text in any number of lines
//   expected = "200" [ JSON ]                      ; no JSON: {}
//            | "200 (empty)"                       ; a body without a byte
//            | "200 (any)"                         ; for preparations that other files look at
//            | status name [ ": " message ] [ JSON of the members besides __type and message ]
// In bodies and expectations "@text*3@" stands for texttexttext, and "@text%*3,@" for
// text0,text1,text2, also with " OR " in place of the comma. A line break in a message is written
// \n. A string "${name}" of an expected JSON stands for whatever is answered there; from then on
// ${name} means that, in bodies and expectations.
#ifndef DYNOLITH_TESTS_DATADRIVEN_BLOCK_FILE_H_
#define DYNOLITH_TESTS_DATADRIVEN_BLOCK_FILE_H_

#include <string>
#include <string_view>
#include <vector>

namespace dynolith::datadriven {

struct Block {
  enum class Kind { kVerbatim, kCommand, kCall } kind = Kind::kVerbatim;
  int line = 0;      // of its first line, from 1
  std::string text;  // kVerbatim: blank lines and comments, as they are; kCommand: the line
  std::string operation;
  std::string body;      // as written
  std::string expected;  // as written, without the closing line break
};

// `fault` gets a message if the text does not follow the grammar.
std::vector<Block> ReadBlocks(std::string_view text, std::string* fault);
std::string PrintBlocks(const std::vector<Block>& blocks);

// Replaces the repetitions of the grammar above.
std::string Expand(std::string_view text);

}  // namespace dynolith::datadriven

#endif  // DYNOLITH_TESTS_DATADRIVEN_BLOCK_FILE_H_
