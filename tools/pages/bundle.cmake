# cmake -D NAME=live -D FOLDER=tools/pages/live -D NOT_BUNDLED=FILE -D MODULES=node_modules -D OUT=folder -P bundle.cmake: a page as
# C++ literals, in OUT/live.inc. kLivePage is live.html, kLiveScript is src/main.jsx with all that it imports, kLiveStyle the styles
# among these. Where there is no esbuild or library in MODULES, the page is NOT_BUNDLED, and the others say why they are empty.
set(page ${FOLDER}/${NAME}.html)
set(script ${OUT}/${NAME}.js)
set(style ${OUT}/${NAME}.css)
if(EXISTS ${MODULES}/.bin/esbuild AND EXISTS ${MODULES}/preact AND EXISTS ${MODULES}/uplot)
  # esbuild looks for the libraries from where the sources are.
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${MODULES}
            ${MODULES}/.bin/esbuild ${FOLDER}/src/main.jsx --bundle --minify --format=esm --target=es2022 --charset=utf8
            --jsx=automatic --jsx-import-source=preact --log-level=warning --legal-comments=none --outfile=${script}
    COMMAND_ERROR_IS_FATAL ANY)
else()
  set(page ${NOT_BUNDLED})
  foreach(file ${script} ${style})
    file(WRITE ${file} "/* There was no npm when this program was built. */\n")
  endforeach()
endif()

string(SUBSTRING ${NAME} 0 1 first)
string(SUBSTRING ${NAME} 1 -1 rest)
string(TOUPPER ${first} first)
set(literals "")
foreach(part Page Style Script)
  string(TOLOWER ${part} file)
  file(READ ${${file}} text)
  string(APPEND literals "constexpr std::string_view k${first}${rest}${part} = R\"embedded(${text})embedded\";\n")
endforeach()
file(WRITE ${OUT}/${NAME}.inc "${literals}")
