# Places the functions of lt that run in every trace next to each other. A compilation calls 10,000 of LLVM's 100,000
# functions, all over the file; in order, half the memory is needed, and the kernel maps it with half the page faults.
# LLVM's linker is needed for that; without it, lt is linked as usual.
find_program(LLD ld.lld PATHS /usr/lib/llvm-19/bin NO_DEFAULT_PATH)
if(NOT LLD OR LT_FUZZ)
    return()
endif()
get_filename_component(LLD_FOLDER ${LLD} DIRECTORY)
foreach(PROGRAM lt lt-run)
    target_link_options(${PROGRAM} PRIVATE -B${LLD_FOLDER} -fuse-ld=lld)
endforeach()
target_link_options(lt-run PRIVATE -Wl,--icf=all)  # one copy of functions with the same code

# The same program in any order, to see what it calls.
lt_program(lt-unordered $<TARGET_OBJECTS:lt_main> lt_driver_console lt_driver_agent)
target_link_options(lt-unordered PRIVATE -B${LLD_FOLDER} -fuse-ld=lld)
add_executable(called_functions cmake/order/called_functions.cpp)
target_link_libraries(called_functions PRIVATE lt_options)

# Compiled for the kernel of the tests: a small program, and then one with a span and output.
set(ORDER ${CMAKE_BINARY_DIR}/functions.order)
set(COMPILES $<TARGET_FILE:called_functions> $<TARGET_FILE:lt-unordered> --kernel ${CMAKE_SOURCE_DIR}/tests/kernel/stock
    --dump plan -e)
add_custom_command(OUTPUT ${ORDER}
    COMMAND ${COMPILES} "t:syscalls:sys_exit_read { @ = hist(args.ret); }" > ${ORDER}
    COMMAND ${COMPILES} "BEGIN { printf(\"%s %d\\n\", comm, pid); } sc:read < @[comm] = hist(...) >" >> ${ORDER}
    DEPENDS called_functions lt-unordered VERBATIM)
add_custom_target(order DEPENDS ${ORDER})
add_dependencies(lt order)
target_link_options(lt PRIVATE -Wl,--symbol-ordering-file=${ORDER} -Wl,--no-warn-symbol-ordering)
set_property(TARGET lt APPEND PROPERTY LINK_DEPENDS ${ORDER})
