/* What the fuzzers share: files in a private folder (in memory where the system has /dev/shm), and one
 * resource's way through every stage - ingest, validate, emit, report - without the pipeline's threads and
 * without opening the catalogue again. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The path of NAME in a temporary folder of this process, gone at exit; borrowed until the fourth call after.
 */
const char *fuzz_path(const char *name);
/* Replaces the file by these bytes. */
void fuzz_write(const char *path, const uint8_t *data, size_t size);
/* Reads, checks and emits FILE as the first resource of tests/fuzz/catalog/SLUG; every JSON file that was
 * emitted is parsed, all reports are rendered. Aborts where a stage says that the machine failed: no input
 * can do that. */
void fuzz_resource(const char *slug, const char *file);
struct odp_resource;
/* The first resource of tests/fuzz/catalog/SLUG, as long as the process. */
const struct odp_resource *fuzz_resource_of(const char *slug);

struct odp_catalog;
const struct odp_catalog *fuzz_catalog(void);
struct odp_diags;
/* FILE, read and checked as that resource; its faults are in DIAGS. */
void fuzz_check(const char *slug, const char *file, struct odp_diags *diags);
/* Every registered report in both languages, the JSON ones parsed. */
void fuzz_reports(const struct odp_diags *diags);
