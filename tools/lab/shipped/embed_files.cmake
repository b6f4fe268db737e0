# cmake -D FOLDER=tools/lab/shipped -D OUT=folder -P embed_files.cmake: the texts of the files here as C++ literals, in shipped.inc.
function(literal file out)
  file(READ ${file} text)
  set(${out} "R\"embedded(${text})embedded\"" PARENT_SCOPE)
endfunction()

file(GLOB experiments ${FOLDER}/experiments/*.toml)
list(SORT experiments)
set(rows "")
foreach(file IN LISTS experiments)
  get_filename_component(name ${file} NAME_WLE)
  literal(${file} text)
  string(APPEND rows "    {\"${name}\", ${text}},\n")
endforeach()
literal(${FOLDER}/examples/experiment.toml example)
literal(${FOLDER}/examples/replay.toml replay)
literal(${FOLDER}/prices.toml prices)
file(WRITE ${OUT}/shipped.inc
  "constexpr ShippedFile kExperiments[] = {\n${rows}};\n"
  "constexpr std::string_view kExample = ${example};\n"
  "constexpr std::string_view kExampleReplay = ${replay};\n"
  "constexpr std::string_view kPrices = ${prices};\n")
