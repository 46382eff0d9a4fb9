#include "sample.h"

#include <stdio.h>

/* A kind states only what it needs; the rest is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* ---- where a kind fits ---- */

/* What a field is like. Keys are only KEY and what FIRST and BREAKABLE say. */
enum trait {
    VALUE = 1 << 0, /* no text */
    GROUPED = 1 << 1,
    DAY = 1 << 2,
    REQUIRED = 1 << 3,
    PATTERNED = 1 << 4,
    CATEGORY = 1 << 5,
    RANGED = 1 << 6,
    SIZED = 1 << 7,
    KEY = 1 << 8,
    UNIQUE = 1 << 9,
    FOREIGN = 1 << 10,
    REGIONAL = 1 << 11, /* refers to regencies */
    BREAKABLE = 1 << 12,
    PLAIN = 1 << 13, /* free text */
    PUBLIC = 1 << 14,
    OPEN = 1 << 15, /* cells are not always quoted */
    /* Not in the last column: from there an open quote reaches into the next row, and whether it ends there
     * is a matter of taste. */
    INNER = 1 << 16,
    FIRST = 1 << 17,
    SHAPED = 1 << 18,
    POLYGON = 1 << 19
};

static bool breakable(const struct sample_table *t, size_t i)
{
    for (size_t k = 0; k < t->recipe->nbreaks; k++)
        if (strcmp(t->recipe->breaks[k].name, t->field[i].name) == 0)
            return true;
    return false;
}

static unsigned traits_of(const struct sample_table *t, size_t i)
{
    const struct sample_field *f = &t->field[i];
    bool text = f->type == FORM_TEXT, number = f->type == FORM_INTEGER || f->type == FORM_NUMBER,
         own = f->reference == NULL;
    bool listed = f->categories.n > 0, bounded = f->has_maximum || f->has_minimum;
    const struct {
        unsigned trait;
        bool is;
    } any[] = {{KEY, f->is_key},
               {BREAKABLE, breakable(t, i)},
               {FIRST, i == 0},
               {SHAPED, t->recipe->shape != SHAPE_NONE},
               {POLYGON, t->recipe->shape == SHAPE_POLYGON}},
      others[] = {{VALUE, !text},
                  {GROUPED, number && f->group != '\0'},
                  {DAY, f->type == FORM_DATE},
                  {REQUIRED, f->required},
                  {PATTERNED, f->has_pattern && own && !listed},
                  {CATEGORY, text && listed},
                  {RANGED, bounded && !text && f->type != FORM_YEARMONTH},
                  {SIZED, f->max_length > 0},
                  {UNIQUE, f->unique},
                  {FOREIGN, !own},
                  {REGIONAL, !own && strncmp(f->reference, "references/kabkota", 18) == 0},
                  {PLAIN, text && own && !f->has_pattern && !f->is_formatted && !listed && f->folder == NULL},
                  {PUBLIC, f->is_public},
                  {OPEN, !t->recipe->quote_all},
                  {INNER, i + 1 < t->nfields}};
    unsigned all = 0;
    for (size_t k = 0; k < sizeof any / sizeof *any; k++)
        all |= any[k].is ? any[k].trait : 0;
    for (size_t k = 0; k < sizeof others / sizeof *others && !f->is_key; k++)
        all |= others[k].is ? others[k].trait : 0;
    return all;
}

