/* Inside of read/shapefile (repair uses it, too: it rewrites what was read, and mends what was not):
 *
 *   shapefile.c  the source: opening in steps, batches             fault.c  what is wrong with it as a whole,
 *                in words
 *   file.c   parts on disk, windows on them, shapelib's hooks      zip.c    parts out of a zip archive
 *   check.c  headers and index against the real files              dbf.c    the DBF's layout, cells
 *   text.c   .cpg and language drivers, decoding                   crs.c    PROJ
 *   guess.c  what a missing .prj might say
 *   pipeline.c  what needs no PROJ: WGS 84, UTM                     tm.c  transverse Mercator, many points at
 *               a time
 *   record.c one record to a geometry                              rings.c  rings to polygons
 *
 * A part is one file of the set; a stream is a window on a part, and shapelib's SAFile; a worker has its own
 * shapelib handle, iconv and PROJ context, so slice shares nothing that changes. read takes record numbers
 * and rows of the .dbf.
 *
 * Nothing in a file is believed: shapelib is opened only after check.c has compared every count, length and
 * offset with the real files, and is given a record only after record.c has compared its counts with its
 * length. */
#pragma once

#include <iconv.h>
#include <proj.h>
#include <shapefil.h>

#include "read/kind.h"
#include "read/shapefile/tm.h"

extern const struct odp_source_kind odp_source_shapefile;

enum shape_part_kind { SHAPE_SHP, SHAPE_SHX, SHAPE_DBF, SHAPE_PRJ, SHAPE_CPG, SHAPE_PARTS };
extern const char *const shape_extensions[SHAPE_PARTS]; /* ".shp" … */

/* One file of the set: open (fd >= 0) or in memory (mem). name is what users see. */
struct shape_part {
    const char *name;
    int fd;
    uint8_t *mem;
    uint64_t size;
    bool present;
};

/* A window on a part. shapelib's SAFile is a pointer to one. */
struct shape_stream {
    const struct shape_part *part;
    uint64_t pos;        /* shapelib's file position */
    uint64_t start, len; /* what of the part is in buf */
    uint8_t *buf;
    size_t cap;
    bool failed; /* the machine failed: recorded by odp_failure_set */
};

struct shape_field {
    char type;              /* C N F D L … */
    uint32_t offset, width; /* within the record; the deletion flag is byte 0 */
};
struct shape_dbf {
    uint32_t records, header, width, nfields;
    uint8_t driver; /* language driver id */
    struct shape_field *fields;
};

/* One of three: */
struct shape_crs {
    bool identity;        /* WGS 84 already: coordinates pass exactly */
    const char *pipeline; /* by TM, which is what PROJ calls this; only points that are too far for TM go
                             through PROJ */
    struct shape_tm tm;
    PJ *operation; /* x, y as in the file to longitude, latitude */
    PJ_CONTEXT *context;
};

struct shape_worker {
    SHPHandle shp;
    bool has_conv;
    iconv_t conv;
    PJ_CONTEXT *context;
    PJ *operation; /* where there is a pipeline: made when it is needed */
};

struct shape_source {
    struct odp_source_base base;
    struct odp_arena arena;
    struct odp_diags *diags; /* while opening */
    struct shape_part parts[SHAPE_PARTS];
    uint32_t nrecords;
    uint32_t type; /* of all records, as the .shp's header states it */
    struct shape_dbf dbf;
    const char *encoding; /* iconv's name; "UTF-8" is checked without iconv */
    struct shape_crs crs;
    struct shape_worker *workers;
    unsigned nworkers;
    /* the reader's side */
    struct shape_stream index, rows;
    uint32_t next; /* shape number to read next */
    uint64_t row;
};

static inline uint32_t shape_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint32_t shape_be32(const uint8_t *p)
{
    return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}
static inline uint32_t shape_le16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

/* fault.c: a fault of the whole source, an error whatever odp:severity says: there is nothing to read. ARG
 * may be NULL. Always BAD, or FAIL. */
enum odp_status shape_fault(struct shape_source *s, enum odp_code code, const char *file, const char *arg);
/* The same of D, in which dataset, resource and severity are filled in. MESSAGE (static, a template of D's
 * args) may be NULL. */
enum odp_status shape_refuse(struct shape_source *s, struct odp_diag *d, const struct odp_text *message);
/* The same for what does not stop: OK or FAIL. */
enum odp_status shape_warn(struct shape_source *s, enum odp_code code, const char *file, const char *a0,
                           const char *a1);
/* TEMPLATE, in both languages, with {0} .. {2} replaced by ARGS; in A. OK or FAIL. */
void shape_message(struct odp_arena *a, const struct odp_text *template, const struct odp_slice *args,
                   struct odp_text *out);
/* Whether the files are beside each other, not in an archive: then repair can write them anew. */
static inline bool shape_mends(const struct shape_source *s)
{
    return s->parts[SHAPE_SHP].fd >= 0;
}
/* Text for an argument, in the source's arena; "" when out of memory. Bytes outside printable ASCII become
 * '?'. */
