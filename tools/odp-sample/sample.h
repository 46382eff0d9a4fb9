/* odp-sample makes synthetic sources for the datasets of a catalogue, at any size, clean or with known faults.
 *
 * What a source LOOKS like (columns, delimiter, encoding, decimal sign, date patterns, missing values) is read from the
 * dataset's own dataset.json; what its VALUES are comes from recipes.c. Every value is a pure function of (seed, dataset,
 * row, field): no state runs from row to row, so a child can name the key of any parent row without reading the parent's
 * file, memory does not grow with the rows, and the same call gives the same bytes everywhere.
 *
 * Files: recipes.c (what each dataset holds), words.c (word lists, provinces), table.c (descriptor and code lists),
 * random.c (numbers and the calendar), generate.c (values), render.c (values as text), faults.c (what can be wrong),
 * write_csv.c, shape.c, write_shape.c and documents.c (files), bench.c (a catalogue around a single dataset), main.c. */
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

/* ---- recipes ---- */
enum gen {
    G_TEXT,     /* arg: template: {field} {#5} row number {9:4} digits {u:8} digits unique to the row
                 * {v:0:3} some of eight such digits {r:1:90} {r2:1:90} two digits {@list} */
    G_INT,      /* lo..hi */
    G_DEC,      /* lo..hi in units of 10^-places */
    G_DATE,     /* lo..hi as yyyymmdd */
    G_TIME,     /* the same, with a time of day; arg: field with the region code that sets the offset, or NULL for WIB */
    G_LATER,    /* arg: a date or time of this row, plus lo..hi days or minutes */
    G_YEAR,     /* arg: year of a date of this row */
    G_BOOL,     /* true in lo of 1000 */
    G_PICK,     /* one of the field's categories or enum; arg: weights */
    G_LIST,     /* arg: a word of the list */
    G_REGION,   /* a kabupaten or kota; arg: provinces to choose from */
    G_PROVINCE, /* a province; arg: field with a region code, or NULL: any */
    G_CODE,     /* arg: a code of the code list; form: weights */
    G_NAME,     /* arg "list field": name of the code in FIELD */
    G_AXIS, /* composite keys: row / lo % hi as arg says: kabkota, provinsi, pick, number, year:N, quarter:N, list:L, code:P */
    G_REF,  /* arg "slug/resource.field": key of a parent row; lo 0 random, 1 row / hi, 2 row % parent rows */
    G_FROM, /* arg: another field of that parent row */
    G_SUM,
    G_DIFF,
    G_TIMES, /* arg "a b" */
    G_RATIO, /* arg "a b": 100 a / b, with places */
    G_SHARE, /* arg: field times lo..hi / 1000, with places */
    G_STEP,  /* arg "field 38 60": category by thresholds */
    G_MATCH, /* arg: field with categories; form: list whose word stands at the same place */
    G_ABOVE,
    G_ATLEAST, /* arg "a b": boolean */
    G_NIK,     /* arg: field with a region code */
    G_NOTHING  /* null */
};

/* An entry whose name stood earlier in the same recipe replaces the value where its condition holds. Names that begin with
 * '_' are helpers and not columns. */
struct recipe {
    const char *name;
    enum gen gen;
    const char *arg;
    int64_t lo, hi;
    int places;
    unsigned nulls;   /* of 1000 */
    unsigned every;   /* this many rows share one draw: what belongs to a region and not to a year; 0 is 1 */
    bool skew;        /* small values more often */
    bool keyed;       /* does not change with --seed: keys and what they are made of */
    const char *when; /* "field=a,b" or "field!=a,b": else null (or unchanged) */
    const char *form; /* see gen; for numbers: text around the number, "Rp {}" */
};

/* How to break a row rule: the field gets the value of this entry instead. */
struct rule_break {
    const char *rule;
    struct recipe value;
};

enum shape { SHAPE_NONE, SHAPE_POINT, SHAPE_LINE, SHAPE_POLYGON };

struct recipe_table {
    const char *slug, *resource;
    uint64_t rows; /* in the catalogue's sample */
    uint64_t max;  /* 0: no limit (composite keys run out) */
    uint64_t per;  /* further resource: rows per row of the first; 0: first resource */
    const struct recipe *fields;
    size_t nfields;
    const struct rule_break *breaks;
    size_t nbreaks;
    const char *preamble; /* lines before the header, or NULL */
    bool bom, quote_all;
    enum shape shape;
    int zone;               /* UTM zone, southern; 0: WGS 84 */
    const char *size_field; /* luas_ha or panjang_km: what the geometry measures */
    const char *region_field;
};
extern const struct recipe_table sample_recipes[];
extern const size_t sample_nrecipes;

/* ---- words.c ---- */
struct sample_list {
    const char *name, *words; /* separated by '|' */
};
extern const struct sample_list sample_lists[];
extern const size_t sample_nlists;
struct sample_province {
    const char *code;
    double lon, lat, spread; /* rough middle of the land, degrees: synthetic places only */
    int offset;              /* hours east of UTC */
};
const struct sample_province *sample_province_of(const char *code, size_t len); /* by the first two digits; never NULL */

