# A heavy library that stages load where they first call it (base/library.h): base/libraries/NAME.def says what of it they call, LIBS is what it is linked with.
#   odp_lib_NAME     what stages link: the headers, the table of calls and what loads it
#   odp_linked_NAME  for a program that wants the library linked all the same: it calls odp_link_NAME()
function(odp_library name) # LIBS…
    set(list ${CMAKE_SOURCE_DIR}/tools/lib/base/libraries/${name}.def)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} lines REGEX "^[^#]")
    file(SHA256 ${list} stamp)
    set(includes "")
    set(members "")
    set(defines "")
    set(values "")
    foreach(line ${lines})
        if(line MATCHES "^include (.+)$")
            string(APPEND includes "#include <${CMAKE_MATCH_1}>\n")
        else()
            string(APPEND members "    __typeof__(&${line}) ${line};\n")
            string(APPEND defines "#undef ${line}\n#define ${line} (odp_calls_${name}.${line})\n")
            string(APPEND values "    .${line} = ${line},\n")
        endif()
    endforeach()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/lib)
    set(header "/* Made of base/libraries/${name}.def. */\n#ifndef ODP_LIB_${name}_H\n#define ODP_LIB_${name}_H\n${includes}#include \"base/library.h\"\n")
    if(NOT ODP_MODULES)
        file(CONFIGURE OUTPUT ${folder}/base/libraries/${name}.h CONTENT "@header@
static inline ODP_MUST_USE enum odp_status odp_load_@name@(void) { return ODP_OK; }
static inline void odp_link_@name@(void) {}
#endif
" @ONLY)
        add_library(odp_lib_${name} INTERFACE)
        target_include_directories(odp_lib_${name} INTERFACE ${folder})
        target_link_libraries(odp_lib_${name} INTERFACE odp_base ${ARGN})
        add_library(odp_linked_${name} ALIAS odp_lib_${name})
        return()
    endif()
    file(CONFIGURE OUTPUT ${folder}/base/libraries/${name}.h CONTENT "@header@
struct odp_calls_@name@ {
    const char *stamp;
@members@};
extern struct odp_calls_@name@ odp_calls_@name@;
extern const struct odp_calls_@name@ odp_table_@name@;
extern struct odp_library odp_library_@name@;
static inline ODP_MUST_USE enum odp_status odp_load_@name@(void) { return odp_library_load(&odp_library_@name@); }
static inline void odp_link_@name@(void) { odp_library_link(&odp_library_@name@, &odp_table_@name@); }
#ifndef ODP_LIBRARY_TABLE
@defines@#endif
#endif
" @ONLY)
    file(CONFIGURE OUTPUT ${folder}/${name}_calls.c CONTENT "#include \"base/libraries/@name@.h\"
struct odp_calls_@name@ odp_calls_@name@;
struct odp_library odp_library_@name@ = {.name = \"@name@\", .stamp = \"@PROJECT_VERSION@ @stamp@\", .calls = &odp_calls_@name@,
    .size = sizeof odp_calls_@name@, .lock = PTHREAD_MUTEX_INITIALIZER};
" @ONLY)
    file(CONFIGURE OUTPUT ${folder}/${name}_table.c CONTENT "#define ODP_LIBRARY_TABLE
#include \"base/libraries/@name@.h\"
const struct odp_calls_@name@ odp_table_@name@ = {
    .stamp = \"@PROJECT_VERSION@ @stamp@\",
@values@};
" @ONLY)
    add_library(odp_module_${name} MODULE ${folder}/${name}_table.c)
    set_target_properties(odp_module_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/odp)
    target_include_directories(odp_module_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${folder})
    target_link_libraries(odp_module_${name} PRIVATE ${ARGN} odp_hardening)
    install(TARGETS odp_module_${name} LIBRARY DESTINATION lib/odp)
    add_library(odp_lib_${name} STATIC ${folder}/${name}_calls.c)
    target_include_directories(odp_lib_${name} PUBLIC ${folder})
    foreach(lib ${ARGN}) # its headers without the library itself
        target_include_directories(odp_lib_${name} SYSTEM PUBLIC $<TARGET_PROPERTY:${lib},INTERFACE_INCLUDE_DIRECTORIES>)
        target_compile_options(odp_lib_${name} PUBLIC $<TARGET_PROPERTY:${lib},INTERFACE_COMPILE_OPTIONS>)
    endforeach()
    target_link_libraries(odp_lib_${name} PUBLIC odp_base PRIVATE odp_flags)
    add_dependencies(odp_lib_${name} odp_module_${name})
    add_library(odp_linked_${name} STATIC EXCLUDE_FROM_ALL ${folder}/${name}_table.c)
    target_link_libraries(odp_linked_${name} PUBLIC odp_lib_${name} ${ARGN} PRIVATE odp_hardening)
endfunction()

