# Read by RocksDB's own CMakeLists.txt after its project(): CRC32C twice, by table and by the processor's instructions, and a
# choice between them at run time. RocksDB chooses when it is compiled.
set(crc32c_folder ${CMAKE_CURRENT_LIST_DIR})
set_source_files_properties(util/crc32c.cc PROPERTIES
  COMPILE_DEFINITIONS crc32c=crc32c_by_table SKIP_UNITY_BUILD_INCLUSION ON)
set_source_files_properties(${crc32c_folder}/crc32c_by_processor.cc PROPERTIES
  COMPILE_OPTIONS "-msse4.2;-mpclmul" SKIP_UNITY_BUILD_INCLUSION ON)
set_source_files_properties(${crc32c_folder}/crc32c.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
# When the target exists. The arguments are read then.
cmake_language(DEFER CALL target_sources rocksdb PRIVATE ${crc32c_folder}/crc32c.cc ${crc32c_folder}/crc32c_by_processor.cc)
