# Rooms: a folder of the house is one static library, and what it links is what it may include. This is the only place where
# the layering is said: the calls of odp_room() in tools/lib, tools/odp-build and tools/odp-gateway, from the ground up.
# tests/e2e/layering.py reads them, as the configured build has them in rooms.txt.
set(ODP_ROOMS ${CMAKE_BINARY_DIR}/rooms.txt)
file(WRITE ${ODP_ROOMS} "# room: rooms that it links (tools/cmake/rooms.cmake); after | its other libraries\n")

# The target of the room FOLDER as it is named from here: a room of this program, else one of tools/lib.
function(odp_room_target out folder)
    string(MAKE_C_IDENTIFIER ${folder} id)
    if(TARGET ${ODP_ROOM_PREFIX}${id})
        set(${out} ${ODP_ROOM_PREFIX}${id} PARENT_SCOPE)
    elseif(TARGET odp_${id})
        set(${out} odp_${id} PARENT_SCOPE)
    else()
        set(${out} "" PARENT_SCOPE)
    endif()
endfunction()

# odp_room(FOLDER [PARTS folder…] LINKS room-or-library…): FOLDER below the program's own; PARTS: folders in it that belong to
# the same library. Sources are found by glob on purpose: adding a rule, a format or a page is one new file and one line in
# its registry, and no list here (CONFIGURE_DEPENDS looks again at every build).
function(odp_room folder)
    cmake_parse_arguments(PARSE_ARGV 1 room "" "" "PARTS;LINKS")
    string(MAKE_C_IDENTIFIER ${folder} id)
    set(target ${ODP_ROOM_PREFIX}${id})
    set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.c)
    foreach(part ${room_PARTS})
        list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${part}/*.c)
    endforeach()
    file(GLOB sources CONFIGURE_DEPENDS ${patterns})
    if(sources)
        add_library(${target} STATIC ${sources})
        set(scope PUBLIC)
        target_link_libraries(${target} PRIVATE odp_flags)
    else() # lists alone
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
    endif()
    target_include_directories(${target} ${scope} ${CMAKE_CURRENT_SOURCE_DIR})
    odp_room_links(${target} ${scope} ${CMAKE_CURRENT_SOURCE_DIR}/${folder} ${room_LINKS})
endfunction()

# TARGET, whose sources are in PLACE, links these rooms and libraries; noted for the test. Also for what is no static library.
function(odp_room_links target scope place)
    set(rooms "")
    set(others "")
    foreach(link ${ARGN})
        odp_room_target(found ${link})
        if(found)
            target_link_libraries(${target} ${scope} ${found})
            get_target_property(known ${found} ODP_ROOM)
            string(APPEND rooms " ${known}")
        elseif(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${link} OR IS_DIRECTORY ${CMAKE_SOURCE_DIR}/tools/lib/${link})
            message(FATAL_ERROR "${place} links the room ${link}, which does not stand below it")
        else()
            target_link_libraries(${target} ${scope} ${link})
            string(APPEND others " ${link}")
        endif()
    endforeach()
    file(RELATIVE_PATH place ${CMAKE_SOURCE_DIR}/tools ${place})
    set_target_properties(${target} PROPERTIES ODP_ROOM ${place})
    file(APPEND ${ODP_ROOMS} "${place}:${rooms} |${others}\n")
endfunction()

# The templates of FOLDER (pages, parts), and files of WORDS, compiled into TARGET as `const struct odp_template_text NAME[]`.
function(odp_compile_in_templates target name folder)
    file(GLOB files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/pages/* ${folder}/parts/*)
    set(declared "")
    set(listed "")
    foreach(path ${files} ${ARGN})
        string(MAKE_C_IDENTIFIER ${name}_${path} id)
        set(file ${folder}/${path})
        if(NOT EXISTS ${file})
            set(file ${CMAKE_SOURCE_DIR}/templates/${path})
        endif()
        odp_compile_in(${target} ${id} ${file})
        string(APPEND declared "extern const unsigned char ${id}[];\n")
        string(REGEX REPLACE "^portal/(.*)$" "\\1" path ${path}) # the portal's own serve others, too
        string(APPEND listed "    {\"${path}\", ${id}},\n")
    endforeach()
    file(CONFIGURE OUTPUT ${name}.c CONTENT "#include \"base/template/template.h\"
@declared@extern const struct odp_template_text ${name}[];
const struct odp_template_text ${name}[] = {
@listed@    {NULL, NULL}};
" @ONLY)
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
endfunction()

# FILE compiled into TARGET as `const unsigned char NAME[]`, with a 0 at its end.
function(odp_compile_in target name file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    file(CONFIGURE OUTPUT ${name}.c CONTENT "extern const unsigned char ${name}[];\nconst unsigned char ${name}[] = {@bytes@0};\n" @ONLY)
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
endfunction()
