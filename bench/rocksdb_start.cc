// The least that a program on RocksDB does when it starts: a store in memory with one family. What
// start_bench.cc measures is a ratio to it.
#include <memory>

#include "bench/require.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"

int main() {
  const std::unique_ptr<rocksdb::Env> memory(rocksdb::NewMemEnv(rocksdb::Env::Default()));
  rocksdb::Options options;
  options.create_if_missing = true;
  options.env = memory.get();
  rocksdb::DB* db = nullptr;
  dynolith::Require(rocksdb::DB::Open(options, "/store", &db).ok(), "open");
  delete db;
}
