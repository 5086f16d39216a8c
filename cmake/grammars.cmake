bison_target(lt_grammar src/parser/lt/lt.y ${CMAKE_BINARY_DIR}/parser/lt_grammar.cpp COMPILE_FLAGS "-Werror"
    DEFINES_FILE ${CMAKE_BINARY_DIR}/parser/lt_grammar.h)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/parser/lexer.re.cpp
    COMMAND ${RE2C} -W -Werror -c --no-debug-info -o ${CMAKE_BINARY_DIR}/parser/lexer.re.cpp ${CMAKE_SOURCE_DIR}/src/parser/lt/lexer.re
    DEPENDS src/parser/lt/lexer.re VERBATIM)
bison_target(stp_grammar src/systemtap/grammar/stp.y ${CMAKE_BINARY_DIR}/parser/stp_grammar.cpp COMPILE_FLAGS "-Werror"
    DEFINES_FILE ${CMAKE_BINARY_DIR}/parser/stp_grammar.h)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/parser/stp.re.cpp
    COMMAND ${RE2C} -W -Werror --no-debug-info -o ${CMAKE_BINARY_DIR}/parser/stp.re.cpp ${CMAKE_SOURCE_DIR}/src/systemtap/grammar/stp.re
    DEPENDS src/systemtap/grammar/stp.re VERBATIM)
target_include_directories(lt_parser_lt PUBLIC ${CMAKE_BINARY_DIR}/parser)
target_include_directories(lt_systemtap_grammar PUBLIC ${CMAKE_BINARY_DIR}/parser)
