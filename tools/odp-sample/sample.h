/* odp-sample makes synthetic sources for the datasets of a catalogue, at any size, clean or with known
 * faults.
 *
 * What a source LOOKS like (columns, delimiter, encoding, decimal sign, date patterns, missing values) is
 * read from the dataset's own dataset.json; what its VALUES are comes from recipes.json. Every value is a
 * pure function of (seed, dataset, row, field): no state runs from row to row, so a child can name the key of
 * any parent row without reading the parent's file, memory does not grow with the rows, and the same call
 * gives the same bytes everywhere.
 *
 * Files: recipes.json, words.json, recipes.c (what each dataset holds), table.c (descriptor and code lists),
 * random.c (numbers and the calendar), generate.c (values), render.c (values as text), faults.c (what can be
 * wrong), write_csv.c, shape.c, write_shape.c and documents.c (files), bench.c (a catalogue around a single
 * dataset), main.c. */
#ifndef ODP_SAMPLE_H
#define ODP_SAMPLE_H

#include <jansson.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/file.h"

enum { SAMPLE_FIELDS = 32, SAMPLE_TEXT = 4096 };

/* ---- random numbers: splitmix64, so that no libc decides what we write ---- */
struct sample_random {
    uint64_t state;
};
uint64_t sample_mix(uint64_t x);
uint64_t sample_hash(const char *s);
uint64_t sample_stream(const char *slug, const char *field);
uint64_t sample_next(struct sample_random *r);
int64_t sample_range(struct sample_random *r, int64_t lo, int64_t hi); /* lo <= x <= hi */
double sample_unit(struct sample_random *r);                           /* 0 <= x < 1 */

/* ---- recipes (recipes.json; generators are told of in README.md) ---- */
struct sample_job;
struct sample_value;
struct sample_generator {
    const char *name;
    enum odp_status (*make)(struct sample_job *j, struct sample_value *out);
    char operation; /* of those that compute with two fields */
};
/* An entry whose name stood earlier in the same recipe replaces the value where its condition holds. Names
 * that begin with
 * '_' are helpers and not columns. */
struct recipe {
    const char *name;
    const struct sample_generator *gen;
    const char *arg;
    int64_t lo, hi;
    int places;
    int nulls;        /* of 1000 */
    int every;        /* this many rows share one draw: what belongs to a region and not to a year; 0 is 1 */
    bool skew;        /* small values more often */
    bool keyed;       /* does not change with --seed: keys and what they are made of */
    const char *when; /* "field=a,b" or "field!=a,b": else null (or unchanged) */
    const char *form; /* see gen; for numbers: text around the number, "Rp {}" */
};

enum shape { SHAPE_NONE, SHAPE_POINT, SHAPE_LINE, SHAPE_POLYGON };

struct recipe_table {
    const char *slug, *resource;
    uint64_t rows; /* in the catalogue's sample */
    uint64_t max;  /* 0: no limit (composite keys run out) */
    uint64_t per;  /* further resource: rows per row of the first; 0: first resource */
    struct recipe *fields;
    size_t nfields;
    struct recipe *breaks; /* how to break a row rule: the field gets the value of this entry instead */
    size_t nbreaks;
    const char *preamble; /* lines before the header, or NULL */
    bool bom, quote_all;
    enum shape shape;
    int zone;               /* UTM zone, southern; 0: WGS 84 */
    const char *size_field; /* luas_ha or panjang_km: what the geometry measures */
    const char *region_field;
};
extern struct recipe_table *sample_recipes;
extern size_t sample_nrecipes;
/* Before all else; in A. */
enum odp_status sample_recipes_load(struct odp_arena *a) ODP_MUST_USE;
void sample_recipes_release(void);
const struct recipe_table *sample_recipe_find(const char *slug, size_t len, const char *resource,
                                              size_t rlen);
const struct sample_generator *sample_generator_find(const char *name); /* or NULL */

