/* Faults of a source: where each kind fits, how often it occurs, and how it changes the row. */
#include "sample.h"

/* A kind states only what it needs; the rest is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* ---- where a kind fits ---- */

/* Traits of a field. A key has only KEY, FIRST and BREAKABLE. */
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
    for (size_t k = 0; k < ODP_COUNT(any); k++)
        all |= any[k].is ? any[k].trait : 0;
    for (size_t k = 0; k < ODP_COUNT(others) && !f->is_key; k++)
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
const size_t sample_nfault_kinds = ODP_COUNT(sample_fault_kinds);

bool sample_fault_is(const struct sample_plan *p, const char *kind)
{
    return p->kind != NULL && strcmp(p->kind->name, kind) == 0;
}

static bool is_quoting(const struct sample_plan *p)
{
    return p->kind != NULL && strstr(p->kind->name, "quote") != NULL;
}

static bool fits(const struct sample_table *t, const struct fault_kind *k, size_t field)
{
    bool writable = t->is_shapefile ? k->in_shapefile : k->place != FAULT_SHAPE;
    return writable && (traits_of(t, field) & k->needs) == k->needs;
}

bool sample_fault_fits(const struct sample_table *t, const struct fault_kind *kind)
{
    for (size_t i = 0; i < t->nfields; i++)
        if (fits(t, kind, i))
            return true;
    return false;
}

/* ---- which kind, and in which field ---- */
static const char *code_of(const struct fault_kind *k, const struct sample_field *f)
{
    static const char *const types[] = {"",        "ODP-T02", "ODP-T03", "ODP-T06",
                                        "ODP-T07", "ODP-T10", "ODP-T12", "ODP-T12"};
    if (k->code != NULL)
        return k->code;
    if (strcmp(k->name, "category") == 0)
        return f->is_enum ? "ODP-B10" : "ODP-B11";
    if (strcmp(k->name, "range") == 0)
        return f->has_maximum ? "ODP-B06" : "ODP-B05";
    return types[f->type];
}

static struct sample_plan plan_row(const struct sample_context *c, const struct sample_table *t,
                                   uint64_t index)
{
    struct sample_plan plan = {.kind = NULL};
    if (!c->faulty || index == 0) /* the first row stays clean: duplicate keys repeat it */
        return plan;
    plan.random.state = sample_mix(c->seed ^ sample_hash(t->recipe->resource)) ^
                        sample_mix(index * UINT64_C(0x2545f4914f6cdd1d) + 77);
    uint64_t at = sample_next(&plan.random) >> 32;
    size_t k = 0, field[SAMPLE_FIELDS], n = 0;
    for (; k < sample_nfault_kinds && at >= c->threshold[k]; k++)
        at -= c->threshold[k];
    for (size_t i = 0; i < t->nfields && k < sample_nfault_kinds; i++)
        if (fits(t, &sample_fault_kinds[k], i))
            field[n++] = i;
    if (n > 0) {
        plan.kind = &sample_fault_kinds[k];
        plan.field = &t->field[field[sample_next(&plan.random) % n]];
        plan.code = code_of(plan.kind, plan.field);
    }
    return plan;
}

/* ---- the value ---- */

/* The key (or unique value) of row 0 in place of this row's. Row 0 is made once a table; its text lives in
 * the run's arena. */
static void repeat(struct sample_context *c, const struct sample_table *t, struct sample_row *row,
                   const struct sample_plan *p)
{
    if (c->first_of != t) {
        c->first = odp_arena_alloc(&c->arena, sizeof *c->first);
        sample_row_make(c, t, 0, SIZE_MAX, c->first);
        c->first_of = t;
    }
    for (size_t i = 0; i < t->nfields; i++) {
        const struct sample_field *f = &t->field[i];
        if (sample_fault_is(p, "key") ? f->is_key : f == p->field)
            row->v[f->recipe->slot] = c->first->v[f->recipe->slot];
    }
}

static struct sample_value beyond(const struct sample_field *f)
{
    if (f->type == FORM_DATE)
        return (struct sample_value){.kind = VALUE_DATE,
                                     .n = f->has_maximum ? f->last_day + 400 : f->first_day - 400};
    double bound = f->has_maximum ? f->maximum + 1 : f->minimum - 1;
    return (struct sample_value){.kind = VALUE_NUMBER, .n = (int64_t)bound};
}

/* False: the row's rule cannot be broken. */
static bool break_rule(struct sample_context *c, const struct sample_table *t, struct sample_row *row,
                       const struct sample_field *f)
{
    const struct recipe *b = t->recipe->breaks;
    while (strcmp(b->name, f->name) != 0) /* a field that fits is BREAKABLE: it has one */
        b++;
    if (b->when != NULL && !sample_row_holds(t, row, b->when))
        return false;
    struct sample_value v = sample_value_make(c, t, row, b), *was = &row->v[f->recipe->slot];
    /* A rule with a null is not broken; a value that is null already breaks nothing more. */
    if (was->kind == VALUE_NULL || (v.kind == VALUE_NULL && b->gen != sample_generator_find("nothing")))
        return false;
    *was = v;
    return true;
}

/* False: there is nothing to spoil. */
static bool spoil_value(struct sample_context *c, const struct sample_table *t, struct sample_row *row,
                        const struct sample_plan *p)
{
    const struct sample_field *f = p->field;
    struct sample_value *v = &row->v[f->recipe->slot];
    if (sample_fault_is(p, "key") || sample_fault_is(p, "unique"))
        repeat(c, t, row, p);
    else if (sample_fault_is(p, "rule"))
        return break_rule(c, t, row, f);
    else if (sample_fault_is(p, "required"))
        *v = (struct sample_value){.kind = VALUE_NULL};
    else if (sample_fault_is(p, "range"))
        *v = beyond(f);
    else if (v->kind == VALUE_NULL && f->reference != NULL)
        return false; /* no code */
    else if (v->kind == VALUE_NULL)
        *v = (struct sample_value){.kind = VALUE_TEXT, .text = ODP_LIT("x")};
    return true;
}

