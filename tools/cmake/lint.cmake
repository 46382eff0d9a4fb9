# Static analysis (tools/lint.py): cmake --build --preset default --target lint; the test `lint` is the same, among the deep ones.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
    return() # its flags are gcc's
endif()
set(lint ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tools/lint.py --build ${CMAKE_BINARY_DIR})
add_custom_target(lint COMMAND ${lint} USES_TERMINAL)
if(ODP_TESTS AND NOT ODP_SANITIZE)
    add_test(NAME lint COMMAND ${lint})
    set_tests_properties(lint PROPERTIES LABELS deep TIMEOUT 10800)
endif()
