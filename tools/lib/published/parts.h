/* Parts of a site: files that are made together, of the same things, and are carried over as long as those
 * are the same.
 *
 * While a part is open the stage notes by itself which staged files are asked for, found or not, and which
 * are put. <build>.parts, beside the build and no part of the site, keeps both, with a digest of what they
 * were and of the part's KEY: all that the part is made of and does not ask the stage for. The next build
 * links the files of the site before (and their twins) where key, what was asked for and what was put are
 * the same. A part that has reported anything, or asked for all files at once, is made by every build.
 *
 * One part is open at a time, on one thread. A stage that keeps no parts (odp_stage_parts was not called)
 * makes all of them. A .parts file that is damaged, or of another program, is as if there were none. */
#pragma once

#include "published/stage.h"

/* Parts are kept from now on; those of the site that odp_stage_same_as has named are carried over. COMMON:
 * digest of what all parts depend on. */
enum odp_status odp_stage_parts(struct odp_stage *s, const uint8_t common[ODP_SHA256_SIZE]) ODP_MUST_USE;
/* OK: make the part NAME, then odp_part_end. DONE: its files are there. */
enum odp_status odp_part_begin(struct odp_stage *s, const char *name, struct odp_slice key) ODP_MUST_USE;
/* The key of the open part tells what it has asked for until now: the next build does not look at that. */
void odp_part_key_tells(struct odp_stage *s);
/* STATUS: of making it; returned unless noting fails. */
enum odp_status odp_part_end(struct odp_stage *s, enum odp_status status) ODP_MUST_USE;
/* A text that goes into no file of its own: of the part that is open; once. Copied. */
void odp_part_set_text(struct odp_stage *s, struct odp_slice text);
/* That of the part that was begun last, carried over or made; empty: it has none. It is there as long as the
 * stage is. */
struct odp_slice odp_part_text(const struct odp_stage *s);
/* The text that the part that is open had in the site before, whatever it was made of then, while its files
 * are there as they were put; else empty. It is there as long as the stage is. */
struct odp_slice odp_part_text_before(const struct odp_stage *s);
/* Appends the file at PATH of that site, one that the part put, to OUT. */
enum odp_status odp_part_read_before(const struct odp_stage *s, const char *path,
                                     struct odp_buffer *out) ODP_MUST_USE;
/* For the next build. BUILD: the build's folder. */
enum odp_status odp_parts_write(const struct odp_stage *s, const char *build) ODP_MUST_USE;
