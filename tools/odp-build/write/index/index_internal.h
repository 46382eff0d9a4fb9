/* Inside of write/index: the parts of the writer, from the top.
 *
 *   writer.c     new, append, end: records into their tables
 *   plan.c       columns, the sources of their values, the meanings of their codes; indexes
 *   pack.c       records to bytes and back
 *   derived.c    columns other than fields: odp:queryables, odp:timeline
 *   order.c      indexes of columns with few values, made without a sort
 *   schema.c     the tables; at the end their indexes and statistics
 *   geopackage.c makes the file a GeoPackage
 *   words.c      odp_label, odp_words
 *   sql.c        SQLite: opening, statements, failures; its temporary files are next to the index */
#pragma once

#include <sqlite3.h>

#include "catalog/index/reading.h"
#include "write/index/writer.h"

enum {
    WRITER_COLUMNS_MAX = 1900, /* SQLite takes 2,000 */
    WRITER_SCALE_MAX = 15,
    WRITER_INDEXES_MAX = 20 /* made by default; those that odp:index names are always made */
};

/* ---- values ---- */

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
    struct odp_slice simple;     /* NULL ptr: no bytes */
    enum odp_geom_type type;
    bool heights;
    double label[2];
};
/* The next record at *AT; false: it is not what pack makes. */
bool writer_unpack(const struct odp_search_writer *w, const char **at, const char *end,
                   struct writer_record *out);

/* ---- columns ---- */

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
    int from;                    /* PREFIX: column, -1: no prefix */
    int64_t prefix;              /* characters */
    struct writer_taken *taken;  /* TAKEN; several columns may share one */
    uint32_t taken_column;       /* of the other index */
    bool words;                  /* of a kind that may be searched for words */
    struct writer_label *labels; /* sorted by code; nlabels */
    uint32_t nlabels;
    /* seen so far */
    bool null_seen, value_seen, word_seen;
    int places; /* decimals of all numbers as published; -1: they differ */
};

/* An index of the table of records. */
struct writer_order;
struct writer_index {
    uint32_t *columns, n;
    bool key;                   /* the primary key */
    struct writer_order *order; /* NULL: SQLite sorts it */
};

struct odp_search_writer {
    struct odp_search_job job;
    struct odp_arena arena;
    struct odp_search_info info;
    struct writer_column *columns; /* info.ncolumns */
    int *column_of;                /* by field: its column, -1: not public */
    struct writer_index *indexes;
    uint32_t nindexes;
    size_t ordering;            /* bytes that their orders hold */
    struct writer_taken *taken; /* a list */
    int64_t today;              /* last_update as days */

    struct writer_sql *sql;
    sqlite3_stmt *insert, *insert_exact, *insert_geometry, *insert_box; /* NULL: there is no such table */
    struct writer_record record;
    bool heights;                  /* a geometry has some */
    struct odp_buffer text, other; /* of values that are made here; statements */
    /* Of the interval: the earliest start, the latest end, as in the table ("": no value yet). */
    char bound[2][ODP_DATETIME_SIZE];
    char interval[2][ODP_DATETIME_SIZE]; /* canonical */
    bool made;                           /* the file is ours */
    enum odp_status status;              /* the first failure stays */
};

/* plan.c: info, columns, labels, indexes of W->job. */
void writer_plan(struct odp_search_writer *w);

/* order.c: an order gathers the values of a column, a record at a time (W->record), and gives up where it
 * cannot hold them: then it is NULL. */
void writer_order_new(struct odp_search_writer *w, struct writer_index *index);
void writer_order_add(struct odp_search_writer *w);
/* The index NAME as SQL has it. */
void writer_order_make(struct odp_search_writer *w, struct writer_index *index, const char *name,
                       const char *sql);
void writer_order_free(struct odp_search_writer *w, struct writer_index *index);

/* schema.c: the tables, and statements that fill them. */
void writer_make_tables(struct odp_search_writer *w);
/* Drops indexes of wide columns, once these are known; sets `indexed`, and takes the key from info where the
 * writer has no key. */
void writer_make_indexes(struct odp_search_writer *w);
void writer_finalize(struct odp_search_writer *w); /* the statements */

/* geopackage.c: the standard's own tables; then what they say of the table of records, which is known at
 * the end. */
void writer_make_geopackage(struct odp_search_writer *w);
void writer_end_geopackage(struct odp_search_writer *w);
const char *writer_geometry_type(const struct odp_search_writer *w); /* "MULTIPOLYGON" */

/* words.c: what codes mean */
/* LABELS are the column's, N of them in any order; sorted here, later ones of the same code are dropped. */
void writer_set_labels(struct writer_column *c, struct writer_label *labels, uint32_t n);
/* Appends what CODE means to OUT, which has N; nothing where TEXT is empty. */
void writer_add_label(struct writer_label *out, uint32_t *n, struct odp_slice code,
                      const struct odp_text *text);
/* Those of LIST, with the codes of its other editions. */
void writer_list_labels(struct odp_search_writer *w, struct writer_column *c,
                        const struct odp_code_list *list);
/* The table odp_label. */
void writer_write_labels(struct odp_search_writer *w);

/* derived.c: columns after the fields: planned, then set for each record (W->record). */
void writer_plan_derived(struct odp_search_writer *w);
void writer_derive(struct odp_search_writer *w);
void writer_close_taken(struct odp_search_writer *w);

/* words.c: which columns are searched for words, and their table. */
void writer_make_words(struct odp_search_writer *w);

/* sql.c */
void writer_open(struct odp_search_writer *w);
/* Closes the file. */
void writer_close(struct odp_search_writer *w);
/* W->status keeps the first failure, and later steps do nothing. RC is SQLite's result, which may be
 * SQLITE_OK, ROW or DONE; false: something failed, now or before. */
bool writer_check(struct odp_search_writer *w, int rc);
void writer_exec(struct odp_search_writer *w, const char *sql);
/* FORMAT is sqlite3_mprintf's: %w inside of identifiers, %Q for values. */
void writer_execf(struct odp_search_writer *w, const char *format, ...);
/* The statement in W->text, which is emptied. */
void writer_exec_text(struct odp_search_writer *w);
/* Tables of MODULE, read with CTX; SQLite's result. */
int writer_module(struct odp_search_writer *w, const char *name, const sqlite3_module *module, void *ctx);
/* The SQL function NAME of one argument, CALL with CTX; SQLite's result. */
int writer_function(struct odp_search_writer *w, const char *name,
                    void (*call)(sqlite3_context *to, int n, sqlite3_value **args), void *ctx);
/* NULL: failed. */
sqlite3_stmt *writer_prepare(struct odp_search_writer *w, const char *sql);
sqlite3_stmt *writer_prepare_text(struct odp_search_writer *w);
/* RC of binding S's values; steps S, which gives no row, and makes it ready for the next. */
void writer_step(struct odp_search_writer *w, sqlite3_stmt *s, int rc);
/* Something other than SQLite went wrong. */
void writer_fail(struct odp_search_writer *w, const char *why, int errnum);
/* Value V at place N (from 1). */
int writer_bind(sqlite3_stmt *s, int n, const struct writer_value *v);
int writer_bind_text(sqlite3_stmt *s, int n, struct odp_slice text); /* ptr NULL: null */
