// Reads a file of a design, whose kind follows from its content.
#ifndef DYNOLITH_TOOLS_FILES_DESIGN_DESIGN_FILE_H_
#define DYNOLITH_TOOLS_FILES_DESIGN_DESIGN_FILE_H_

#include <string>
#include <vector>

#include "tools/files/items/item_reader.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/read_options.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

struct DesignFiles {
  std::vector<TableDesign> tables;
  std::vector<ItemFile> item_files;
  std::vector<ItemList> item_lists;
};

// Adds the content of the file. Errors go to `findings`.
void ReadDesignFile(const std::string& file, const ReadOptions& options, DesignFiles* files,
                    Findings* findings);

// Whether the name has the ending of a readable file: .json, .jsonl, .ndjson, .yml, .yaml, .csv,
// .ion, also followed by .gz or .zst.
bool HasDesignName(const std::string& file);
// The name without folders and such endings, and without ".items": the table of a file of items.
std::string FileStem(const std::string& file);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_DESIGN_DESIGN_FILE_H_
