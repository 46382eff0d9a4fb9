/* odp-sample makes synthetic sources for the datasets of a catalogue, at any size, clean or with known
 * faults.
 *
 * The look of a source (columns, delimiter, encoding, decimal sign, date patterns, missing values) is read
 * from the dataset's own dataset.json; what its VALUES are comes from recipes.json. Every value is a pure
 * function of (seed, dataset, row, field): no state runs from row to row, so a child can name the key of any
 * parent row without reading the parent's file, memory does not grow with the rows, and the same call gives
 * the same bytes everywhere.
 *
 * What fails is kept by the context, the first of a run, and ends it: loops over rows, fields and files ask
 * sample_going, and the rest of the run is thrown away.
 *
 * Files: recipes.json, words.json, recipes.c (what each dataset holds), table.c (descriptor and code lists),
 * generate.c (values), render.c (values as text), faults.c (what can be wrong), write_csv.c, shape.c,
 * write_shape.c and documents.c (files), bench.c (a catalogue around a single dataset), main.c. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/file.h"

enum { SAMPLE_FIELDS = 32, SAMPLE_TEXT = 4096, SAMPLE_FAULTS = 64 };

/* ---- random numbers: splitmix64, so that no libc decides what we write ---- */
struct sample_random {
    uint64_t state;
};
uint64_t sample_mix(uint64_t x);
uint64_t sample_hash(const char *s);
uint64_t sample_next(struct sample_random *r);
int64_t sample_range(struct sample_random *r, int64_t lo, int64_t hi); /* lo <= x <= hi */
double sample_unit(struct sample_random *r);                           /* 0 <= x < 1 */

/* ---- recipes (recipes.json; README.md lists the generators) ---- */
struct sample_generator;
/* An entry whose name stood earlier in the same recipe replaces the value where its condition holds. Names
 * that begin with '_' are helpers and not columns. */
struct recipe {
    const char *name;
    const struct sample_generator *gen;
    const char *arg;
    int64_t lo, hi;
    int places;
    int nulls;        /* of 1000 */
    int every;        /* this many rows share one draw: what belongs to a region and not to a year; 0 is 1 */
    int skew;         /* small values more often */
    int keyed;        /* does not change with --seed: keys and what they are made of */
    const char *when; /* "field=a,b" or "field!=a,b": else null (or unchanged) */
    const char *form; /* see gen; for numbers: text around the number, "Rp {}" */
    size_t slot;      /* the first entry of this name: where a row has the value */
    uint64_t stream;  /* what sets the random numbers of this name apart */
};

enum shape { SHAPE_NONE, SHAPE_POINT, SHAPE_LINE, SHAPE_POLYGON };

struct recipe_table {
    const char *slug, *resource;
    json_int_t rows; /* in the catalogue's sample */
    json_int_t max;  /* 0: no limit (composite keys run out) */
    json_int_t per;  /* further resource: rows per row of the first; 0: first resource */
    struct recipe *fields;
    size_t nfields;
    struct recipe *breaks; /* how to break a row rule: the field gets the value of this entry instead */
    size_t nbreaks;
    const char *preamble; /* lines before the header, or NULL */
    int bom, quote_all;
    enum shape shape;
    int zone;               /* UTM zone, southern; 0: WGS 84 */
    const char *size_field; /* luas_ha or panjang_km: what the geometry measures */
    const char *region_field;
};
extern struct recipe_table *sample_recipes;
extern size_t sample_nrecipes;
const struct sample_generator *sample_generator_find(const char *name);        /* or NULL */
size_t sample_entry_find(const struct recipe_table *r, struct odp_slice name); /* or SIZE_MAX */

/* ---- words (words.json) ---- */
const json_t *sample_list_find(const char *name); /* NULL: no such list, or an empty one */
struct odp_slice sample_list_word(const json_t *list, uint64_t i);
struct sample_province {
    double lon, lat, spread; /* rough middle of the land, degrees: synthetic places only */
    int offset;              /* hours east of UTC */
};
struct sample_province sample_province_of(const char *code); /* by its first two digits */

/* ---- a dataset's resource: recipe and form ---- */
enum form_type {
    FORM_TEXT,
    FORM_INTEGER,
    FORM_NUMBER,
    FORM_BOOLEAN,
    FORM_DATE,
    FORM_DATETIME,
    FORM_YEAR,
    FORM_YEARMONTH
};

