# The bill of materials of what is installed (tools/sbom.py): share/doc/odp/odp-build.spdx.json, share/doc/odp-gateway/odp-gateway.spdx.json, and where both
# parts go into one prefix share/doc/odp/odp.spdx.json of the whole. Made when files are in place, since packaging strips them first. Needs Python 3; without
# it there is no bill, and a line that says so.
# To be included after every install().
find_package(Python3 QUIET COMPONENTS Interpreter)
find_program(ODP_READELF NAMES readelf)
if(NOT Python3_Interpreter_FOUND OR NOT ODP_READELF)
    message(STATUS "No bill of materials is made: it needs Python 3 and readelf. On Debian: apt-get install python3 binutils")
    return()
endif()

install(CODE "
    set(name odp)
    set(folder share/doc/odp)
    if(CMAKE_INSTALL_COMPONENT)
        set(name odp-\${CMAKE_INSTALL_COMPONENT})
    endif()
    if(CMAKE_INSTALL_COMPONENT STREQUAL gateway)
        set(folder share/doc/odp-gateway)
    endif()
    set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    set(bill \"\${CMAKE_INSTALL_PREFIX}/\${folder}/\${name}.spdx.json\")
    set(files \"\")
    foreach(file \${CMAKE_INSTALL_MANIFEST_FILES})
        list(APPEND files \"\$ENV{DESTDIR}\${file}\")
    endforeach()
    message(STATUS \"Installing: \$ENV{DESTDIR}\${bill}\")
    execute_process(COMMAND \"${Python3_EXECUTABLE}\" -B \"${CMAKE_SOURCE_DIR}/tools/sbom.py\" --name \${name} --version ${PROJECT_VERSION}
        --prefix \"\${root}\" --out \"\$ENV{DESTDIR}\${bill}\" --source \"${CMAKE_SOURCE_DIR}\" \${files} COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${bill}\")
" ALL_COMPONENTS)

# cmake --build --preset default --target sbom, after the build: its bill, build/odp-VERSION.spdx.json, beside a copy of what it is of
add_custom_target(sbom
    COMMAND ${CMAKE_COMMAND} --install ${CMAKE_BINARY_DIR} --prefix ${CMAKE_BINARY_DIR}/sbom --strip
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_BINARY_DIR}/sbom/share/doc/odp/odp.spdx.json ${CMAKE_BINARY_DIR}/odp-${PROJECT_VERSION}.spdx.json
    COMMENT "Writing ${CMAKE_BINARY_DIR}/odp-${PROJECT_VERSION}.spdx.json" VERBATIM)
