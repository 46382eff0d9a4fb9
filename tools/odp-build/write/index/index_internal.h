/* Inside of write/index: the parts of the writer, from the top.
 *
 *   writer.c          new, append, end: the tables data, record, shape
 *   writer_plan.c     which columns there are, where their values come from, what their codes mean; which indexes are made
 *   writer_pack.c     records to bytes and back
 *   writer_derived.c  columns that are no fields: odp:queryables, odp:timeline
 *   writer_make.c     at the end: indexes, the schema that names all of these, their statistics
 *   writer_words.c    the table words: its texts put aside while records come, then words.h; its schema
 *   writer_box.c      the R*Tree
 *   writer_labels.c   what codes mean
 *   writer_schema.c   a tree's name, a row of statistics
 *   writer_sql.c      SQLite: opening, statements, failures; its temporary files lie beside the index
 *   keys.c            the keys of an index, sorted (keys_sort.c)
 *   tree.c            tables and indexes as pages of the file, without SQLite; tree_row.c a record of these */
#ifndef ODP_WRITE_INDEX_INDEX_INTERNAL_H
#define ODP_WRITE_INDEX_INDEX_INTERNAL_H

#include <sqlite3.h>

#include "catalog/index/cells.h"
#include "catalog/index/reading.h"
#include "write/index/keys.h"
#include "write/index/tree_row.h"
#include "write/index/writer.h"

enum {
    WRITER_PAGE = TREE_PAGE,
    WRITER_COLUMNS_MAX = 1900, /* SQLite takes 2,000 */
    WRITER_SCALE_MAX = 15,
    WRITER_INDEXES_MAX = 20    /* made by default; those that odp:index names are always made */
};

/* ---- values ---------------------------------------------------------------------------------------------------------------- */

/* How a value is bound. */
enum writer_tag { WRITER_NULL, WRITER_INT, WRITER_REAL, WRITER_TEXT, WRITER_BLOB };
struct writer_value {
    enum writer_tag tag;
    int scale; /* of a REAL that is derived: decimals */
    int64_t i;
    double r;
    struct odp_slice text;
};

/* What the values of a column are like. `word`: a text that is not only a code (digits in it, no white space). */
struct writer_note {
    bool null, value, word, wide;
    int scale; /* the most decimals; -1: more than WRITER_SCALE_MAX, or no double */
};

/* A record unpacked; what it points to lives in the packed bytes. */
struct writer_record {
    int64_t id;
    struct writer_value *values;          /* by column; those of fields are set by unpacking */
    struct odp_slice types, bytes, cells; /* of the fields: their part of the row of `data` (tree_row_add), their cells */
    bool has_geometry;
    enum odp_geom_type type;
    bool has_box;
    int32_t box[4];
    struct odp_slice shape, simple; /* simple.ptr NULL: none */
};
/* Packed records: blocks of *N records, each with notes of all their fields' columns in front. Both take what is at *AT; false: it is not what pack makes. */
bool writer_unpack_notes(const struct odp_search_writer *w, const char **at, const char *end, struct writer_note *notes, uint32_t *n);
bool writer_unpack(const struct odp_search_writer *w, const char **at, const char *end, struct writer_record *out);

/* ---- columns --------------------------------------------------------------------------------------------------------------- */

enum writer_source { WRITER_FIELD, WRITER_PREFIX, WRITER_TAKEN, WRITER_DATE, WRITER_DELAY };
struct writer_taken; /* the open index of another resource */

/* What a field's values become: its value in `data`, and what JSON has of it. (What is not short or not a double is kept as its text.) */
enum writer_form {
    WRITER_WHOLE,   /* a whole number as it is written */
    WRITER_DECIMAL,
    WRITER_TRUTH,   /* 0 or 1 · true or false */
    WRITER_LITERAL, /* text as it is written */
    WRITER_INSTANT, /* UTC · a string */
    WRITER_DATED,   /* a string of letters and digits: nothing in it is escaped, and no word */
    WRITER_STRING
};
enum writer_form writer_form_of(enum odp_type type);

/* A code's meaning. */
struct writer_label {
    struct odp_slice code;
    struct odp_text text;
};

struct writer_column {
    enum writer_source source;
    enum writer_form form;       /* FIELD */
    uint32_t field;              /* FIELD: of the resource's schema */
    int from;                    /* PREFIX: column, -1: none */
    int64_t prefix;              /* characters */
    struct writer_taken *taken;  /* TAKEN; several columns may share one */
    int taken_column;            /* of the other index */
    bool words;                  /* of a kind that may be searched for words */
    struct writer_label *labels; /* sorted by code; nlabels */
    uint32_t nlabels;
    /* seen so far */
    bool null_seen, value_seen, word_seen;
};

/* An index of `data`. */
struct writer_index {
    uint32_t *columns, n;
    bool unique;
    bool made;
    struct writer_keys *keys;
    struct writer_keys_counts counts;
    uint32_t root;
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