/* The order is part of the output of --faults: add at the end. */
const struct fault_kind sample_fault_kinds[] = {
    {"type", NULL, "letters where a number, date or boolean should be", FAULT_CELL, VALUE},
    {"group", "ODP-T04", "group sign in the wrong place: 1.5", FAULT_CELL, GROUPED},
    {"calendar", "ODP-T08", "a day that does not exist", FAULT_CELL, DAY},
    {"required", "ODP-B01", "required cell left empty", FAULT_CELL, REQUIRED, .in_shapefile = true},
    {"pattern", "ODP-B09", "text outside its pattern", FAULT_CELL, PATTERNED, .in_shapefile = true},
    {"category", NULL, "text outside its categories or enum", FAULT_CELL, CATEGORY, .in_shapefile = true,
     .text = "Tidak Terdaftar"},
    {"range", NULL, "value beyond minimum or maximum", FAULT_CELL, RANGED, .in_shapefile = true},
    {"length", "ODP-B04", "text longer than maxLength", FAULT_CELL, PLAIN | SIZED},
    {"key", "ODP-K01", "primary key of the first row again", FAULT_CELL, KEY, .in_shapefile = true},
    {"unique", "ODP-B02", "unique value of the first row again", FAULT_CELL, UNIQUE, .in_shapefile = true},
    {"foreign", "ODP-K02", "key that the target does not have", FAULT_CELL, FOREIGN, .in_shapefile = true},
    {"rule", "ODP-L01", "row rule broken", FAULT_CELL, BREAKABLE, .in_shapefile = true},
    {"space", "ODP-W01", "white space around the text", FAULT_CELL, PLAIN},
    {"control", "ODP-W02", "control character in the text", FAULT_CELL, PLAIN, .in_shapefile = true},
    {"sheet-error", "ODP-S01", "#N/A or another error value of a spreadsheet", FAULT_CELL, VALUE},
    {"sheet-hashes", "ODP-S02", "####", FAULT_CELL, VALUE, .text = "########"},
    {"sheet-scientific", "ODP-S03", "1,23E+15 in a code", FAULT_CELL, PATTERNED | PUBLIC, .text = "1,23E+15"},
    {"sheet-zero", "ODP-S04", "code that lost its last zero", FAULT_CELL, FOREIGN | REGIONAL, .text = "32.1"},
    {"sheet-date", "ODP-S05", "day number of a spreadsheet", FAULT_CELL, DAY},
    {"nik", "ODP-P01", "identity number in a public field", FAULT_CELL, PLAIN | PUBLIC, .in_shapefile = true,
     .text = "NIK 3171054508900001"},
    {"phone", "ODP-P03", "telephone number in a public field", FAULT_CELL, PLAIN | PUBLIC,
     .in_shapefile = true, .text = "hub. 081234567890"},
    {"email", "ODP-P04", "e-mail address in a public field", FAULT_CELL, PLAIN | PUBLIC, .in_shapefile = true,
     .text = "surel budi@example.com"},
    {"encoding", "ODP-E01", "byte that the encoding lacks", FAULT_CELL, PLAIN},
    {"nul", "ODP-E04", "NUL byte", FAULT_CELL, PLAIN},
    {"stray-quote", "ODP-R04", "quote inside an unquoted cell", FAULT_CELL, PLAIN | OPEN},
    {"quote-text", "ODP-R05", "text after the closing quote", FAULT_CELL, PLAIN},
    {"unclosed-quote", "ODP-R06", "quote that is never closed", FAULT_CELL, PLAIN | OPEN | INNER},
    {"short", "ODP-R02", "last cell missing", FAULT_ROW, FIRST},
    {"long", "ODP-R03", "one cell too many", FAULT_ROW, FIRST},
    {"blank", "ODP-R01", "blank row", FAULT_BEFORE, FIRST},
    {"total", "ODP-R08", "total row", FAULT_BEFORE, FIRST},
    {"header", "ODP-R10", "header row again", FAULT_BEFORE, FIRST},
    {"geometry-null", "ODP-G01", "record without geometry", FAULT_SHAPE, FIRST | SHAPED,
     .in_shapefile = true},
    {"geometry-cross", "ODP-G04", "polygon that crosses itself", FAULT_SHAPE, FIRST | POLYGON,
     .in_shapefile = true},
    {"geometry-outside", "ODP-G06", "geometry far outside Indonesia", FAULT_SHAPE, FIRST | SHAPED,
     .in_shapefile = true},
};
const size_t sample_nfault_kinds = sizeof sample_fault_kinds / sizeof sample_fault_kinds[0];

static bool is_shapefile(const struct sample_table *t)
{
    size_t n = strlen(t->path);
    return n > 4 && strcmp(t->path + n - 4, ".shp") == 0;
}

static bool fits(const struct sample_table *t, const struct fault_kind *k, size_t field)
{
    bool writable = is_shapefile(t) ? k->in_shapefile : k->place != FAULT_SHAPE;
    return writable && (traits_of(t, field) & k->needs) == k->needs;
}

bool sample_fault_fits(const struct sample_table *t, const struct fault_kind *kind)
{
    for (size_t i = 0; i < t->nfields; i++)
        if (fits(t, kind, i))
            return true;
    return false;
}

