# What libraries have or lack, asked of their headers: versions say it less well, since distributions mend and carry back.
include(CheckStructHasMember)

# Hooks of shapelib 1.6 and later are given a context (tools/lib/base/shapelib.h).
set(CMAKE_REQUIRED_INCLUDES ${SHAPELIB_INCLUDE_DIRS})
check_struct_has_member(SAHooks pvUserData shapefil.h ODP_SHAPELIB_CONTEXT LANGUAGE C)
unset(CMAKE_REQUIRED_INCLUDES)
if(ODP_SHAPELIB_CONTEXT)
    target_compile_definitions(PkgConfig::SHAPELIB INTERFACE ODP_SHAPELIB_CONTEXT)
endif()
