# The system call numbers, from the kernel's header.
file(WRITE ${CMAKE_BINARY_DIR}/stdlib/numbers.c "#include <asm/unistd.h>\n")
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -E -dM -x c ${CMAKE_BINARY_DIR}/stdlib/numbers.c
    OUTPUT_VARIABLE SYSTEM_CALLS COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "#define __NR_[a-z0-9_]+ [0-9]+" SYSTEM_CALLS "${SYSTEM_CALLS}")
list(TRANSFORM SYSTEM_CALLS REPLACE "#define __NR_([a-z0-9_]+) ([0-9]+)" "{\\2, \"\\1\"}")
list(JOIN SYSTEM_CALLS ",\n" SYSTEM_CALLS)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/stdlib/system_calls.inc CONTENT "${SYSTEM_CALLS}\n" @ONLY)
target_include_directories(lt_stdlib PRIVATE ${CMAKE_BINARY_DIR}/stdlib)
