/* The query index of one version of one resource: an SQLite file that the compiler writes (odp-build/write/index) and the query
 * engine reads. It is opened read-only and never changes; its name holds the digest of its bytes:
 *
 *   search/<slug>/<version>/<slug>[-<resource>]-<first 16 hex digits of its SHA-256>.sqlite      (class internal)
 *
 *   data    id INTEGER PRIMARY KEY (number of the record in the source, from 1), then one column a column of struct odp_search_info, named by
 *           its number: c0, c1, … (names of fields may be "id", or differ in case only): what filters, sorting and counting need
 *   record  id INTEGER PRIMARY KEY, cells BLOB: the values as they are published, exact to the letter (cells.h)
 *   shape   id INTEGER PRIMARY KEY, shape BLOB (shape.h), simple TEXT or NULL (the geometry that the envelope shows where odp:apiGeometry is
 *           "simplified", as GeoJSON); records without geometry have no row. Only where the resource has a geometry
 *   box     rtree_i32(id, west, east, south, north) in 1e-7 degrees, of the same records
 *   words   fts5 over the columns with `text` (c<number> again), without content; tokens without diacritics, prefixes of 2 and 3 characters; a code's label in
 *           both languages stands beside it
 *   label   (column TEXT, code TEXT, id TEXT, en TEXT): what codes and categories mean
 *   meta    (name TEXT PRIMARY KEY, value TEXT): "layout" = ODP_SEARCH_LAYOUT, "info" = struct odp_search_info as JSON
 *
 * Values in `data`:
 *   integer, year   INTEGER                     boolean        0, 1
 *   number          REAL                        date, yearmonth, time   canonical text (bytes order them)
 *   datetime        text in UTC without its Z and without zeros at the end of its fraction: "2024-03-15T03:00:00.5" (bytes order them)
 *   all others      text (UTF-8, bytes order it); list, array, object, geopoint, geojson: their JSON
 * An integer beyond 64 bits, and a number that needs more than 15 significant digits (so that a REAL could be mistaken for another value), is a
 * BLOB of its canonical text, and the column is `wide`: comparing and sorting then go through functions, not through SQLite's own operators.
 *
 * Deterministic: the same records give the same bytes on any number of threads (for one version of SQLite). */
#ifndef ODP_CATALOG_INDEX_SEARCH_H
#define ODP_CATALOG_INDEX_SEARCH_H

#include "catalog/records/batch.h"

#define ODP_SEARCH_LAYOUT "1"
enum { ODP_SEARCH_ID = 16 }; /* hex digits of the digest in a file's name: what cursors are pinned to */

struct odp_search_column {
    const char *name;
    enum odp_type type;
    struct odp_text title, unit;   /* may be empty */
    bool of_record;                /* a field of the record; false: only filtered, sorted, counted, or asked for by name (odp:queryables, odp:timeline) */
    bool required;                 /* no value is null */
    bool indexed;                  /* first column of an index of `data` */
    bool text;                     /* in `words` */
    bool labels;                   /* has rows in `label` */
    bool wide;
    int scale;                     /* number, integer: the most decimals of any value (0 to 15): x * 10^scale is whole. -1: not so */
};

struct odp_search_info {
    const char *slug, *resource;   /* resource NULL: the dataset's first */
    const char *version, *last_update;
    struct odp_search_column *columns; /* the record's public fields in the schema's order, then the others */
    uint32_t ncolumns, nfields;    /* nfields: the first so many are the record's */
    uint32_t *key;                 /* primary key by column; nkey 0: none, the id is the record's number */
    uint32_t nkey;
    bool has_geometry;
    enum odp_geometry_mode mode;   /* how the envelope shows it */
    unsigned geometry_types;       /* bits of odp_geometry_spec.types that occur */
    const char *geometry_name;     /* its member in the envelope and in filters: "geometry"; NULL without geometry */
    bool csv_points;               /* CSV has lon, lat: the catalogue allows points only; else label_lon, label_lat, geometry_type */
    bool csv_wkt;                  /* and wkt: odp:csvGeometry */
    int datetime[2];               /* columns that `datetime` looks at: start and end (the same: an instant); -1: none */
    const char *interval[2];       /* the earliest start and the latest end, canonical; NULL: no value */
    bool has_bbox;
    double bbox[4];                /* degrees: west, south, east, north */
    uint64_t rows;
    /* odp:timeline; all -1 without */
    int project, milestone, planned, actual, date, delay;
    /* The same as odp_schema, for tools/lib/catalog/expr: fields are the columns, in order, all public. */
    struct odp_schema schema;
    char id[ODP_SEARCH_ID + 1];    /* of the file's name; "" while it is written */
};
/* As JSON, for meta. */
enum odp_status odp_search_info_write(const struct odp_search_info *i, struct odp_buffer *out) ODP_MUST_USE;
/* The texts live in A. BAD: not such a document. */
enum odp_status odp_search_info_read(struct odp_search_info *i, struct odp_slice json, struct odp_arena *a) ODP_MUST_USE;

int odp_search_find(const struct odp_search_info *i, struct odp_slice name); /* column by name; -1 */

/* An index that was made in this run; by odp_resource.index in odp_emit_job.searches. */
struct odp_search_file {
    const char *path;  /* of the site; NULL: none */
    const char *disk;  /* where it lies while the site is staged */
    uint64_t rows;
};

/* A decimal as REAL without loss: at most 15 significant digits and within range. *SCALE: its decimals (0 for 1E3). */
bool odp_search_real(struct odp_slice canonical, double *value, int *scale);
/* Canonical datetime text to the text in `data`; OUT has ODP_DATETIME_SIZE bytes. Returns its length; 0: no instant. */
size_t odp_search_instant(struct odp_slice canonical, char *out);

#endif
