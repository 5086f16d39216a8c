# SystemTap's library is embedded as text.
file(GLOB STP_FILES CONFIGURE_DEPENDS src/systemtap/lib/*/*.stp src/arch/${LT_ARCHITECTURE}/*.stp)
set(STP_ASSEMBLY "")
set(STP_NAMES "")
set(STP_ROWS "")
foreach(FILE ${STP_FILES})
    get_filename_component(NAME ${FILE} NAME_WE)
    string(APPEND STP_ASSEMBLY "    \"lt_stp_${NAME}_begin:\\n.incbin \\\"${FILE}\\\"\\nlt_stp_${NAME}_end:\\n.byte 0\\n\"\n")
    string(APPEND STP_NAMES "extern \"C\" const char lt_stp_${NAME}_begin[], lt_stp_${NAME}_end[];\n")
    string(APPEND STP_ROWS "        {\"tapset/${NAME}.stp\", {lt_stp_${NAME}_begin, lt_stp_${NAME}_end}},\n")
endforeach()
configure_file(src/systemtap/tables/library.cpp.in ${CMAKE_BINARY_DIR}/stdlib/stp_library.cpp @ONLY)
# A file that is compiled together with others has no dependencies of its own.
set_source_files_properties(${CMAKE_BINARY_DIR}/stdlib/stp_library.cpp PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON OBJECT_DEPENDS "${STP_FILES}")

# Each file is built twice: for kernels with atomic instructions, and for kernels before 5.12. Attributes that no pass of
# lt needs are removed: reading them took a third of the time that the library takes.
set(ARCHITECTURE_FOLDER ${CMAKE_SOURCE_DIR}/src/arch/${LT_ARCHITECTURE})
file(GLOB BPF_SOURCES CONFIGURE_DEPENDS src/stdlib/bpf/* ${ARCHITECTURE_FOLDER}/addresses.h)
file(GLOB LIBRARY_FILES CONFIGURE_DEPENDS src/stdlib/bpf/*.bpf.c)
list(FILTER LIBRARY_FILES EXCLUDE REGEX /recorder.bpf.c$)
set(BITCODE_FOLDER ${CMAKE_BINARY_DIR}/bitcode)
file(MAKE_DIRECTORY ${BITCODE_FOLDER}/old)
set(BITCODE "")
function(lt_bitcode source output)
    add_custom_command(OUTPUT ${output}.bc
        COMMAND ${CLANG_BPF} -target bpf -mcpu=v3 -O2 -fno-strict-aliasing -Wall -Wextra -Werror -Wno-unused-function ${ARGN}
            -I/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -I${ARCHITECTURE_FOLDER} -emit-llvm -S -c ${source} -o ${output}.ll
        COMMAND sed -E -f ${CMAKE_SOURCE_DIR}/cmake/attributes.sed ${output}.ll > ${output}.few.ll
        COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-as ${output}.few.ll -o ${output}.bc
        DEPENDS ${BPF_SOURCES} ${CMAKE_SOURCE_DIR}/cmake/attributes.sed VERBATIM)
    set(BITCODE ${BITCODE} ${output}.bc PARENT_SCOPE)
endfunction()
foreach(FILE ${LIBRARY_FILES})
    string(REGEX REPLACE "^.*/(.*)\\.bpf\\.c$" "\\1" NAME ${FILE})
    lt_bitcode(${FILE} ${BITCODE_FOLDER}/${NAME})
    lt_bitcode(${FILE} ${BITCODE_FOLDER}/old/${NAME} -DLT_NO_ATOMICS)
endforeach()

# A file that is compiled together with others has no dependencies of its own.
set_source_files_properties(src/codegen/emit/library.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
    COMPILE_DEFINITIONS "LT_BITCODE_FOLDER=\"${BITCODE_FOLDER}\"" OBJECT_DEPENDS "${BITCODE}")

# The flight recorder's programs are an object of their own.
set(RECORDER_OBJECT ${CMAKE_BINARY_DIR}/recorder.bpf.o)
add_custom_command(OUTPUT ${RECORDER_OBJECT}
    COMMAND ${CLANG_BPF} -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Werror -Wno-unused-function -Wno-unused-parameter
        -I/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -I${ARCHITECTURE_FOLDER}
        -c ${CMAKE_SOURCE_DIR}/src/stdlib/bpf/recorder.bpf.c -o ${RECORDER_OBJECT}
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-strip -g ${RECORDER_OBJECT}
    DEPENDS ${BPF_SOURCES} VERBATIM)
set_source_files_properties(src/runtime/recorder/recorder_object.cpp PROPERTIES
    COMPILE_DEFINITIONS "LT_RECORDER_OBJECT=\"${RECORDER_OBJECT}\"" OBJECT_DEPENDS "${RECORDER_OBJECT}")

# The headers that kernel C in a script may use, embedded as text; from libbpf's header only the declarations.
set(HELPERS ${CMAKE_BINARY_DIR}/helpers.h)
find_path(BPF_INCLUDE bpf/bpf_helper_defs.h REQUIRED)
add_custom_command(OUTPUT ${HELPERS}
    COMMAND ${CLANG_BPF} -E -P ${BPF_INCLUDE}/bpf/bpf_helper_defs.h -o ${HELPERS}
    DEPENDS ${BPF_INCLUDE}/bpf/bpf_helper_defs.h VERBATIM)
set(C_TYPES ${CMAKE_SOURCE_DIR}/src/systemtap/c_headers/types.h)
set(C_KERNEL ${CMAKE_SOURCE_DIR}/src/systemtap/c_headers/kernel.h)
set_source_files_properties(src/declarations/c_headers.cpp PROPERTIES
    COMPILE_DEFINITIONS "LT_HELPERS=\"${HELPERS}\";LT_TYPES=\"${C_TYPES}\";LT_KERNEL=\"${C_KERNEL}\""
    OBJECT_DEPENDS "${HELPERS};${C_TYPES};${C_KERNEL}")

# What lt triage runs in the kernel.
set(TRIAGE ${CMAKE_SOURCE_DIR}/src/driver/triage/programs)
file(GLOB TRIAGE_PROGRAMS CONFIGURE_DEPENDS ${TRIAGE}/*.lt)
set_source_files_properties(src/driver/triage/programs.cpp PROPERTIES
    COMPILE_DEFINITIONS "LT_TRIAGE=\"${TRIAGE}\"" OBJECT_DEPENDS "${TRIAGE_PROGRAMS}")