struct sample_words {
    struct odp_slice *item;
    size_t n;
};

struct sample_code_list {
    const char *slug;
    struct sample_words codes, names;
};

struct sample_field {
    const char *name;
    const char *column; /* odp:sourceName or name */
    enum form_type type;
    const char *pattern; /* date pattern or NULL */
    char decimal, group;
    bool bare;
    const char *true_text, *false_text;
    struct sample_words categories, missing;
    bool required, unique, is_key, is_public, has_pattern, is_formatted, is_enum, has_minimum, has_maximum;
    int64_t max_length;          /* 0: none */
    double minimum, maximum;     /* numbers and years */
    int64_t first_day, last_day; /* dates; has_minimum, has_maximum */
    const char *reference;       /* "references/kabkota@2025", "kumuh", or NULL */
    const char *folder,
        *pages; /* odp:document: where the files are, which field counts their pages; or NULL */
    const struct recipe *recipe;
};

struct sample_table {
    const struct recipe_table *recipe;
    const char *path;
    bool is_shapefile;
    char delimiter;
    bool crlf;
    const char *encoding; /* NULL: utf-8 */
    size_t header_row;    /* from 1 */
    struct sample_field field[SAMPLE_FIELDS];
    size_t nfields;
    json_t *json;                                 /* the package, whose texts are pointed to */
    const struct sample_field *of[SAMPLE_FIELDS]; /* the field of a recipe's entry; NULL: a helper */
};

/* ---- values ---- */
enum value_kind { VALUE_NULL, VALUE_TEXT, VALUE_NUMBER, VALUE_DATE, VALUE_TIME, VALUE_BOOL };
struct sample_value {
    enum value_kind kind;
    int64_t n; /* number in units of 10^-places; days since 1970; seconds since 1970 UTC; 0 or 1 */
    int places;
    int offset; /* minutes east of UTC, for times */
    struct odp_slice text;
    size_t category; /* place among the categories */
};
struct sample_row {
    uint64_t index;
    struct sample_value v[SAMPLE_FIELDS]; /* by recipe entry */
    char text[SAMPLE_TEXT];
    size_t used;
    const struct sample_table *parent;
    uint64_t parent_index;
};

