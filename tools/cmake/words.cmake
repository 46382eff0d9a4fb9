# Texts for people are in templates/words/*.json, in both languages. Each file becomes words/FILE.h, which whoever links the room
# contract may include: W_key is the pair "id", "en" (tools/cmake/words.c says the shapes, templates/words/README.md how to write them).
add_executable(odp-words ${CMAKE_SOURCE_DIR}/tools/cmake/words.c)
target_compile_features(odp-words PRIVATE c_std_17)
target_link_libraries(odp-words PRIVATE PkgConfig::JANSSON)
set_target_properties(odp-words PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/generated)

file(GLOB word_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/templates/words/*.json)
set(headers "")
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated/words)
foreach(file ${word_files})
    get_filename_component(name ${file} NAME_WE)
    set(header ${CMAKE_BINARY_DIR}/generated/words/${name}.h)
    add_custom_command(OUTPUT ${header} COMMAND odp-words ${file} ${header} DEPENDS ${file} odp-words VERBATIM)
    list(APPEND headers ${header})
endforeach()
add_custom_target(odp_word_headers DEPENDS ${headers})
target_include_directories(odp_contract INTERFACE ${CMAKE_BINARY_DIR}/generated)
add_dependencies(odp_contract odp_word_headers)
