/* The types of shapelib's file hooks, which differ between its versions (tools/cmake/features.cmake asks the
 * header): since 1.6 what takes a file's name is given a context as well, and what writes is given const
 * bytes.
 *
 *   static SAFile hook_open(const char *filename, const char *access ODP_HOOK_CONTEXT)
 *   static SAOffset hook_write(ODP_HOOK_CONST void *p, SAOffset size, SAOffset n, SAFile file) */
#pragma once

#ifdef ODP_SHAPELIB_CONTEXT
#define ODP_HOOK_CONTEXT , void *context __attribute__((unused))
#define ODP_HOOK_CONST   const
#else
#define ODP_HOOK_CONTEXT
#define ODP_HOOK_CONST
#endif
