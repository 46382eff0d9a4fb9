/* Inside of write/index: the parts of the writer, from the top.
 *
 *   writer.c     new, append, end: records into their tables
 *   plan.c       which columns there are, where their values come from, what their codes mean; which indexes
 *   pack.c       records to bytes and back
 *   derived.c    columns that are no fields: odp:queryables, odp:timeline
 *   schema.c     the tables; at the end their indexes and statistics
 *   geopackage.c what makes the file a GeoPackage
 *   words.c      odp_words
 *   labels.c     odp_label
 *   sql.c        SQLite: opening, statements, failures; its temporary files lie beside the index */
#ifndef ODP_WRITE_INDEX_INDEX_INTERNAL_H
#define ODP_WRITE_INDEX_INDEX_INTERNAL_H

#include <sqlite3.h>

#include "catalog/index/reading.h"
#include "write/index/writer.h"

enum {
    WRITER_COLUMNS_MAX = 1900, /* SQLite takes 2,000 */
    WRITER_SCALE_MAX = 15,
    WRITER_INDEXES_MAX = 20    /* made by default; those that odp:index names are always made */
};

/* ---- values ------------------------------------------------------------------------------------------ */

/* A value as the table of records has it, and its text as published. */
struct writer_value {
    enum writer_tag { WRITER_NULL, WRITER_INT, WRITER_REAL, WRITER_TEXT, WRITER_BLOB } tag;
    int scale; /* of a REAL: decimals */
    int64_t i;
    double r;
    struct odp_slice text;  /* TEXT, BLOB */
    struct odp_slice exact; /* of types that odp_exact has; ptr NULL: null */
};

/* A record unpacked; what it points to lives in the packed bytes. */
struct writer_record {
    int64_t id;
    struct writer_value *values; /* by column; those of fields are set by unpacking */
    struct odp_slice shape;      /* GeoPackageBinary; ptr NULL: no geometry */
    struct odp_slice simple;     /* ptr NULL: none */
    enum odp_geom_type type;
    bool heights;
    double label[2];
};
/* The next record at *AT; false: it is not what pack makes. */
bool writer_unpack(const struct odp_search_writer *w, const char **at, const char *end,
                   struct writer_record *out);

/* ---- columns ----------------------------------------------------------------------------------------- */

enum writer_source { WRITER_FIELD, WRITER_PREFIX, WRITER_TAKEN, WRITER_DATE, WRITER_DELAY };
struct writer_taken; /* the open index of another resource */

/* A code's meaning. */
struct writer_label {
    struct odp_slice code;
    struct odp_text text;
};

struct writer_column {
    enum writer_source source;
    enum odp_type type;
    uint32_t field;              /* FIELD: of the resource's schema */
    int from;                    /* PREFIX: column, -1: none */
    int64_t prefix;              /* characters */
    struct writer_taken *taken;  /* TAKEN; several columns may share one */
    uint32_t taken_column;       /* of the other index */
    bool words;                  /* of a kind that may be searched for words */
    struct writer_label *labels; /* sorted by code; nlabels */
    uint32_t nlabels;
    /* seen so far */
    bool null_seen, value_seen, word_seen;
};

/* An index of the table of records. */
struct writer_index {
    uint32_t *columns, n;
    bool key; /* the primary key */
};

struct odp_search_writer {
    struct odp_search_job job;
    struct odp_arena arena;
    struct odp_search_info info;
    struct writer_column *columns; /* info.ncolumns */
    int *column_of;                /* by field: its column, -1: not public */
    struct writer_index *indexes;
    uint32_t nindexes;
    struct writer_taken *taken; /* a list */
    int64_t today;              /* last_update as days */

