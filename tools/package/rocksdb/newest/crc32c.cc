// RocksDB's CRC32C: by the processor's instructions where it has them, else by table. RocksDB 11.8
// decides that when it is compiled, and so either computes by table or demands the instructions of
// every machine that runs the program.
#include "util/crc32c.h"

namespace ROCKSDB_NAMESPACE {

namespace crc32c_by_table {
uint32_t Extend(uint32_t crc, const char* data, size_t bytes);
uint32_t Crc32cCombine(uint32_t first, uint32_t second, size_t bytes_of_second);
std::string IsFastCrc32Supported();
}  // namespace crc32c_by_table

namespace crc32c_by_processor {
uint32_t Extend(uint32_t crc, const char* data, size_t bytes);
std::string IsFastCrc32Supported();
}  // namespace crc32c_by_processor

namespace crc32c {
namespace {

// Reads what the compiler's start-up code has asked the processor.
bool HasInstructions() {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

}  // namespace

uint32_t Extend(uint32_t crc, const char* data, size_t bytes) {
  return HasInstructions() ? crc32c_by_processor::Extend(crc, data, bytes)
                           : crc32c_by_table::Extend(crc, data, bytes);
}

// Multiplies polynomials, without the data: the same for both.
uint32_t Crc32cCombine(uint32_t first, uint32_t second, size_t bytes_of_second) {
  return crc32c_by_table::Crc32cCombine(first, second, bytes_of_second);
}

std::string IsFastCrc32Supported() {
  return HasInstructions() ? crc32c_by_processor::IsFastCrc32Supported()
                           : crc32c_by_table::IsFastCrc32Supported();
}

}  // namespace crc32c
}  // namespace ROCKSDB_NAMESPACE
