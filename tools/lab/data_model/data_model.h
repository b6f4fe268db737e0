// Reads a data model of AWS's design tools for DynamoDB, dynamodb_data_model.json: tables with
// their indexes and entities, and access patterns. README.md names the descriptions of the two
// forms that are read.
#ifndef DYNOLITH_TOOLS_LAB_DATA_MODEL_DATA_MODEL_H_
#define DYNOLITH_TOOLS_LAB_DATA_MODEL_DATA_MODEL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace dynolith::lab {

enum class ModelProjection : uint8_t { kAll, kInclude, kKeysOnly };

struct ModelIndex {
  std::string name;
  std::string partition_key;
  std::string sort_key;  // may be empty
  ModelProjection projection = ModelProjection::kAll;
  std::vector<std::string> attributes;  // of kInclude
};

struct ModelEntity {
  std::string name;
  double item_bytes = 0;
  double items = 0;
  std::vector<std::string> attributes;
};

// The provisioned units of a table and of each of its indexes.
struct ModelCapacity {
  double read = 0;
  double write = 0;
};

struct ModelTable {
  std::string name;
  std::string partition_key;
  std::string sort_key;  // may be empty
  bool infrequent_access = false;
  std::map<std::string, std::string> types;  // of attributes, if declared: S, N or B
  std::vector<ModelEntity> entities;
  std::vector<ModelIndex> indexes;
  std::optional<ModelCapacity> capacity;
};

enum class ModelWrite : uint8_t { kCreate, kOther };

struct ModelPattern {
  std::string id;
  std::string description;
  std::string operation;  // as the service calls it; empty: not a call to DynamoDB
  std::string table;
  std::string index;           // may be empty
  std::optional<double> rate;  // a second, at the peak
  bool is_strong = false;
  int64_t items = 1;
  std::vector<int64_t> item_bytes;  // billed sizes, of which each item has one; empty: unknown
  std::optional<std::vector<std::string>> attributes_written;
  std::vector<std::string> entities_written;  // one for each item
  ModelWrite write = ModelWrite::kOther;
};

struct DataModel {
  std::vector<ModelTable> tables;
  std::vector<ModelPattern> patterns;
};

// Errors: kInvalidArgument with a line "file:line:column: what is expected" for each invalid place.
absl::StatusOr<DataModel> ParseDataModel(const std::string& file, std::string_view text);

// The members of benchmark_config.json that describe a load.
struct BenchmarkConfig {
  double seconds = 0;
  double scale = 0;  // of each pattern's rate, which is then limited to the range below
  double rate_least = 0;
  double rate_most = 0;
  std::optional<double> zipf;  // reads of the nth key have a weight of 1/n^zipf; nullopt: uniform
  int64_t partitions = 0;      // different partition keys of each table
  std::optional<ModelCapacity> capacity;
};

absl::StatusOr<BenchmarkConfig> ParseBenchmarkConfig(const std::string& file,
                                                     std::string_view text);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_DATA_MODEL_DATA_MODEL_H_
