/* The frame of every fuzzer: a target is one function, fuzz_one. Here is what targets share: pieces of an
 * input, files in a private folder (in memory where the system has /dev/shm), a small published site, and a
 * resource's way through every stage - read, check, emit, report - without threads and with one catalogue for
 * all inputs. */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "need.h"

/* The target. IN is exactly as long as it says, so that a sanitizer sees a byte too many; what failed is
 * cleared after each input. */
void fuzz_one(struct odp_slice in);

/* ---- pieces of an input ---- */

/* Takes off IN what comes before END, and END; all of it where there is no END. */
struct odp_slice fuzz_cut(struct odp_slice *in, struct odp_slice end);
/* Up to a line's end; up to a blank. */
struct odp_slice fuzz_line(struct odp_slice *in);
struct odp_slice fuzz_word(struct odp_slice *in);
/* A first byte from 1 to MOST, taken off IN; else 0. */
unsigned fuzz_choice(struct odp_slice *in, unsigned most);
/* IN with its bytes 1, 2, … replaced by VALUES (ended by NULL), into OUT. */
void fuzz_fill_in(struct odp_slice in, const char *const *values, struct odp_buffer *out);
/* The value as JSON, or the process ends; to be released. */
json_t *fuzz_json(const struct odp_buffer *b);

/* ---- files ---- */

/* The path of NAME in a temporary folder of this process, removed at exit; borrowed until the fourth call
 * after this. */
const char *fuzz_path(const char *name);
/* The same as a folder, made. */
const char *fuzz_folder(const char *name);
/* Replaces the file by these bytes. */
void fuzz_write(const char *path, struct odp_slice bytes);
static inline void fuzz_write_bytes(const char *path, const uint8_t *data, size_t size)
{
    fuzz_write(path, (struct odp_slice){(const char *)data, size});
}
/* The bytes of a file, to be released. */
struct odp_buffer fuzz_read(const char *path);
size_t fuzz_files_in(const char *folder);

/* A file of a published site. Without bytes (ptr NULL) it is not there. */
struct fuzz_site_file {
    const char *path, *cls; /* CLS NULL: no file of the manifest */
    struct odp_slice bytes;
};
/* Parts of TEXT, each from a line "@@ <path>" to the next such line, into the files of that path. */
void fuzz_site_parts(struct odp_slice text, struct fuzz_site_file *files, size_t n);
/* The files, in the order of their paths, as fuzz_path("site") with a manifest that vouches for them. */
void fuzz_site_write(const struct fuzz_site_file *files, size_t n);

/* ---- a source ---- */

struct odp_catalog;
struct odp_diags;
struct odp_resource;
/* Reads, checks and emits FILE as the first resource of tests/fuzz/catalog/SLUG; every JSON file that was
 * emitted is parsed, all reports are rendered. */
void fuzz_resource(const char *slug, const char *file);
/* The first resource of SLUG, as long as the process. */
const struct odp_resource *fuzz_resource_of(const char *slug);
const struct odp_catalog *fuzz_catalog(void);
struct odp_diags *fuzz_diags(void);
/* FILE, read and checked as that resource; its faults are in DIAGS. */
void fuzz_check(const char *slug, const char *file, struct odp_diags *diags);
/* Every registered report in both languages, the JSON ones parsed. */
void fuzz_reports(const struct odp_diags *diags);