/* ---- a run ---- */
struct sample_context {
    struct odp_arena arena;
    const char *catalog;
    uint64_t seed;
    uint64_t parent_limit; /* `all --rows N`: no parent has more rows than this; 0: no limit */
    bool csv;              /* shapefile datasets as CSV */
    int points;            /* of a line, or of a ring (the first repeated at its end); 0: some, at random */
    int zone;              /* like recipe_table.zone, for all; -1: the recipe's */
    struct sample_table **tables;
    struct sample_code_list code_list[16];
    size_t ncode_lists;
    struct odp_buffer scratch;
    const struct sample_table *first_of; /* the table whose row 0 is in `first`: duplicate keys repeat it */
    struct sample_row *first;
    uint64_t threshold[SAMPLE_FAULTS]; /* of 2^32, by kind */
    bool faulty;                       /* faults are wanted */
    struct odp_file *manifest;
    enum odp_status status; /* BAD: the catalogue or the command line is wrong, as fault says */
    char fault[512];
};
static inline bool sample_going(const struct sample_context *c)
{
    return c->status == ODP_OK;
}
/* The first thing that goes wrong; RESULT is any call that failed, or OK. */
void sample_note(struct sample_context *c, enum odp_status result);
void sample_bad(struct sample_context *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void sample_recipes_load(struct sample_context *c); /* before all else */
void sample_recipes_release(void);
void sample_context_init(struct sample_context *c);
void sample_context_release(struct sample_context *c);
/* Opened once a run. NULL: it has failed. */
struct sample_table *sample_table_open(struct sample_context *c, const struct recipe_table *r);
/* The dataset.json of SLUG as odp-sample uses it (with --csv: turned into CSV); the caller's. NULL: failed.
 */
json_t *sample_descriptor(struct sample_context *c, const char *slug);
const struct sample_code_list *sample_code_list(struct sample_context *c,
                                                const char *slug); /* NULL: failed */
/* The whole of PATH in the run's arena. */
struct odp_slice sample_read(struct sample_context *c, const char *path, const char *advice);
/* PATH, written anew. */
void sample_put(struct sample_context *c, const char *path, struct odp_slice bytes);

/* Row INDEX (from 0), the recipe's entries up to and including UPTO. */
void sample_row_make(struct sample_context *c, const struct sample_table *t, uint64_t index, size_t upto,
                     struct sample_row *row);
/* One entry evaluated in a finished row, for breaking rules. */
struct sample_value sample_value_make(struct sample_context *c, const struct sample_table *t,
                                      struct sample_row *row, const struct recipe *e);
bool sample_row_holds(const struct sample_table *t, const struct sample_row *row, const char *when);
double sample_number(const struct sample_value *v);

/* ---- text ---- */
int64_t sample_days(int y, int m, int d); /* since 1970-01-01 */
struct odp_datetime sample_civil(int64_t days);
/* The value as templates and conditions see it: plain decimal, ISO date, true or false. */
void sample_canonical(const struct sample_value *v, struct odp_buffer *out);
/* The value as the source writes it. PICK chooses among missing values. */
void sample_render(const struct sample_field *f, const struct sample_value *v, uint64_t pick,
                   struct odp_buffer *out);
/* TEXT (UTF-8) in ENCODING; NULL: as it is. Borrowed from BUFFER. */
struct odp_slice sample_encode(struct sample_context *c, const char *encoding, struct odp_slice text,
                               struct odp_buffer *buffer);

/* ---- faults ---- */
enum fault_place { FAULT_CELL, FAULT_ROW, FAULT_BEFORE, FAULT_SHAPE };
struct fault_kind {
    const char *name, *code, *help; /* code NULL: by the field's type */
    enum fault_place place;
    unsigned needs;    /* traits of a field (faults.c) */
    const char *text;  /* takes the cell's place, or NULL */
    bool in_shapefile; /* bytes, quotes and rows are the DBF writer's own affair */
};
struct sample_plan {               /* what goes wrong in one row */
    const struct fault_kind *kind; /* NULL: nothing */
    const struct sample_field *field;
    const char *code;
    struct sample_random random;
};
extern const struct fault_kind sample_fault_kinds[];
extern const size_t sample_nfault_kinds;
/* Whether the plan is of that kind. */
bool sample_fault_is(const struct sample_plan *p, const char *kind);
/* True when KIND can be planted somewhere in T. */
bool sample_fault_fits(const struct sample_table *t, const struct fault_kind *kind);
/* Plans a fault for ROW, and changes its values. */
struct sample_plan sample_fault_plan(struct sample_context *c, const struct sample_table *t,
                                     struct sample_row *row);
/* In the manifest; LINE is 0 for a shapefile. */
void sample_fault_record(struct sample_context *c, const struct sample_table *t, const struct sample_plan *p,
                         uint64_t line, uint64_t row);
/* The rendered CELL of field F, spoilt if that is planned. RAW: to be written as it is, the fault is in the
 * quoting. */
void sample_fault_cell(const struct sample_table *t, const struct sample_plan *p,
                       const struct sample_field *f, struct odp_buffer *cell, bool *raw);

/* ---- shapes ---- */
enum { SHAPE_POINTS = 2000, SHAPE_VERTICES = 3 * SHAPE_POINTS, SHAPE_PARTS = 4 };
struct sample_shape {
    double x[SHAPE_VERTICES], y[SHAPE_VERTICES];
    int n;
    int part[SHAPE_PARTS];
    int nparts; /* 0: no geometry */
};
/* UTM: of PROJ; NULL: longitude and latitude. */
void sample_shape_make(struct sample_context *c, void *utm, const struct sample_table *t,
                       const struct sample_row *row, const struct sample_plan *plan,
                       struct sample_shape *out);

/* ---- files ---- */
void sample_write_csv(struct sample_context *c, const struct sample_table *t, uint64_t rows,
                      const char *path);
void sample_write_shape(struct sample_context *c, const struct sample_table *t, uint64_t rows,
                        const char *path);
/* The PDF files that the first rows name (odp:document), below DIR: small, and they say that they are
 * synthetic. */
enum { SAMPLE_DOCUMENT_ROWS = 25 };
void sample_write_documents(struct sample_context *c, const struct sample_table *t, uint64_t rows,
                            const char *dir);
/* The dataset.json of each dataset made, next to its sources in DIR, with portal, changes and code lists: a
 * catalogue of its own. Foreign keys into datasets that were not made are left out. */
void sample_write_catalogue(struct sample_context *c, const char *const *slugs, size_t n, const char *dir);