    struct writer_sql *sql;
    sqlite3_stmt *insert, *insert_exact, *insert_geometry, *insert_box; /* NULL: there is no such table */
    struct writer_record record;
    bool heights;                  /* a geometry has some */
    struct odp_buffer text, other; /* of values that are made here; statements */
    /* Of the interval: the earliest start, the latest end, as in the table ("": none yet). */
    char bound[2][ODP_DATETIME_SIZE];
    char interval[2][ODP_DATETIME_SIZE]; /* canonical */
    bool made;              /* the file is ours */
    enum odp_status status; /* the first failure stays */
};

/* plan.c: info, columns, labels, indexes of W->job. */
enum odp_status writer_plan(struct odp_search_writer *w) ODP_MUST_USE;

/* schema.c: the tables, and statements that fill them. */
enum odp_status writer_make_tables(struct odp_search_writer *w) ODP_MUST_USE;
/* The indexes that are left when it is known which columns are wide; sets `indexed`, and takes the key
 * from info where it is none. */
enum odp_status writer_make_indexes(struct odp_search_writer *w) ODP_MUST_USE;
void writer_finalize(struct odp_search_writer *w); /* the statements */

/* geopackage.c: the standard's own tables; then what they say of the table of records, which is known at
 * the end. */
enum odp_status writer_make_geopackage(struct odp_search_writer *w) ODP_MUST_USE;
enum odp_status writer_end_geopackage(struct odp_search_writer *w) ODP_MUST_USE;
const char *writer_geometry_type(const struct odp_search_writer *w); /* "MULTIPOLYGON" */

/* labels.c */
/* The meaning of CODE in column C; NULL: none. */
const struct writer_label *writer_label_of(const struct writer_column *c, struct odp_slice code);
/* LABELS are the column's, N of them in any order; sorted here, later ones of the same code are dropped. */
void writer_set_labels(struct writer_column *c, struct writer_label *labels, uint32_t n);
/* The table odp_label. */
enum odp_status writer_write_labels(struct odp_search_writer *w) ODP_MUST_USE;

/* derived.c: columns behind the fields: planned, then set for each record (W->record). */
enum odp_status writer_plan_derived(struct odp_search_writer *w) ODP_MUST_USE;
enum odp_status writer_derive(struct odp_search_writer *w) ODP_MUST_USE;
void writer_close_taken(struct odp_search_writer *w);

/* words.c: which columns are searched for words, and their table. */
enum odp_status writer_make_words(struct odp_search_writer *w) ODP_MUST_USE;

/* sql.c */
enum odp_status writer_open(struct odp_search_writer *w) ODP_MUST_USE;
/* Closes the file. */
enum odp_status writer_close(struct odp_search_writer *w) ODP_MUST_USE;
/* SQLite said RC: FAIL, recorded with the path; OK where RC is SQLITE_OK, ROW or DONE. */
enum odp_status writer_check(struct odp_search_writer *w, int rc) ODP_MUST_USE;
enum odp_status writer_exec(struct odp_search_writer *w, const char *sql) ODP_MUST_USE;
/* FORMAT is sqlite3_mprintf's: %w inside of identifiers, %Q for values. */
enum odp_status writer_execf(struct odp_search_writer *w, const char *format, ...) ODP_MUST_USE;
/* The statement in W->text, which is emptied. */
enum odp_status writer_exec_text(struct odp_search_writer *w) ODP_MUST_USE;
enum odp_status writer_prepare(struct odp_search_writer *w, const char *sql, sqlite3_stmt **out) ODP_MUST_USE;
enum odp_status writer_prepare_text(struct odp_search_writer *w, sqlite3_stmt **out) ODP_MUST_USE;
/* RC of binding S's values; steps S, which gives no row, and makes it ready for the next. */
enum odp_status writer_step(struct odp_search_writer *w, sqlite3_stmt *s, int rc) ODP_MUST_USE;
/* Value V at place N (from 1). */
int writer_bind(sqlite3_stmt *s, int n, const struct writer_value *v);
int writer_bind_text(sqlite3_stmt *s, int n, struct odp_slice text); /* ptr NULL: null */

#endif