/* ---- how often ---- */
enum odp_status sample_faults_share(struct sample_context *c, struct sample_faults *f, const char *kind,
                                    double share)
{
    if (!(share >= 0 && share <= 1))
        return sample_bad(c, "a share lies between 0 and 1");
    f->any = true;
    for (size_t i = 0; i < sample_nfault_kinds; i++)
        if (strcmp(sample_fault_kinds[i].name, kind) == 0) {
            f->threshold[i] = (uint64_t)(share * 4294967296.0);
            return ODP_OK;
        }
    return sample_bad(c, "no kind of fault is called %s; --list-faults names them", kind);
}

static const char *code_of(const struct fault_kind *k, const struct sample_field *f, bool above)
{
    static const char *const types[] = {"",        "ODP-T02", "ODP-T03", "ODP-T06",
                                        "ODP-T07", "ODP-T10", "ODP-T12", "ODP-T12"};
    if (k->code != NULL)
        return k->code;
    if (strcmp(k->name, "category") == 0)
        return f->is_enum ? "ODP-B10" : "ODP-B11";
    if (strcmp(k->name, "range") == 0)
        return above ? "ODP-B06" : "ODP-B05";
    return types[f->type];
}

static void plan_row(const struct sample_context *c, const struct sample_faults *f,
                     const struct sample_table *t, uint64_t index, struct sample_plan *out)
{
    *out = (struct sample_plan){.kind = NULL};
    if (!f->any || index == 0) /* the first row stays clean: duplicate keys repeat it */
        return;
    out->random.state = sample_mix(c->seed ^ sample_hash(t->recipe->resource)) ^
                        sample_mix(index * UINT64_C(0x2545f4914f6cdd1d) + 77);
    uint64_t at = sample_next(&out->random) >> 32;
    for (size_t k = 0; k < sample_nfault_kinds; k++) {
        if (at >= f->threshold[k]) {
            at -= f->threshold[k];
            continue;
        }
        size_t n = 0, pick;
        for (size_t i = 0; i < t->nfields; i++)
            n += fits(t, &sample_fault_kinds[k], i);
        if (n == 0)
            return;
        pick = (size_t)(sample_next(&out->random) % n);
        for (size_t i = 0; i < t->nfields; i++)
            if (fits(t, &sample_fault_kinds[k], i) && pick-- == 0)
                out->field = i;
        out->kind = &sample_fault_kinds[k];
        out->code = code_of(out->kind, &t->field[out->field], t->field[out->field].has_maximum);
        if (out->kind->place == FAULT_SHAPE)
            out->damage = strcmp(out->kind->name, "geometry-null") == 0    ? DAMAGE_NULL
                          : strcmp(out->kind->name, "geometry-cross") == 0 ? DAMAGE_CROSS
                                                                           : DAMAGE_OUTSIDE;
        return;
    }
}

void sample_fault_plan(const struct sample_context *c, const struct sample_faults *f,
                       const struct sample_table *t, uint64_t index, struct sample_plan *out)
{
    struct sample_plan before = {.kind = NULL};
    if (index > 0)
        plan_row(c, f, t, index - 1, &before);
    plan_row(c, f, t, index, out);
    /* A reader finds its way back after a bad quote on a row that is whole: leave it one. */
    if (before.kind != NULL && strstr(before.kind->name, "quote") != NULL)
        out->kind = NULL;
}

/* ---- the value ---- */
static bool is(const struct sample_plan *p, const char *kind)
{
    return p->kind != NULL && strcmp(p->kind->name, kind) == 0;
}

/* The key (or unique value) of row 0 in place of this row's. Row 0 is made once a table; its text lives in
 * the run's arena. */
static enum odp_status repeat(struct sample_context *c, const struct sample_table *t, struct sample_row *row,
                              struct sample_plan *p)
{
    if (c->first_of != t) {
        c->first = odp_arena_alloc(&c->arena, sizeof *c->first);
        enum odp_status s = sample_row_make(c, t, 0, SIZE_MAX, c->first);
        if (s != ODP_OK)
            return s;
        c->first_of = t;
    }
    for (size_t i = 0; i < t->nfields; i++)
        if (is(p, "key") ? t->field[i].is_key : i == p->field)
            row->v[t->field[i].recipe] = c->first->v[t->field[i].recipe];
    return ODP_OK;
}