/* ---- words (words.json) ---- */
struct sample_list {
    const json_t *array;
    size_t n;
};
bool sample_list_find(const char *name, struct sample_list *out);
struct odp_slice sample_list_word(const struct sample_list *l, size_t i);
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
    const char *slug, *edition;
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
    struct sample_words categories;
    struct sample_words missing;
    bool required, unique, is_key, is_public, has_pattern, is_formatted, is_enum, has_minimum, has_maximum,
        allows_phone;
    int64_t max_length;          /* -1: none */
    double minimum, maximum;     /* numbers and years */
    int64_t first_day, last_day; /* dates; has_minimum, has_maximum */
    const char *reference;       /* "references/kabkota@2025", "kumuh", or NULL */
    const char *folder,
        *pages;    /* odp:document: where the files are, and the field that counts their pages; or NULL */
    size_t recipe; /* index into the table's recipe */
};

struct sample_table {
    const struct recipe_table *recipe;
    const char *path;
    char delimiter;
    bool crlf;
    const char *encoding; /* NULL: utf-8 */
    size_t header_row;    /* from 1 */
    struct sample_field field[SAMPLE_FIELDS];
    size_t nfields;
    const json_t *json;                             /* the resource */
    size_t slot[SAMPLE_FIELDS];                     /* recipe entry -> first entry of that name */
    struct sample_words category_of[SAMPLE_FIELDS]; /* by recipe entry: the field's categories */
    enum form_type type_of[SAMPLE_FIELDS];
    uint64_t stream[SAMPLE_FIELDS]; /* what sets the random numbers of this entry apart */
};

struct sample_row;
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
    char fault[512]; /* what is wrong with the catalogue or the command line */
};

/* OK, BAD (ctx->fault says what), FAIL. */
enum odp_status sample_context_init(struct sample_context *c, const char *catalog,
                                    uint64_t seed) ODP_MUST_USE;
void sample_context_release(struct sample_context *c);
enum odp_status sample_table_open(struct sample_context *c, const struct recipe_table *r,
                                  struct sample_table **out) ODP_MUST_USE;
/* The dataset.json of SLUG as odp-sample uses it (with ctx->csv: turned into CSV). The caller owns it. */
enum odp_status sample_descriptor(struct sample_context *c, const char *slug, json_t **out) ODP_MUST_USE;
enum odp_status sample_code_list(struct sample_context *c, const char *slug,
                                 const struct sample_code_list **out) ODP_MUST_USE;
