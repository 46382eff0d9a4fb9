/* A source yields batches of raw records out of a file. One const vtable a kind, one registry (source.c): csv, shapefile, xlsx.
 *
 * read is called on one thread, in order, and frames records; slice is called on any thread, once a batch, and must not touch
 * the source's changing state (the worker number selects per-thread handles: PROJ, GEOS, shapelib). */
#ifndef ODP_READ_SOURCE_H
#define ODP_READ_SOURCE_H

#include "catalog/records/batch.h"
#include "catalog/records/source_info.h"

struct odp_source; /* each kind has its own, beginning with struct odp_source_base */

struct odp_source_base {
    const struct odp_source_kind *kind;
    const struct odp_resource *resource;
    struct odp_source_info info;
};

struct odp_source_kind {
    const char *name;          /* "csv" */
    /* Opens PATH (shown as FILE) for R with WORKERS threads to come. Faults of file, header and coordinate system go to DIAGS.
     * OK; BAD: nothing can be read, all said; FAIL. The source owns what it allocates; everything in info lives until close. */
    enum odp_status (*open)(struct odp_source **out, const struct odp_resource *r, const char *path, const char *file,
                            unsigned workers, struct odp_diags *diags);
    /* The next records into B (reset by the caller). OK; DONE: no more, B is empty; FAIL. Faults of framing go to b->diags and
     * the record is marked ODP_RECORD_SKIP. A batch ends at info.batch_records records or about 1 MiB of text. */
    enum odp_status (*read)(struct odp_source *s, struct odp_batch *b);
    enum odp_status (*slice)(const struct odp_source *s, struct odp_batch *b, unsigned worker);
    void (*close)(struct odp_source *s); /* NULL is allowed */
};

/* By the resource's format, mediatype or path: .csv .tsv .txt -> csv, .shp .zip -> shapefile, .xlsx .xlsm -> xlsx. NULL: unknown (ODP-F03). */
const struct odp_source_kind *odp_source_kind_of(const struct odp_resource *r);
/* The same for a file at PATH that stands for R's own (check --as): another ending than R's path has, where it names a kind, decides. */
const struct odp_source_kind *odp_source_kind_at(const struct odp_resource *r, const char *path);
const struct odp_source_kind *const *odp_source_kinds(size_t *n);

/* False: PATH, in the folder of R's dataset, is a link that leads out of the catalogue, or is behind one (ODP-F16). Folders of --sources, and files that
 * somebody names himself, may have such links: they do not come with the catalogue. */
bool odp_source_may_be(const struct odp_resource *r, const char *path);
/* Opens the right kind after checking that PATH is there, is a file, is not too large, and has the bytes and hash that the descriptor states. */
enum odp_status odp_source_open(struct odp_source **out, const struct odp_resource *r, const char *path, const char *file,
                                unsigned workers, struct odp_diags *diags) ODP_MUST_USE;
static inline const struct odp_source_info *odp_source_info(const struct odp_source *s)
{
    return &((const struct odp_source_base *)(const void *)s)->info;
}
enum odp_status odp_source_read(struct odp_source *s, struct odp_batch *b) ODP_MUST_USE;
enum odp_status odp_source_slice(const struct odp_source *s, struct odp_batch *b, unsigned worker) ODP_MUST_USE;
void odp_source_close(struct odp_source *s);

/* Matches LABELS with the schema's fields by (source) name as fieldsMatch says, fills column_of_field and field_of_column
 * (allocated in A) and reports H02 .. H07. LINE and the label's POSITION in the file are for the diagnostics. Names longer than
 * 10 bytes match a DBF column cut to 10 when CUT_TO is 10 and the match is unambiguous. OK or BAD (cannot go on). */
struct odp_header {
    struct odp_slice *labels;
    uint32_t *columns;         /* character column of each label in its line; NULL for shapefiles */
    uint32_t n;
    uint64_t line;
    const char *sheet;         /* of a workbook: columns are its columns' numbers; or NULL */
    struct odp_slice source;   /* the header line as it stands */
    uint32_t *pos;             /* byte of each label in `source`; NULL for shapefiles */
    size_t cut_to;             /* 0 or 10 */
};
enum odp_status odp_header_match(const struct odp_resource *r, const char *file, const struct odp_header *h,
                                 struct odp_arena *a, struct odp_source_info *info, struct odp_diags *diags) ODP_MUST_USE;
/* Without a header the columns are the schema's fields in their order. OK or FAIL. */
enum odp_status odp_header_take_schema(const struct odp_resource *r, struct odp_arena *a, struct odp_source_info *info) ODP_MUST_USE;

#endif
