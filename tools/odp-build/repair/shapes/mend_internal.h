/* Inside of repair/shapes. A shape is known by its number in the file, from 0. */
#pragma once

#include "read/shapefile/reader.h"
#include "repair/edits.h"
#include "repair/file_state.h"
#include "repair/shapes/mend.h"

enum { MEND_HEADER = 100, MEND_NONE = UINT32_MAX };

struct mend_record {
    uint64_t offset;  /* of its content */
    uint32_t content; /* bytes; 0: it is lost, and becomes a shape without geometry */
    uint32_t change;  /* number of its change, or MEND_NONE */
};

/* A shape that changes; its contents are in mend.bodies. */
struct mend_change {
    const struct edit *edit;
    size_t before, nbefore, after, nafter;
};

struct mend {
    struct odp_edits *edits;
    const struct odp_rewriting *how;
    struct odp_arena *arena;
    struct odp_diags *diags;
    struct shape_source source; /* its parts; not opened as a source: that refused it */
    const char *stem;           /* path of the .shp without its ending */
    struct odp_file_state began[SHAPE_PARTS];
    /* asked for */
    bool tidy;        /* the files' own numbers */
    bool shapes;      /* more than the index */
    bool table;       /* a new .dbf */
    const char *crs;  /* "EPSG:32748": a new .prj */
    uint64_t nshapes; /* edits of shapes */
    /* found */
    struct mend_record *records;
    uint32_t n;
    struct odp_buffer list; /* of RECORDS */
    struct mend_change *changes;
    size_t nchanges;
    struct odp_buffer bodies;
    bool writes[SHAPE_PARTS];
    bool misfit;
};

/* records.c: fills m->records. OK; BAD: nobody can tell which shape belongs to which row (A32 is for the
 * caller); FAIL. ROWS: how many rows the .dbf has, UINT32_MAX: there is none. */
enum odp_status mend_find_records(struct mend *m, uint32_t rows) ODP_MUST_USE;

/* shape.c. The content P of N bytes of a record, mended of what CODE says, appended to OUT. OK; BAD:
 * cannot be mended; FAIL. */
enum odp_status mend_shape(enum odp_code code, const uint8_t *p, size_t n,
                           struct odp_buffer *out) ODP_MUST_USE;
/* Writes the box that the points of content P say into it. */
void mend_box(uint8_t *p, size_t n);
/* BOX (x and y, least and most) grows to hold content P's. */
void mend_extend(const uint8_t *p, size_t n, double box[4], bool *has);

/* What a content holds, checked against its length. */
struct mend_content {
    uint32_t type, nparts, npoints;
    const uint8_t *starts, *xy; /* little-endian, not aligned */
};
/* False: it is no polygon or line, or not whole. */
bool mend_read(const uint8_t *p, size_t n, struct mend_content *out);
/* Points FROM .. TO - 1 of part K. */
void mend_part(const struct mend_content *c, uint32_t k, uint32_t *from, uint32_t *to);
static inline double mend_number(const uint8_t *p)
{
    double v;
    memcpy(&v, p, sizeof v); /* little-endian, like the machine */
    return v;
}

/* picture.c. */
void mend_measure(const struct mend *m, const struct mend_change *c, struct odp_shape_change *out);
/* The page of all changes, there are some, at PATH. OK or FAIL. */
enum odp_status mend_picture(const struct mend *m, const char *path, enum odp_lang lang) ODP_MUST_USE;

/* table.c. *ROWS: how many rows the .dbf has in truth, UINT32_MAX without one. */
enum odp_status mend_count_rows(struct mend *m, uint32_t *rows) ODP_MUST_USE;
/* The .dbf that goes with m->n records, at PATH: the one there is, mended, or a new one of the schema's
 * fields. BAD: the schema has no table of its own. */
enum odp_status mend_write_table(struct mend *m, const char *path) ODP_MUST_USE;
/* Whether the .dbf has to change for m->n records. */
bool mend_table_differs(const struct mend *m, uint32_t rows);