enum odp_status sample_bad(struct sample_context *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

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
/* Row INDEX (from 0), the recipe's entries up to and including UPTO. */
enum odp_status sample_row_make(struct sample_context *c, const struct sample_table *t, uint64_t index,
                                size_t upto, struct sample_row *row) ODP_MUST_USE;
/* One entry evaluated in a finished row, for breaking rules. */
enum odp_status sample_value_make(struct sample_context *c, const struct sample_table *t,
                                  struct sample_row *row, const struct recipe *e, size_t slot,
                                  struct sample_value *out) ODP_MUST_USE;
bool sample_row_holds(const struct sample_table *t, const struct sample_row *row, const char *when);
size_t sample_entry_find(const struct recipe_table *r, const char *name, size_t len); /* or SIZE_MAX */
double sample_number(const struct sample_value *v);

/* ---- text ---- */
int64_t sample_days(int y, int m, int d);
void sample_civil(int64_t days, int *y, int *m, int *d);
/* The value as templates and conditions see it: plain decimal, ISO date, true or false. */
void sample_canonical(const struct sample_value *v, struct odp_buffer *out);
/* The value as the source writes it. PICK chooses among missing values. */
void sample_render(const struct sample_field *f, const struct recipe *e, const struct sample_value *v,
                   uint64_t pick, struct odp_buffer *out);

/* ---- faults ---- */
struct sample_cell {
    struct odp_buffer text;
    bool raw; /* write the bytes as they are: the fault is in the quoting */
};
enum fault_place { FAULT_CELL, FAULT_ROW, FAULT_BEFORE, FAULT_SHAPE };
enum sample_damage { DAMAGE_NONE, DAMAGE_NULL, DAMAGE_CROSS, DAMAGE_OUTSIDE };
struct fault_kind {
    const char *name, *code, *help; /* code NULL: by the field's type */
    enum fault_place place;
    unsigned needs;    /* traits of a field (faults.c) */
    const char *text;  /* stands in the cell's place, or NULL */
    bool in_shapefile; /* bytes, quotes and rows are the DBF writer's own affair */
};
struct sample_plan {               /* what goes wrong in one row */
    const struct fault_kind *kind; /* NULL: nothing */
    size_t field;
    const char *code;
    struct sample_random random;
    enum sample_damage damage;
};
struct sample_faults {
    uint64_t threshold[64]; /* cumulative, of 2^32, by kind */
    bool any;
    struct odp_file *manifest;
    struct odp_buffer line;
    uint64_t planted;
};
extern const struct fault_kind sample_fault_kinds[];
extern const size_t sample_nfault_kinds;
enum odp_status sample_faults_share(struct sample_context *c, struct sample_faults *f, const char *kind,
                                    double share) ODP_MUST_USE;
/* True when KIND can be planted somewhere in T. */
bool sample_fault_fits(const struct sample_table *t, const struct fault_kind *kind);
void sample_fault_plan(const struct sample_context *c, const struct sample_faults *f,
                       const struct sample_table *t, uint64_t index, struct sample_plan *out);
enum odp_status sample_fault_value(struct sample_context *c, const struct sample_table *t,
                                   struct sample_row *row,
                                   struct sample_plan *p) ODP_MUST_USE; /* before rendering */
enum odp_status sample_fault_cell(const struct sample_table *t, const struct sample_plan *p,
                                  struct sample_cell *cell) ODP_MUST_USE; /* after rendering */
enum odp_status sample_fault_record(struct sample_faults *f, const struct sample_table *t,
                                    const struct sample_plan *p, uint64_t line, uint64_t row) ODP_MUST_USE;

/* ---- shapes ---- */
enum { SHAPE_POINTS = 2000, SHAPE_VERTICES = 3 * SHAPE_POINTS, SHAPE_PARTS = 4 };
struct sample_shape {
    double x[SHAPE_VERTICES], y[SHAPE_VERTICES];
    int n;
    int part[SHAPE_PARTS];
    int nparts; /* 0: no geometry */
};
struct sample_projection; /* PROJ handles */
enum odp_status sample_projection_open(int zone, struct sample_projection **out) ODP_MUST_USE;
void sample_projection_close(struct sample_projection *p);
enum odp_status sample_shape_make(const struct sample_projection *p, const struct sample_table *t,
                                  const struct sample_row *row, const struct sample_context *c,
                                  enum sample_damage damage, struct sample_shape *out) ODP_MUST_USE;

/* ---- files ---- */
enum odp_status sample_write_csv(struct sample_context *c, const struct sample_table *t, uint64_t rows,
                                 const char *path, struct sample_faults *faults) ODP_MUST_USE;
enum odp_status sample_write_shape(struct sample_context *c, const struct sample_table *t, uint64_t rows,
                                   const char *path, struct sample_faults *faults) ODP_MUST_USE;
/* The PDF files that the first rows name (odp:document), below DIR: small, and they say that they are
 * synthetic. */
enum { SAMPLE_DOCUMENT_ROWS = 25 };
enum odp_status sample_write_documents(struct sample_context *c, const struct sample_table *t, uint64_t rows,
                                       const char *dir) ODP_MUST_USE;
/* FROM (UTF-8) in the table's encoding, appended to OUT. FAIL: no such encoding or a character it lacks. */
enum odp_status sample_encode(const char *encoding, struct odp_slice from,
                              struct odp_buffer *out) ODP_MUST_USE;
/* dataset.json of what was made beside its sources in DIR, with portal, changes and code lists: a catalogue
 * of its own. Foreign keys into datasets that were not made are left out. */
enum odp_status sample_write_catalogue(struct sample_context *c, const char *const *slugs, size_t n,
                                       const char *dir) ODP_MUST_USE;

#endif
