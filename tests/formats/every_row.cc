#include "tests/formats/every_row.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <vector>

#include "api/json/dispatch.h"
#include "engine/ttl/expiry_index.h"
#include "tests/datadriven/block_file.h"
#include "tests/datadriven/text_runner.h"

namespace dynolith::formats {
namespace {

using datadriven::Block;

[[noreturn]] void Fail(const std::string& what) {
  std::cerr << what << "\n";
  std::exit(1);
}

void Require(const absl::Status& status, const std::string& what) {
  if (!status.ok()) Fail(what + ": " + status.ToString());
}

void Command(const Block& block, Database* database, ManualClock* clock) {
  constexpr std::string_view kAdvance = "!advance ";
  if (block.text == "!wait") {
    Require(database->WaitForBackfills(), block.text);
  } else if (block.text.starts_with(kAdvance)) {
    clock->Advance(absl::Seconds(std::atof(block.text.c_str() + kAdvance.size())));
  } else if (block.text.starts_with("!capacity ")) {
    const std::string fault = datadriven::SetCapacity(database, block.text);
    if (!fault.empty()) Fail(block.text + ": " + fault);
  } else {
    Fail("unknown command " + block.text);
  }
}

}  // namespace

DatabaseOptions MakeOptions(ManualClock* clock) {
  // A small buffer, so that a few rows make several files.
  return {.write_buffer_bytes = 64 << 10,
          .clock = clock,
          .ttl_sweep_period = absl::ZeroDuration(),
          .stream_shards = 2};
}

void MakeEveryRow(const std::string& file, DatabaseImpl* database, ManualClock* clock) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::string fault;
  const std::vector<Block> blocks = datadriven::ReadBlocks(text, &fault);
  if (!fault.empty() || blocks.empty()) Fail(file + ": " + fault);
  const Dispatcher dispatcher(database, {});
  for (const Block& block : blocks) {
    if (block.kind == Block::Kind::kCommand) Command(block, database, clock);
    if (block.kind != Block::Kind::kCall) continue;
    const JsonResponse answer = dispatcher.Handle(block.operation, datadriven::Expand(block.body));
    if (answer.http_status != 200) Fail(block.operation + ": " + answer.body);
  }
  Require(database->TakeBackgroundFailure(), "housekeeping");
  WriteBatch batch;
  ExpiryIndex::BeginFilling(database->catalog()->Find("full")->meta()->schema.id, &batch);
  Require(database->store()->Commit(batch), "filling");
}

}  // namespace dynolith::formats
