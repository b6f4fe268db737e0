# cmake -D FOLDER=tools/pages/live -D REPORT=tools/pages/report -D MODULES=node_modules -D OUT=folder -P embed_page.cmake: the
# texts of the page's files as C++ literals, in live.inc. Where there is no plotting library in MODULES, its text is empty.
function(literal file out)
  file(READ ${file} text)
  set(${out} "R\"embedded(${text})embedded\"" PARENT_SCOPE)
endfunction()

literal(${FOLDER}/live.html page)
literal(${FOLDER}/live.css live_style)
literal(${FOLDER}/live_figures.js live_figures)
literal(${FOLDER}/live.js live)
literal(${FOLDER}/../theme.css theme)
literal(${REPORT}/report.css style)
literal(${REPORT}/plots.js plots)
set(library ${MODULES}/uplot/dist)
set(library_script "\"\"")
set(library_style "\"\"")
if(EXISTS ${library}/uPlot.iife.min.js)
  literal(${library}/uPlot.iife.min.js library_script)
  literal(${library}/uPlot.min.css library_style)
endif()
file(WRITE ${OUT}/live.inc
  "constexpr std::string_view kPage = ${page};\n"
  "constexpr std::string_view kStyle = ${theme} ${style};\n"
  "constexpr std::string_view kLiveStyle = ${live_style};\n"
  "constexpr std::string_view kPlots = ${plots};\n"
  "constexpr std::string_view kLiveFigures = ${live_figures};\n"
  "constexpr std::string_view kLive = ${live};\n"
  "constexpr std::string_view kLibraryStyle = ${library_style};\n"
  "constexpr std::string_view kLibraryScript = ${library_script};\n")
