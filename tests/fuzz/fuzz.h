/* What the fuzzers share: files in a private folder, and a run of the pipeline over them. */
#ifndef ODP_FUZZ_H
#define ODP_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The path of NAME in a temporary folder of this process; borrowed until the next call but one. */
const char *fuzz_path(const char *name);
/* Replaces the file by these bytes. */
void fuzz_write(const char *path, const uint8_t *data, size_t size);
/* odp-build check --as SLUG FILE over tests/fuzz/catalog; both reports are rendered. */
void fuzz_check(const char *slug, const char *file);

#endif