const char *shape_arg(struct shape_source *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline const char *shape_number(struct shape_source *s, uint64_t v)
{
    return shape_arg(s, "%llu", (unsigned long long)v);
}

/* file.c. find opens the parts beside PATH, names in any case. OK, BAD (said), FAIL. */
enum odp_status shape_find(struct shape_source *s, const char *path);
void shape_parts_release(struct shape_source *s);
/* N bytes at OFFSET, valid until the stream is used again; NULL beyond the end, or on failure (st->failed).
 */
const uint8_t *shape_at(struct shape_stream *st, uint64_t offset, size_t n);
void shape_stream_release(struct shape_stream *st);
/* A handle a worker; the parts must have been checked. OK or FAIL. */
enum odp_status shape_handle_open(struct shape_source *s, struct shape_worker *w);
void shape_handle_close(struct shape_worker *w);

/* zip.c */
enum odp_status shape_unzip(struct shape_source *s, const char *path);

/* check.c: .shp, .shx (rebuilt in memory when missing) and counts. OK, BAD, FAIL. */
enum odp_status shape_check(struct shape_source *s);

/* dbf.c: layout, and the match with the schema. OK, BAD, FAIL. */
enum odp_status shape_dbf_check(struct shape_source *s);
enum odp_status shape_dbf_header(struct shape_source *s);
/* The cells of record I of B, whose row is the Ith of b->text. OK (faults in b->diags) or FAIL. */
enum odp_status shape_dbf_cells(const struct shape_source *s, struct shape_worker *w, struct odp_batch *b,
                                uint32_t i);

/* text.c: sets s->encoding from the descriptor, .cpg or language driver. OK, BAD (E02), FAIL. */
enum odp_status shape_encoding(struct shape_source *s);
enum odp_status shape_worker_conv(const struct shape_source *s, struct shape_worker *w);
/* All of it ASCII, which every encoding of a DBF contains, without a NUL. */
bool shape_is_plain(struct odp_slice s);
/* IN as UTF-8. OK: *OUT is IN itself or a copy in A. BAD: a byte is not valid; *OUT is readable text, *BAD_AT
 * its byte. */
enum odp_status shape_decode(const struct shape_source *s, struct shape_worker *w, struct odp_arena *a,
                             struct odp_slice in, struct odp_slice *out, size_t *bad_at);

/* crs.c. OK, BAD, FAIL. */
enum odp_status shape_crs_open(struct shape_source *s);
void shape_crs_close(struct shape_source *s);
enum odp_status shape_worker_crs(const struct shape_source *s, struct shape_worker *w);
void shape_worker_crs_close(struct shape_worker *w);
/* XY in place. OK; BAD where a point has no result; FAIL. */
enum odp_status shape_crs_apply(const struct shape_source *s, struct shape_worker *w, double *xy, uint32_t n);

/* pipeline.c. The transverse Mercator that PIPELINE, PROJ's text of an operation, undoes, if that is all it
 * does. */
bool shape_pipeline_tm(const char *pipeline, struct shape_tm_of *out);

/* pipeline.c. The EPSG code of a .prj's TEXT that is exactly the usual one of WGS 84 (4326) or of one of its
 * UTM zones (32601 to 32660 north, 32701 to 32760 south); 0: to be asked of PROJ. */
unsigned shape_prj_code(const char *text);
/* That text of CODE; false: CODE is none of them. */
bool shape_prj_text(unsigned code, char *out, size_t size);

/* guess.c. The systems (codes of shape_prj_code) in which the shapes of S lie where they may, the likely ones
 * if there are some: degrees, or one of Indonesia's zones of UTM. Returns how many. S's .shp and .shx were
 * checked. */
enum { SHAPE_GUESSES = 18 };
struct shape_guess {
    unsigned code;
    double at[2]; /* the middle of the file, longitude and latitude */
};
unsigned shape_crs_guess(const struct shape_source *s, struct shape_guess guess[SHAPE_GUESSES]);

/* record.c: the geometry of record I of B, NULL for a null shape. OK, BAD (in b->diags), FAIL. */
enum odp_status shape_record(const struct shape_source *s, struct shape_worker *w, struct odp_batch *b,
                             uint32_t i, const struct odp_geom **out);

/* rings.c. Rings PART[k] .. PART[k+1]-1 of XY, closed or not, ESRI's orientation (shells clockwise) or all of
 * them reversed. OUT: polygon p has rings ring[poly[p]] .. ring[poly[p+1]-1], its shell first, shells in the
 * order of the file. OK; BAD: ring *ORPHAN is a hole in no shell. */
struct shape_polygons {
    uint32_t npolys;
    uint32_t *poly, *ring;
};
enum odp_status shape_rings(struct odp_arena *a, const double *xy, const uint32_t *part, uint32_t nparts,
                            struct shape_polygons *out, uint32_t *orphan);
/* From owners that are known: OWNER[k] is -1 for a shell, else the shell's ring number. */
void shape_rings_collect(struct odp_arena *a, const int64_t *owner, uint32_t nparts,
                         struct shape_polygons *out);
