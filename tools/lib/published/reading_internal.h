/* Inside of published: the readers of published files. reading.c knows files and their order, reading_json.c
 * and reading_csv.c the forms, reading_geometry.c coordinates, reading_window.c bytes, faults and values.
 *
 * The bytes of a file pass through one window. Readers change them in place (to remove escapes), so a record
 * is looked at once. There is always room for 8 more bytes after them, and a line always ends in its LF: a
 * scan that stops at a control character needs no check of bounds. */
#pragma once

#include "base/buffer.h"
#include "base/file.h"
#include "published/reading.h"

enum { ODP_WINDOW_SLACK = 8 };

struct odp_window {
    struct odp_reader *reader; /* NULL: no file is open */
    char *bytes;
    size_t cap;      /* without the slack */
    size_t from, to; /* not yet taken */
    uint64_t offset; /* where bytes[from] stands in the file */
    bool ended;      /* the file has no more than what is here */
};

/* A geometry being built; its arrays are used again for the next. Others see G. */
struct odp_geometry_store {
    struct odp_arena *arena;
    struct odp_geom g;
    double *xy, *z;
    uint32_t *part, *poly;
    uint32_t points, parts, polys; /* room */
    bool has_z, z_known;           /* of the geometry at hand */
};

/* The form that a value of the field must have. */
enum odp_value_kind { ODP_VALUE_TEXT, ODP_VALUE_NUMBER, ODP_VALUE_TRUTH, ODP_VALUE_JSON };

struct odp_value_plan {
    struct odp_slice prefix;           /* JSON: the text before the value:  {"name":  or  ,"name": */
    struct odp_slice label[ODP_LANGS]; /* the same before a name of its code; empty: no such member */
    enum odp_value_kind kind;
};

/* The place in the file. */
enum odp_reading_place { ODP_PLACE_HEAD, ODP_PLACE_RECORDS, ODP_PLACE_TAIL, ODP_PLACE_END };
/* What the form alone tells of a record's geometry. */
enum odp_geometry_form {
    ODP_GEOMETRY_FORM_NONE,     /* the resource has none */
    ODP_GEOMETRY_FORM_WHOLE,    /* as it is */
    ODP_GEOMETRY_FORM_SIMPLE,   /* with fewer points */
    ODP_GEOMETRY_FORM_LEFT_OUT, /* nothing at all */
    ODP_GEOMETRY_FORM_POINT,    /* CSV: lon, lat */
    ODP_GEOMETRY_FORM_LABEL,    /* CSV: a point on it and its type */
    ODP_GEOMETRY_FORM_WKT       /* CSV: the same, and WKT */
};

struct odp_cell_span; /* reading_csv.c */

struct odp_reading {
    enum odp_form form;
    const struct odp_layout *layout;
    const char *const *paths;
    size_t npaths, at; /* the file at hand */
    struct odp_arena arena;
    struct odp_window window;
    enum odp_reading_place place;
    enum odp_status ended; /* OK: reading; DONE, BAD, FAIL: what it came to */

    struct odp_value_plan *plan; /* by field */
    struct odp_slice *text;      /* by field: the record at hand */
    struct odp_slice geometry_prefix;
    enum odp_geometry_form geometry_form;
    bool flat; /* no geometry of the resource has heights: odp:geometry says so */
    struct odp_geometry_store store;
    struct odp_buffer id; /* GeoJSON: the expected id of a composite key */

    struct odp_cell_span *cells; /* CSV: of the record at hand */
    uint32_t ncells;             /* as many as the header has */
    bool *is_label;              /* by cell: a name of the code before it */

    uint64_t row, record_at; /* records read; where the last one began in its file */
    int64_t total;           /* as the file says, or -1 */
    char *page_version;      /* of the first page */
    struct odp_buffer fault;
};

/* Records a fault, the place first. Always BAD (FAIL: out of memory). */
enum odp_status odp_reading_reject(struct odp_reading *r, const char *fmt, ...) ODP_MUST_USE
    __attribute__((format(printf, 2, 3)));

/* Room for CAP bytes. */
enum odp_status odp_window_grow(struct odp_window *w, size_t cap) ODP_MUST_USE;
/* Reads more bytes; those in the window may move. DONE: there are no more. BAD: too many for one record. */
enum odp_status odp_window_fill(struct odp_reading *r) ODP_MUST_USE;
/* The next line without its LF, valid until the window is filled again. DONE: the end of the file. BAD: a
 * line without end. */
enum odp_status odp_window_line(struct odp_reading *r, struct odp_slice *line) ODP_MUST_USE;

/* Each form: init, and one record into R->text and *REC. DONE: the file at hand is whole. */
void odp_reading_json_init(struct odp_reading *r);
enum odp_status odp_reading_json_next(struct odp_reading *r, struct odp_reading_record *rec) ODP_MUST_USE;
void odp_reading_csv_init(struct odp_reading *r);
enum odp_status odp_reading_csv_next(struct odp_reading *r, struct odp_reading_record *rec) ODP_MUST_USE;

/* The name of a geometry's member or column: NAME, with "geometry_" before it until no field has it, as
 * write/record.c does. */
const char *odp_reading_free_name(const struct odp_layout *l, const char *name, struct odp_arena *a);
/* Whether S is a value of this kind in JSON, null and strings aside. */
bool odp_value_is(enum odp_value_kind kind, struct odp_slice s);
/* The end of the JSON number at P; NULL: there is none. END is readable. */
const char *odp_value_number_end(const char *p, const char *end);

/* Reads the geometry at P (GeoJSON, compact; WKT) into S->g. Returns its end, or NULL: not as we write it. */
const char *odp_geometry_read_json(struct odp_geometry_store *s, const char *p, const char *end);
const char *odp_geometry_read_wkt(struct odp_geometry_store *s, const char *p, const char *end);
const char *odp_geometry_read_number(const char *p, const char *end, double *out);
/* A point, for CSV. */
void odp_geometry_set_point(struct odp_geometry_store *s, double lon, double lat);