static void beyond(const struct sample_field *f, struct sample_value *v)
{
    if (f->type == FORM_DATE) {
        *v = (struct sample_value){.kind = VALUE_DATE,
                                   .n = f->has_maximum ? f->last_day + 400 : f->first_day - 400};
    } else {
        double bound = f->has_maximum ? f->maximum + 1 : f->minimum - 1;
        *v = (struct sample_value){.kind = VALUE_NUMBER, .n = (int64_t)bound};
    }
}

static enum odp_status break_rule(struct sample_context *c, const struct sample_table *t,
                                  struct sample_row *row, struct sample_plan *p)
{
    const struct sample_field *f = &t->field[p->field];
    for (size_t k = 0; k < t->recipe->nbreaks; k++) {
        const struct recipe *b = &t->recipe->breaks[k];
        if (strcmp(b->name, f->name) != 0)
            continue;
        if (b->when != NULL && !sample_row_holds(t, row, b->when))
            break;
        struct sample_value v, was = row->v[f->recipe];
        enum odp_status s = sample_value_make(c, t, row, b, f->recipe, &v);
        if (s != ODP_OK)
            return s;
        /* A rule with a null is not broken; a value that is null already breaks nothing more. */
        if (was.kind == VALUE_NULL || (v.kind == VALUE_NULL && strcmp(b->gen->name, "nothing") != 0))
            break;
        row->v[f->recipe] = v;
        return ODP_OK;
    }
    p->kind = NULL;
    return ODP_OK;
}

enum odp_status sample_fault_value(struct sample_context *c, const struct sample_table *t,
                                   struct sample_row *row, struct sample_plan *p)
{
    if (p->kind == NULL || p->kind->place != FAULT_CELL)
        return ODP_OK;
    const struct sample_field *f = &t->field[p->field];
    struct sample_value *v = &row->v[f->recipe];
    if (is(p, "key") || is(p, "unique"))
        return repeat(c, t, row, p);
    if (is(p, "rule"))
        return break_rule(c, t, row, p);
    if (is(p, "required"))
        *v = (struct sample_value){.kind = VALUE_NULL};
    else if (is(p, "range"))
        beyond(f, v);
    else if (v->kind == VALUE_NULL && f->reference != NULL)
        p->kind = NULL; /* no code to spoil */
    else if (v->kind == VALUE_NULL)
        *v = (struct sample_value){.kind = VALUE_TEXT, .text = ODP_LIT("x")};
    return ODP_OK;
}

/* ---- the text ---- */
static void wrong_type(const struct sample_field *f, struct sample_random *r, struct odp_buffer *b)
{
    static const char *const words[] = {"abc", "tidak ada", "lihat lampiran"};
    odp_buffer_clear(b);
    odp_buffer_add_str(b, f->type == FORM_BOOLEAN ? "Mungkin" : words[sample_next(r) % 3]);
}

/* Digits become 9, letters Z: the shape of the code stays, the code does not exist. */
static void unknown_code(struct odp_buffer *b)
{
    bool digits = false;
    for (size_t i = 0; i < b->len; i++)
        digits |= b->ptr[i] >= '0' && b->ptr[i] <= '9';
    for (size_t i = 0; i < b->len; i++)
        if (b->ptr[i] >= '0' && b->ptr[i] <= '9')
            b->ptr[i] = '9';
        else if (!digits && b->ptr[i] >= 'A' && b->ptr[i] <= 'Z')
            b->ptr[i] = 'Z';
}

static void no_such_day(const struct sample_field *f, struct odp_buffer *b)
{
    const char *pattern = f->pattern != NULL ? f->pattern : "%Y-%m-%d";
    odp_buffer_clear(b);
    for (const char *p = pattern; *p != '\0'; p++) {
        if (*p != '%') {
            odp_buffer_add_char(b, *p);
            continue;
        }
        p++;
        odp_buffer_add_str(b, *p == 'd'   ? "31"
                              : *p == 'm' ? "02"
                              : *p == 'Y' ? "2023"
                              : *p == 'B' ? "Februari"
                                          : "");
    }
}

/* Inserts BYTE after the first character of ASCII, so that no character is cut. */
static enum odp_status insert(struct odp_buffer *b, char byte)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    size_t at = 0;
    while (at < b->len && ((unsigned char)b->ptr[at] & 0x80) != 0)
        at++;
    at = at < b->len ? at + 1 : b->len;
    odp_buffer_add(&out, b->ptr, at);
    odp_buffer_add_char(&out, byte);
    odp_buffer_add(&out, b->ptr + at, b->len - at);
    enum odp_status s = odp_buffer_status(&out);
    odp_buffer_release(b);
    *b = out;
    return s;
}

