/* The query index of one version of a resource: an SQLite file that odp-build writes (write/index), and that
 * the gateway's query engine, QGIS, GDAL, Datasette and the sqlite3 shell read. It never changes; its name
 * has the digest of its bytes:
 *
 *   search/<slug>/<version>/<slug>[-<resource>]-<first 16 hex digits of its SHA-256>.sqlite     (class
 *     internal)
 *
 * With a geometry the file is a GeoPackage (OGC 12-128r19) with that standard's gpkg_… and rtree_… tables.
 * (GDAL wants its name to end in .gpkg.)
 *
 *   "<slug>[-<resource>]"   the records. fid: the record's number in the source, from 1; the public fields by
 *                 their own names; the columns of odp:queryables and odp:timeline; last "geometry" (gpb.h). A
 *                   name that SQLite would confuse gets a "_" at its end (names.c)
 *   odp_exact     fid, and by the same names the published texts of numbers ("12.50") and datetimes
 *                 ("2024-03-15T10:00:00+07:00"); if there are
 *                 such columns
 *   odp_geometry  fid, lon and lat of the label of a geometry that may be more than a point; simple: the
 *                 API's geometry where odp:apiGeometry is "simplified", as GeoJSON; if needed
 *   odp_words     FTS5 of the columns with words (content=the records), diacritics removed; a code is
 *                 followed by its label in both languages.
 *                 SELECT * FROM kumuh WHERE fid IN (SELECT rowid FROM odp_words('kampung'))
 *   odp_label     fid, column, code, id, en: labels of codes and categories
 *   odp_meta      name, value: "layout" = ODP_SEARCH_LAYOUT, "info" = struct odp_search_info as JSON
 *   rtree_<table>_geometry   id, minx, maxx, miny, maxy in degrees, rounded outwards to 32 bits
 *   odp_count                fid, column, value, n, text: of a table of 20,000 records or more, how many have
 * each value of an indexed column with at most 1,000; text: of numbers and datetimes, as the first has it
 *   odp_index_<n> the primary key (0), odp:index, foreign keys, categories, dates …;
 *                 odp_bare: records without geometry
 *
 * Values in the table of records:
 *   integer, year   INTEGER       boolean  BOOLEAN: 0, 1
 *   number          REAL          date     DATE: text (bytes order it); yearmonth, time: TEXT
 *   datetime        DATETIME: UTC, "2024-03-15T03:00:00.500Z", what is finer than a millisecond after the Z:
 *                   bytes order it
 *   all others      TEXT (UTF-8, bytes order it); list, array, object, geopoint, geojson: their JSON
 * An integer beyond 64 bits, and a number of more than 15 significant digits, is a BLOB of its canonical
 * text, and the column is `wide`: functions compare and sort it, not SQLite.
 *
 * Deterministic: the same records give the same bytes on any number of threads, for one version of SQLite. */
#pragma once

#include <jansson.h>

#include "catalog/records/batch.h"

#define ODP_SEARCH_LAYOUT "2"
enum { ODP_SEARCH_ID = 16 }; /* hex digits of the digest in a file's name: what cursors are pinned to */

struct odp_search_column {
    const char *name;
    const char *sql; /* its name in the table of records, quoted (odp_search_name) */
    enum odp_type type;
    struct odp_text title, unit; /* may be empty */
    bool of_record; /* a field of the record; false: only filtered, sorted, counted, or named in properties
                       (odp:queryables, odp:timeline) */
    bool required;  /* no value is null */
    bool indexed;   /* first column of an index */
    bool text;      /* in odp_words */
    bool labels;    /* has rows in odp_label */
    bool wide;
    int places; /* decimals that all numbers are published with, so that the REAL says the text; -1: not so */
    int scale; /* number, integer: the most decimals of any value (0 to 15): x * 10^scale is whole. -1: not so
                */
};

