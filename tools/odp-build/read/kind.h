/* What a kind of source is: the vtable that csv, shapefile and xlsx implement; which one a descriptor names;
 * and whether a file may be one at all.
 *
 * read is called in order, one batch at a time, and frames records; slice is called on any thread, once a
 * batch, and must not touch the source's changing state (the worker number selects per-thread handles: PROJ,
 * GEOS, shapelib). */
#pragma once

#include "catalog/records/batch.h"
#include "catalog/records/source_info.h"

struct odp_source; /* each kind has its own, beginning with struct odp_source_base */

struct odp_source_base {
    const struct odp_source_kind *kind;
    const struct odp_resource *resource;
    struct odp_source_info info;
};

struct odp_source_kind {
    const char *name; /* "csv" */
    /* Opens PATH (shown as FILE) for R with WORKERS threads to come. Faults of file, header and coordinate
     * system go to DIAGS. OK; BAD: nothing can be read, all said; FAIL. The source owns what it allocates;
     * everything in info lives until close. */
    enum odp_status (*open)(struct odp_source **out, const struct odp_resource *r, const char *path,
                            const char *file, unsigned workers, struct odp_diags *diags);
    /* The next records into B (reset by the caller). OK; DONE: no more, B is empty; FAIL. Faults of framing
     * go to b->diags and the record is marked ODP_RECORD_SKIP. A batch ends at info.batch_records records or
     * about 1 MiB of text. */
    enum odp_status (*read)(struct odp_source *s, struct odp_batch *b);
    enum odp_status (*slice)(const struct odp_source *s, struct odp_batch *b, unsigned worker);
    void (*close)(struct odp_source *s); /* NULL is allowed */
};

static inline const struct odp_source_info *odp_source_info(const struct odp_source *s)
{
    return &((const struct odp_source_base *)(const void *)s)->info;
}

/* The kinds, as they are named. */
enum odp_source_form {
    ODP_SOURCE_FORM_CSV,
    ODP_SOURCE_FORM_SHAPEFILE,
    ODP_SOURCE_FORM_XLSX,
    ODP_SOURCE_FORM_NONE /* and how many there are */
};
/* By the resource's format, mediatype or path: .csv .tsv .txt -> csv, .shp .zip -> shapefile, .xlsx .xlsm ->
 * xlsx. */
enum odp_source_form odp_source_form_of(const struct odp_resource *r);
/* By a format, or the end of a path behind its dot. */
enum odp_source_form odp_source_form_named(const char *format);

/* False: PATH, in the folder of R's dataset, is a link that leads out of the catalogue, or is behind one
 * (ODP-F16). Folders of --sources, and files that somebody names himself, may have such links: they do not
 * come with the catalogue. */
bool odp_source_may_be(const struct odp_resource *r, const char *path);