/* ---- a dataset's resource: recipe and form ---- */
enum form_type { FORM_TEXT, FORM_INTEGER, FORM_NUMBER, FORM_BOOLEAN, FORM_DATE, FORM_DATETIME, FORM_YEAR, FORM_YEARMONTH };

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
    bool required, unique, is_key, is_public, has_pattern, is_formatted, is_enum, has_minimum, has_maximum, allows_phone;
    int64_t max_length;          /* -1: none */
    double minimum, maximum;     /* numbers and years */
    int64_t first_day, last_day; /* dates; has_minimum, has_maximum */
    const char *reference;       /* "references/kabkota@2025", "kumuh", or NULL */
    const char *folder, *pages;  /* odp:document: where the files are, and the field that counts their pages; or NULL */
    size_t recipe;               /* index into the table's recipe */
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
    struct sample_words category_of[SAMPLE_FIELDS]; /* by recipe entry: the field's categories, for G_PICK and G_STEP */
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
    struct sample_words *lists; /* like sample_lists, split */
    struct sample_code_list code_list[16];
    size_t ncode_lists;
    struct odp_buffer scratch;
    const struct sample_table *first_of; /* the table whose row 0 is in `first`: duplicate keys repeat it */
    struct sample_row *first;
    char fault[512]; /* what is wrong with the catalogue or the command line */
};

/* OK, BAD (ctx->fault says what), FAIL. */
enum odp_status sample_context_init(struct sample_context *c, const char *catalog, uint64_t seed) ODP_MUST_USE;
void sample_context_release(struct sample_context *c);
enum odp_status sample_table_open(struct sample_context *c, const struct recipe_table *r,
                                  struct sample_table **out) ODP_MUST_USE;
/* The dataset.json of SLUG as odp-sample uses it (with ctx->csv: turned into CSV). The caller owns it. */
enum odp_status sample_descriptor(struct sample_context *c, const char *slug, json_t **out) ODP_MUST_USE;
const struct recipe_table *sample_recipe_find(const char *slug, size_t len, const char *resource, size_t rlen);
enum odp_status sample_code_list(struct sample_context *c, const char *slug, const struct sample_code_list **out) ODP_MUST_USE;
const struct sample_words *sample_list_find(const struct sample_context *c, const char *name, size_t len);
enum odp_status sample_bad(struct sample_context *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- values ---- */
enum value_kind { VALUE_NULL, VALUE_TEXT, VALUE_NUMBER, VALUE_DATE, VALUE_TIME, VALUE_BOOL };
struct sample_value {
    enum value_kind kind;
    int64_t n; /* number in units of 10^-places; days since 1970; seconds since 1970 UTC; 0 or 1 */
    int places;
    int offset; /* minutes east of UTC, for times */
    struct odp_slice text;
    size_t category; /* place among the categories, for G_MATCH */
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
enum odp_status sample_row_make(struct sample_context *c, const struct sample_table *t, uint64_t index, size_t upto,
                                struct sample_row *row) ODP_MUST_USE;
/* One entry evaluated in a finished row, for breaking rules. */
enum odp_status sample_value_make(struct sample_context *c, const struct sample_table *t, struct sample_row *row,
                                  const struct recipe *e, size_t slot, struct sample_value *out) ODP_MUST_USE;
bool sample_row_holds(const struct sample_table *t, const struct sample_row *row, const char *when);
size_t sample_entry_find(const struct recipe_table *r, const char *name, size_t len); /* or SIZE_MAX */
double sample_number(const struct sample_value *v);

/* ---- text ---- */
int64_t sample_days(int y, int m, int d);
void sample_civil(int64_t days, int *y, int *m, int *d);
/* The value as templates and conditions see it: plain decimal, ISO date, true or false. */
void sample_canonical(const struct sample_value *v, struct odp_buffer *out);
/* The value as the source writes it. PICK chooses among missing values. */
void sample_render(const struct sample_field *f, const struct recipe *e, const struct sample_value *v, uint64_t pick,
                   struct odp_buffer *out);

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
    bool (*applies)(const struct sample_table *t, size_t field);
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
void sample_fault_plan(const struct sample_context *c, const struct sample_faults *f, const struct sample_table *t,
                       uint64_t index, struct sample_plan *out);
enum odp_status sample_fault_value(struct sample_context *c, const struct sample_table *t, struct sample_row *row,
                                   struct sample_plan *p) ODP_MUST_USE; /* before rendering */
enum odp_status sample_fault_cell(const struct sample_table *t, const struct sample_plan *p,
                                  struct sample_cell *cell) ODP_MUST_USE; /* after rendering */
enum odp_status sample_fault_record(struct sample_faults *f, const struct sample_table *t, const struct sample_plan *p,
                                    uint64_t line, uint64_t row) ODP_MUST_USE;

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
enum odp_status sample_shape_make(const struct sample_projection *p, const struct sample_table *t, const struct sample_row *row,
                                  const struct sample_context *c, enum sample_damage damage,
                                  struct sample_shape *out) ODP_MUST_USE;

/* ---- files ---- */
enum odp_status sample_write_csv(struct sample_context *c, const struct sample_table *t, uint64_t rows, const char *path,
                                 struct sample_faults *faults) ODP_MUST_USE;
enum odp_status sample_write_shape(struct sample_context *c, const struct sample_table *t, uint64_t rows, const char *path,
                                   struct sample_faults *faults) ODP_MUST_USE;
/* The PDF files that the first rows name (odp:document), below DIR: small, and they say that they are synthetic. */
enum { SAMPLE_DOCUMENT_ROWS = 25 };
enum odp_status sample_write_documents(struct sample_context *c, const struct sample_table *t, uint64_t rows, const char *dir) ODP_MUST_USE;
/* FROM (UTF-8) in the table's encoding, appended to OUT. FAIL: no such encoding or a character it lacks. */
enum odp_status sample_encode(const char *encoding, struct odp_slice from, struct odp_buffer *out) ODP_MUST_USE;
/* dataset.json of what was made beside its sources in DIR, with portal, changes and code lists: a catalogue of its own. Foreign
 * keys into datasets that were not made are left out. */
enum odp_status sample_write_catalogue(struct sample_context *c, const char *const *slugs, size_t n,
                                       const char *dir) ODP_MUST_USE;

#endif
