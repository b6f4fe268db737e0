// A file of a design: what it is, by what stands in it, and what it says.
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

// Adds what the file holds. What is wrong goes to `findings`.
void ReadDesignFile(const std::string& file, const ReadOptions& options, DesignFiles* files,
                    Findings* findings);

// Whether the name ends like that of a file that could be read: .json, .jsonl, .ndjson, .yml,
// .yaml, .csv, .ion, also with .gz or .zst behind it.
bool HasDesignName(const std::string& file);
// The name without folders and such endings, ".items" included: what a file of items is named for.
std::string FileStem(const std::string& file);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_DESIGN_DESIGN_FILE_H_
