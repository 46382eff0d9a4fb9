# Faults of the gateway: a library that is steered while the processes run (not with sanitizers, whose runtimes want to come first).
if(TARGET odp_gateway_service AND NOT ODP_SANITIZE)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    add_library(odp_gateway_shim MODULE gateway_shim.c gateway_shim_log.c gateway_shim_files.c gateway_shim_memory.c)
    set_target_properties(odp_gateway_shim PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/fault)
    target_link_libraries(odp_gateway_shim PRIVATE ${CMAKE_DL_LIBS})
    target_compile_definitions(odp_gateway_shim PRIVATE _GNU_SOURCE)
    target_compile_options(odp_gateway_shim PRIVATE -U_FORTIFY_SOURCE) # as above
    # full takes the acts on which keys hang; deep takes all of them.
    set(gateway_start_faults_full Start.test_keys)
    set(gateway_faults_full Acts.test_register Acts.test_rotate Acts.test_revoke Hooks.test_create Hooks.test_rotate Commands.test_commands Queries.test_answers Nginx.test_strangers)
    foreach(file gateway_start_faults gateway_faults)
        string(REPLACE "_faults" "_fault" name ${file})
        foreach(label full deep)
            add_test(NAME ${name}_${label} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/${file}.py ${${file}_${label}})
            set_tests_properties(${name}_${label} PROPERTIES LABELS ${label} ENVIRONMENT
                "ODP_BUILD=$<TARGET_FILE:odp-build>;ODP_SAMPLE=$<TARGET_FILE:odp-sample>;ODP_GATEWAY=${CMAKE_BINARY_DIR}/bin/odp-gateway;ODP_NGINX_MODULE=${CMAKE_BINARY_DIR}/bin/ngx_http_odp_module.so;ODP_SOURCE=${CMAKE_SOURCE_DIR};ODP_BINARY_DIR=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
        endforeach()
        set_property(TEST ${name}_deep APPEND PROPERTY ENVIRONMENT "ODP_FAULT_ALL=1")
        set_tests_properties(${name}_deep PROPERTIES TIMEOUT 7200)
    endforeach()
endif()
