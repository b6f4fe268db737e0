# cmake -D FOLDER=tools/pages/console -D MODULES=node_modules -D OUT=folder -P bundle.cmake: the console's files as C++ literals, in
# console.inc. Where there is no esbuild or framework in MODULES, the page says so.
set(style "\"\"")
set(script "\"\"")
set(page_file ${FOLDER}/not_bundled.html)
if(EXISTS ${MODULES}/.bin/esbuild AND EXISTS ${MODULES}/preact)
  set(page_file ${FOLDER}/console.html)
  # esbuild looks for the framework from where the sources are.
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${MODULES}
            ${MODULES}/.bin/esbuild ${FOLDER}/src/main.jsx --bundle --minify --format=esm --target=es2022 --charset=utf8
            --jsx=automatic --jsx-import-source=preact --log-level=warning --legal-comments=none --outfile=${OUT}/console.js
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${MODULES}/.bin/esbuild ${FOLDER}/console.css --bundle --minify --log-level=warning --outfile=${OUT}/console.css
                  COMMAND_ERROR_IS_FATAL ANY)
endif()

function(literal file out)
  file(READ ${file} text)
  set(${out} "R\"embedded(${text})embedded\"" PARENT_SCOPE)
endfunction()
literal(${page_file} page)
if(page_file MATCHES "console.html")
  literal(${OUT}/console.js script)
  literal(${OUT}/console.css style)
endif()
file(WRITE ${OUT}/console.inc
  "constexpr std::string_view kConsolePage = ${page};\n"
  "constexpr std::string_view kConsoleStyle = ${style};\n"
  "constexpr std::string_view kConsole = ${script};\n")