    struct tree_pages *pages; /* the file, until SQLite opens it */
    struct tree *data, *cell_table, *shapes;
    uint32_t data_root, cell_root, shape_root;
    struct tree_row row;
    struct writer_sql *sql;
    struct writer_boxes *boxes;
    struct writer_words *words; /* NULL: no column can have any */
    struct writer_record record;
    struct odp_buffer cells;       /* the record's, with derived columns */
    struct odp_buffer text, other; /* of values that are made here */
    struct odp_slice *split;       /* info.ncolumns, for reading cells back */
    struct writer_note *notes;     /* info.nfields, of a block */
    char bound[2][ODP_DATETIME_SIZE];        /* of the interval, in the form of `data`: the earliest start, the latest end; "": none yet */
    char interval[2][ODP_DATETIME_SIZE + 2]; /* canonical */
    bool made;              /* the file is ours */
    enum odp_status status; /* the first failure stays */
};

/* writer_plan.c: info, columns, labels, indexes of W->job. */
enum odp_status writer_plan(struct odp_search_writer *w) ODP_MUST_USE;
/* writer_make.c: the indexes that are left when it is known which columns are wide; sets `indexed`, and takes the key from info where it is none. */
enum odp_status writer_make_indexes(struct odp_search_writer *w) ODP_MUST_USE;
/* Tells SQLite of the trees; what ANALYZE would find out of them, and it of the rest. */
enum odp_status writer_make_schema(struct odp_search_writer *w) ODP_MUST_USE;
enum odp_status writer_make_statistics(struct odp_search_writer *w) ODP_MUST_USE;

/* writer_labels.c */
/* The meaning of CODE in column C; NULL: none. */
const struct writer_label *writer_label_of(const struct writer_column *c, struct odp_slice code);
/* LABELS are the column's, N of them in any order; sorted here, later ones of the same code are dropped. */
void writer_set_labels(struct writer_column *c, struct writer_label *labels, uint32_t n);
/* The table label, with its index. */
enum odp_status writer_write_labels(struct odp_search_writer *w) ODP_MUST_USE;

/* writer_schema.c */
/* A tree gets its name: w->text is the statement that would have made it. */
enum odp_status writer_put_schema(struct odp_search_writer *w, const char *type, const char *name, const char *table, uint32_t root) ODP_MUST_USE;
/* w->text is what ANALYZE would say of TABLE (INDEX: NULL where it is asked of the table itself). */
enum odp_status writer_put_statistics(struct odp_search_writer *w, const char *table, const char *index) ODP_MUST_USE;

/* writer_derived.c: columns behind the fields: planned, then set for each record (W->record, W->cells). */
enum odp_status writer_plan_derived(struct odp_search_writer *w) ODP_MUST_USE;
enum odp_status writer_derive(struct odp_search_writer *w) ODP_MUST_USE;
void writer_close_taken(struct odp_search_writer *w);

/* writer_box.c */
enum odp_status writer_boxes_new(struct odp_search_writer *w) ODP_MUST_USE;
enum odp_status writer_boxes_add(struct odp_search_writer *w, int64_t id, const int32_t box[4]) ODP_MUST_USE;
enum odp_status writer_boxes_end(struct odp_search_writer *w) ODP_MUST_USE;
void writer_boxes_free(struct odp_search_writer *w);

/* writer_words.c: the record's texts are put aside; then which columns are searched for words is known, and the trees are written; SQLite is told of them; and the rest. */
enum odp_status writer_words_new(struct odp_search_writer *w) ODP_MUST_USE;
enum odp_status writer_words_add(struct odp_search_writer *w) ODP_MUST_USE;
enum odp_status writer_words_write(struct odp_search_writer *w) ODP_MUST_USE;
enum odp_status writer_words_schema(struct odp_search_writer *w) ODP_MUST_USE;
enum odp_status writer_words_end(struct odp_search_writer *w) ODP_MUST_USE;
enum odp_status writer_words_statistics(struct odp_search_writer *w) ODP_MUST_USE;
void writer_words_free(struct odp_search_writer *w);

/* writer_sql.c: before SQLite is used for anything. */
void writer_start(void);
/* Opens the file that tree.c has made. */
enum odp_status writer_open(struct odp_search_writer *w) ODP_MUST_USE;
/* Closes the file; *STATUS of closing. */
enum odp_status writer_close(struct odp_search_writer *w) ODP_MUST_USE;
sqlite3 *writer_db(const struct odp_search_writer *w);
/* SQLite said RC: FAIL, recorded with the path; OK where RC is SQLITE_OK, ROW or DONE. */
enum odp_status writer_check(struct odp_search_writer *w, int rc) ODP_MUST_USE;
enum odp_status writer_exec(struct odp_search_writer *w, const char *sql) ODP_MUST_USE;
enum odp_status writer_prepare(struct odp_search_writer *w, const char *sql, sqlite3_stmt **out) ODP_MUST_USE;
/* Steps S, which gives no row, and makes it ready for the next. */
enum odp_status writer_step(struct odp_search_writer *w, sqlite3_stmt *s) ODP_MUST_USE;
/* Value V at place N (from 1). */
int writer_bind(sqlite3_stmt *s, int n, const struct writer_value *v);
int writer_bind_text(sqlite3_stmt *s, int n, struct odp_slice text);

#endif
