// The content of a trace of requests, and its bytes. Numbers of a fixed width are little-endian;
// `v` is a number of 7 bits a byte, lowest first, with the highest bit set in all bytes but the
// last.
//
// clang-format off
//   file       = header block*
//   header     = "DYNTRACE" version:u32 keys:u8 run:u64 number:u64 check:u32
//                keys: 0, hashed; 1, plain. run: the same in all files of one server's start.
//                number: of the file in its run, from 0
//   block      = stored:u32 raw:u32 check:u32 byte{stored}
//                byte: of `raw` bytes, compressed by zstd
//   check      = CRC-32 of what stands before it in the header or in the block, and of the block's bytes
//   raw bytes  = dropped:v count:v resource{count} time:v count:v request{count}
//                dropped: requests lost since the last block. time: microseconds since 1970
//   resource   = table:text index:text on_demand:u8 read_units:v write_units:v shards:v
//                local_indexes:v hash:attributes range:attributes
//   attributes = count:v (name:text type:u8){count}
//   text       = length:v byte{length}
//   request    = later:v operation:u8 count:v use{count}
//                later: microseconds after the last request, or the block's time: 2n for n of them,
//                2n - 1 for n before it
//   use        = flags:u8 resource:v half_units:v bytes:v hash:u64 [sort_hash:u64]
//                [partition_key:text] [sort_key:text]
//                resource: of the block's, from 0. Keys, if they are plain, as they stand in
//                positions (engine/key/key_codec.h), without the hash
// clang-format on
#ifndef DYNOLITH_TOOLS_SERVER_TRACE_TRACE_FORMAT_H_
#define DYNOLITH_TOOLS_SERVER_TRACE_TRACE_FORMAT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "engine/key/schema.h"
#include "engine/partition/capacity_settings.h"
#include "engine/partition/throughput_model.h"

namespace dynolith::trace {

inline constexpr uint32_t kVersion = 1;
inline constexpr size_t kHeaderBytes = 8 + 4 + 1 + 8 + 8 + 4;
// A block that announces more is damaged.
inline constexpr size_t kBlockBytesMax = 1 << 20;

// On disk. Append only.
enum class Operation : uint8_t {
  kOther = 0,
  kGetItem = 1,
  kBatchGetItem = 2,
  kTransactGetItems = 3,
  kQuery = 4,
  kScan = 5,
  kPutItem = 6,
  kUpdateItem = 7,
  kDeleteItem = 8,
  kBatchWriteItem = 9,
  kTransactWriteItems = 10,
  kExecuteStatement = 11,
  kBatchExecuteStatement = 12,
  kExecuteTransaction = 13
};
// All but kOther, in the order of their numbers.
inline constexpr std::pair<std::string_view, Operation> kOperationNames[] = {
    {"GetItem", Operation::kGetItem},
    {"BatchGetItem", Operation::kBatchGetItem},
    {"TransactGetItems", Operation::kTransactGetItems},
    {"Query", Operation::kQuery},
    {"Scan", Operation::kScan},
    {"PutItem", Operation::kPutItem},
    {"UpdateItem", Operation::kUpdateItem},
    {"DeleteItem", Operation::kDeleteItem},
    {"BatchWriteItem", Operation::kBatchWriteItem},
    {"TransactWriteItems", Operation::kTransactWriteItems},
    {"ExecuteStatement", Operation::kExecuteStatement},
    {"BatchExecuteStatement", Operation::kBatchExecuteStatement},
    {"ExecuteTransaction", Operation::kExecuteTransaction}};
// "GetItem"; "other".
std::string_view OperationName(Operation operation);
// kOther for names that are not listed.
Operation OperationNamed(std::string_view name);

// A table or a global index at the time of its use.
struct Resource {
  std::string table;
  std::string index;  // empty: the table itself
  bool on_demand = true;
  PerKind<int64_t> units;  // provisioned, a second
  int64_t shards = 1;
  int64_t local_indexes = 0;
  KeySchema key;

  friend bool operator==(const Resource& left, const Resource& right);
};

// The use of a table or a global index by a request.
struct Use {
  uint32_t resource = 0;
  AccessKind kind = AccessKind::kRead;
  // Whether it begins an operation of its request. The uses of one operation were charged or
  // refused together.
  bool begins = true;
  std::optional<ThroughputLimit> throttled;  // if set, it consumed nothing
  int64_t half_units = 0;
  int64_t bytes = 0;       // read or written; 0: unknown
  uint64_t hash = 0;       // the position among the hashes
  bool has_key = false;    // whether a partition key has this hash; else it is a part of a scan
  bool has_sort = false;   // whether it is of one item, or of a Query that begins at one
  uint64_t sort_hash = 0;  // with has_sort
  // Plain keys in the form of positions; the second contains everything behind the first. Borrowed.
  std::string_view partition_key;
  std::string_view sort_key;
};

struct Request {
  Micros at = 0;  // since 1970
  Operation operation = Operation::kOther;
  absl::InlinedVector<Use, 2> uses;
};

struct FileHeader {
  bool has_plain_keys = false;
  uint64_t run = 0;
  uint64_t number = 0;
};

struct Block {
  uint64_t dropped = 0;  // requests, before these
  std::vector<Resource> resources;
  std::vector<Request> requests;
};

std::string EncodeHeader(const FileHeader& header);
enum class HeaderError : uint8_t { kNone, kNoTrace, kNewer, kDamaged };
HeaderError DecodeHeader(std::string_view bytes, FileHeader* header);

// `plain`: whether keys are written. Appends to `bytes`.
void EncodeBlock(const Block& block, bool plain, std::string* bytes);
// Reads the block at the beginning of `bytes`, and its length. `raw` receives the bytes that the
// block borrows. nullopt: the block is incomplete or damaged.
std::optional<size_t> DecodeBlock(std::string_view bytes, bool plain, std::string* raw,
                                  Block* block);

// Parses the raw bytes of a block, which `block` borrows; false: they are invalid.
bool DecodeRawBlock(std::string_view raw, bool plain, Block* block);

// A hash that depends only on the bytes and never changes.
uint64_t StableHash(std::string_view bytes);

}  // namespace dynolith::trace

#endif  // DYNOLITH_TOOLS_SERVER_TRACE_TRACE_FORMAT_H_
