# cmake -D FOLDER=tools/package/quickstart -D OUT=folder -P embed_files.cmake: the example's files and what is said of it as C++
# literals, in quickstart.inc.
function(literal file out)
  file(READ ${file} text)
  set(${out} "R\"embedded(${text})embedded\"" PARENT_SCOPE)
endfunction()

literal(${FOLDER}/shop.json table)
literal(${FOLDER}/shop.items.json items)
literal(${FOLDER}/welcome.txt welcome)
file(WRITE ${OUT}/quickstart.inc
  "constexpr std::string_view kTable = ${table};\n"
  "constexpr std::string_view kItems = ${items};\n"
  "constexpr std::string_view kWelcome = ${welcome};\n")