struct sample_plan sample_fault_plan(struct sample_context *c, const struct sample_table *t,
                                     struct sample_row *row)
{
    struct sample_plan before = {.kind = NULL}, plan = plan_row(c, t, row->index);
    if (row->index > 0)
        before = plan_row(c, t, row->index - 1);
    /* A reader finds its way back after a bad quote on a row that is whole: leave it one. */
    if (is_quoting(&before))
        plan.kind = NULL;
    if (plan.kind != NULL && plan.kind->place == FAULT_CELL && !spoil_value(c, t, row, &plan))
        plan.kind = NULL;
    return plan;
}

/* ---- the text ---- */
static void replace(struct odp_buffer *b, const char *s)
{
    odp_buffer_clear(b);
    odp_buffer_add_str(b, s);
}

static void insert(struct odp_buffer *b, size_t at, char byte)
{
    odp_buffer_add_char(b, byte);
    if (b->failed)
        return;
    memmove(b->ptr + at + 1, b->ptr + at, b->len - 1 - at);
    b->ptr[at] = byte;
}

/* After the first character of ASCII, so that no character is cut. */
static size_t inside(const struct odp_buffer *b)
{
    size_t at = 0;
    while (at < b->len && ((unsigned char)b->ptr[at] & 0x80) != 0)
        at++;
    return at < b->len ? at + 1 : b->len;
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
    static const char letters[] = "dmYB";
    static const char *const texts[] = {"31", "02", "2023", "Februari"};
    odp_buffer_clear(b);
    for (const char *p = f->pattern != NULL ? f->pattern : "%Y-%m-%d"; *p != '\0'; p++) {
        const char *letter = *p == '%' ? strchr(letters, *++p) : NULL;
        if (letter != NULL)
            odp_buffer_add_str(b, texts[letter - letters]);
        else
            odp_buffer_add_char(b, *p);
    }
}

/* Only the planted quote may be wrong, and no delimiter may be loose. */
static void spoil_quotes(const struct sample_plan *p, struct odp_buffer *b)
{
    for (size_t i = 0; i < b->len; i++)
        if (strchr("\",;\t", b->ptr[i]) != NULL)
            b->ptr[i] = ' ';
    insert(b, sample_fault_is(p, "stray-quote") ? inside(b) : 0, '"');
    if (sample_fault_is(p, "quote-text"))
        odp_buffer_add_str(b, "\" sisa");
}

void sample_fault_cell(const struct sample_table *t, const struct sample_plan *p,
                       const struct sample_field *f, struct odp_buffer *cell, bool *raw)
{
    static const char *const errors[] = {"#N/A", "#REF!", "#DIV/0!", "#VALUE!"}, *const words[] = {
                                                                                     "abc", "tidak ada",
                                                                                     "lihat lampiran"};
    if (p->kind == NULL || p->kind->place != FAULT_CELL || p->field != f)
        return;
    struct sample_random r = p->random;
    *raw = is_quoting(p);
    if (p->kind->text != NULL) {
        replace(cell, p->kind->text);
    } else if (*raw) {
        spoil_quotes(p, cell);
    } else if (sample_fault_is(p, "control")) {
        insert(cell, inside(cell), '\x07');
    } else if (sample_fault_is(p, "nul")) {
        insert(cell, inside(cell), '\0');
    } else if (sample_fault_is(p, "encoding")) {
        insert(cell, inside(cell), t->encoding != NULL ? '\x81' : '\xe9');
    } else if (sample_fault_is(p, "type")) {
        replace(cell, f->type == FORM_BOOLEAN ? "Mungkin" : words[sample_next(&r) % 3]);
    } else if (sample_fault_is(p, "group")) {
        odp_buffer_clear(cell);
        odp_buffer_printf(cell, "1%c5", f->group);
    } else if (sample_fault_is(p, "calendar")) {
        no_such_day(f, cell);
    } else if (sample_fault_is(p, "pattern")) {
        odp_buffer_add_str(cell, "?!");
    } else if (sample_fault_is(p, "length")) {
        for (int64_t i = 0; i <= f->max_length; i++)
            odp_buffer_add_char(cell, 'x');
    } else if (sample_fault_is(p, "foreign")) {
        unknown_code(cell);
    } else if (sample_fault_is(p, "space")) {
        odp_buffer_add_str(cell, "  ");
    } else if (sample_fault_is(p, "sheet-error")) {
        replace(cell, errors[sample_next(&r) % 4]);
    } else if (sample_fault_is(p, "sheet-date")) {
        odp_buffer_clear(cell);
        odp_buffer_printf(cell, "%d", 44000 + (int)(sample_next(&r) % 1300));
    }
}

void sample_fault_record(struct sample_context *c, const struct sample_table *t, const struct sample_plan *p,
                         uint64_t line, uint64_t row)
{
    if (c->manifest == NULL || p->kind == NULL || !sample_going(c))
        return;
    odp_buffer_clear(&c->scratch);
    odp_buffer_printf(&c->scratch, "%s,%s,%llu,%llu,%s,%s,%s\n", t->recipe->slug, t->recipe->resource,
                      (unsigned long long)line, (unsigned long long)row,
                      p->kind->place == FAULT_CELL ? p->field->name : "", p->kind->name, p->code);
    sample_note(c, odp_file_write(c->manifest, c->scratch.ptr, c->scratch.len));
}
