# cmake -D FOLDER=tools/pages/report -D MODULES=node_modules -D OUT=folder -P embed_page.cmake: the texts of the report's files
# as C++ literals, in report.inc. Where there is no plotting library in MODULES, its text is empty.
function(literal file out)
  file(READ ${file} text)
  set(${out} "R\"embedded(${text})embedded\"" PARENT_SCOPE)
endfunction()

set(library ${MODULES}/uplot/dist)
set(library_script "\"\"")
set(library_style "\"\"")
if(EXISTS ${library}/uPlot.iife.min.js)
  literal(${library}/uPlot.iife.min.js library_script)
  literal(${library}/uPlot.min.css library_style)
endif()
literal(${FOLDER}/report.html page)
literal(${FOLDER}/../theme.css theme)
literal(${FOLDER}/report.css style)
literal(${FOLDER}/plots.js plots)
literal(${FOLDER}/report.js script)
file(WRITE ${OUT}/report.inc
  "constexpr std::string_view kPage = ${page};\n"
  "constexpr std::string_view kStyle = ${theme} ${style};\n"
  "constexpr std::string_view kScript = ${plots} ${script};\n"
  "constexpr std::string_view kLibraryStyle = ${library_style};\n"
  "constexpr std::string_view kLibraryScript = ${library_script};\n")