/* Names as SQL has them, in quotes. */
struct odp_search_names {
    const char *table, *geometry, *rtree;     /* geometry, rtree NULL: there is none */
    const char *plain_table, *plain_geometry; /* the same as GeoPackage's tables have them: without quotes */
};

struct odp_search_info {
    const char *slug, *resource; /* resource NULL: the dataset's first */
    const char *version, *last_update;
    struct odp_search_column *columns; /* the record's public fields in the schema's order, then the others */
    uint32_t ncolumns, nfields;        /* nfields: the first so many are the record's */
    uint32_t *key; /* primary key by column; nkey 0: none, the id is the record's number */
    uint32_t nkey;
    bool has_geometry;
    enum odp_geometry_mode mode; /* how the envelope shows it */
    unsigned geometry_types;     /* bits of odp_geometry_spec.types that occur */
    const char
        *geometry_name; /* its member in the envelope and in filters: "geometry"; NULL without geometry */
    bool csv_points;    /* CSV has lon, lat: the catalogue allows points only; else label_lon, label_lat,
                           geometry_type */
    bool csv_wkt;       /* and wkt: odp:csvGeometry */
    int datetime[2];    /* columns that `datetime` looks at: start and end (the same: an instant); -1: none */
    const char *interval[2]; /* the earliest start and the latest end, canonical; NULL: no value */
    bool has_bbox;
    double bbox[4]; /* degrees: west, south, east, north */
    uint64_t rows;
    uint64_t bare; /* records without geometry, where there is one */
    /* odp:timeline; all -1 without */
    int project, milestone, planned, actual, date, delay;
    /* The same as odp_schema, for tools/lib/catalog/expr: fields are the columns, in order, all public. */
    struct odp_schema schema;
    char id[ODP_SEARCH_ID + 1]; /* of the file's name; "" while it is written */
    struct odp_search_names names;
};
/* Members of an info without a timeline. */
#define ODP_SEARCH_NO_TIMELINE                                                                               \
    .project = -1, .milestone = -1, .planned = -1, .actual = -1, .date = -1, .delay = -1
/* Sets I->names and the columns' names in SQL; they live in A. */
void odp_search_name(struct odp_search_info *i, struct odp_arena *a);
/* Whether odp_exact has the texts of type T. */
bool odp_search_is_exact(enum odp_type t);
bool odp_search_has_exact(const struct odp_search_info *i);    /* whether there is odp_exact */
bool odp_search_has_geometry(const struct odp_search_info *i); /* whether there is odp_geometry */
/* As JSON, for meta. */
enum odp_status odp_search_info_write(const struct odp_search_info *i, struct odp_buffer *out) ODP_MUST_USE;
/* The texts live in A. BAD: not such a document. */
enum odp_status odp_search_info_read(struct odp_search_info *i, struct odp_slice json,
                                     struct odp_arena *a) ODP_MUST_USE;
enum odp_status odp_search_info_of(struct odp_search_info *i, json_t *j, struct odp_arena *a) ODP_MUST_USE;

int odp_search_find(const struct odp_search_info *i, struct odp_slice name); /* column by name; -1 */

/* An index that was made in this run; by odp_resource.index in odp_emit_job.searches. */
struct odp_search_file {
    const char *path; /* of the site; NULL: none */
    const char *disk; /* its place while the site is staged */
    uint64_t rows;
    uint64_t bare; /* records without geometry, where there is one */
};

/* A decimal as REAL without loss: at most 15 significant digits, within range. *SCALE: its decimals (0 for
 * 1E3). */
bool odp_search_real(struct odp_slice canonical, double *value, int *scale);
/* Canonical datetime text to that in the table of records; OUT has ODP_DATETIME_SIZE bytes. Returns its
 * length; 0: no instant. */
size_t odp_search_instant(struct odp_slice canonical, char *out);
/* And back to ISO 8601 without trailing zeros: "2024-03-15T03:00:00.5Z". 0: not an instant. */
size_t odp_search_instant_text(struct odp_slice instant, char *out);
