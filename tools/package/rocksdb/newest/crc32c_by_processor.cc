// RocksDB's CRC32C under another name, which crc32c.cmake has compiled for SSE 4.2 and PCLMULQDQ.
#define crc32c crc32c_by_processor
#include "util/crc32c.cc"