static void replace(struct odp_buffer *b, const char *s)
{
    odp_buffer_clear(b);
    odp_buffer_add_str(b, s);
}

static enum odp_status raw(struct sample_cell *cell, const char *before, const char *after)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    odp_buffer_add_str(&out, before);
    odp_buffer_add_slice(&out, odp_buffer_slice(&cell->text));
    odp_buffer_add_str(&out, after);
    odp_buffer_release(&cell->text);
    cell->text = out;
    cell->raw = true;
    return odp_buffer_status(&cell->text);
}

static enum odp_status quoting(const struct sample_plan *p, struct sample_cell *cell)
{
    for (size_t i = 0; i < cell->text.len;
         i++) /* only the planted quote may be wrong, no delimiter may be loose */
        if (strchr("\",;\t", cell->text.ptr[i]) != NULL)
            cell->text.ptr[i] = ' ';
    if (is(p, "stray-quote")) {
        cell->raw = true;
        return insert(&cell->text, '"');
    }
    return is(p, "quote-text") ? raw(cell, "\"", "\" sisa") : raw(cell, "\"", "");
}

static enum odp_status spoil_bytes(const struct sample_table *t, const struct sample_plan *p,
                                   struct odp_buffer *b)
{
    if (is(p, "control"))
        return insert(b, '\x07');
    if (is(p, "nul"))
        return insert(b, '\0');
    return insert(b, t->encoding != NULL ? '\x81' : '\xe9');
}

static void spoil_text(const struct sample_field *f, const struct sample_plan *p, struct odp_buffer *b)
{
    static const char *const errors[] = {"#N/A", "#REF!", "#DIV/0!", "#VALUE!"};
    struct sample_random r = p->random;
    if (is(p, "type")) {
        wrong_type(f, &r, b);
    } else if (is(p, "group")) {
        odp_buffer_clear(b);
        odp_buffer_printf(b, "1%c5", f->group);
    } else if (is(p, "calendar")) {
        no_such_day(f, b);
    } else if (is(p, "pattern")) {
        odp_buffer_add_str(b, "?!");
    } else if (is(p, "length")) {
        for (int64_t i = 0; i <= f->max_length; i++)
            odp_buffer_add_char(b, 'x');
    } else if (is(p, "foreign")) {
        unknown_code(b);
    } else if (is(p, "space")) {
        odp_buffer_add_str(b, "  ");
    } else if (is(p, "sheet-error")) {
        replace(b, errors[sample_next(&r) % 4]);
    } else if (is(p, "sheet-date")) {
        odp_buffer_clear(b);
        odp_buffer_printf(b, "%d", 44000 + (int)(sample_next(&r) % 1300));
    }
}

enum odp_status sample_fault_cell(const struct sample_table *t, const struct sample_plan *p,
                                  struct sample_cell *cell)
{
    if (is(p, "control") || is(p, "nul") || is(p, "encoding"))
        return spoil_bytes(t, p, &cell->text);
    if (strstr(p->kind->name, "quote") != NULL)
        return quoting(p, cell);
    if (p->kind->text != NULL)
        replace(&cell->text, p->kind->text);
    spoil_text(&t->field[p->field], p, &cell->text);
    return odp_buffer_status(&cell->text);
}

enum odp_status sample_fault_record(struct sample_faults *f, const struct sample_table *t,
                                    const struct sample_plan *p, uint64_t line, uint64_t row)
{
    f->planted++;
    if (f->manifest == NULL)
        return ODP_OK;
    odp_buffer_clear(&f->line);
    odp_buffer_printf(&f->line, "%s,%s,%llu,%llu,%s,%s,%s\n", t->recipe->slug, t->recipe->resource,
                      (unsigned long long)line, (unsigned long long)row,
                      p->kind->place == FAULT_CELL ? t->field[p->field].name : "", p->kind->name, p->code);
    if (odp_buffer_status(&f->line) != ODP_OK)
        return ODP_FAIL;
    return odp_file_write(f->manifest, f->line.ptr, f->line.len);
}
