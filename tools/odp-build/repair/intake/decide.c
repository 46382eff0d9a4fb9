/* The notation of a column, by all of its cells; and a cell in the schema's notation.
 *
 * With D the cells that fit the schema's notation alone, and F those that fit another one alone: the other
 * one is certain where F is every fifth cell and more, all that does not fit it is a tenth at most, and no
 * cell means two things, unless no cell speaks for the schema's. What one column proves (decimal commas,
 * the day first) helps the others, which need then but one cell that speaks. */

#include "base/ascii.h"
#include "repair/intake/intake_internal.h"

static bool month_first(int w)
{
    return draft_patterns[w].month_first;
}

/* Cells that are to be in one notation: words for nothing aside. */
static uint64_t counted(const struct column *c)
{
    return c->filled - c->tokens - c->natives;
}

/* Whether way W agrees with what other columns prove. */
static bool agrees(const struct odp_intake *x, const struct column *c, int w)
{
    if (odp_type_is_number(c->field->type))
        return x->file_decimal == draft_forms[DECIMALS + w].decimal;
    return x->file_month_first == (int)month_first(w);
}

static bool certain(const struct odp_intake *x, const struct column *c, int w)
{
    const struct way *y = &c->way[w];
    uint64_t n = counted(c), d = c->own - y->same - y->differs, other = n - y->same - y->differs - y->only;
    bool many = y->only == n || (y->only >= 3 && y->only * 5 >= n);
    if (other * 10 > n || (d > 0 && y->differs > 0))
        return false;
    if (y->only > 0 && (many || (d == 0 && agrees(x, c, w))))
        return true;
    /* 1.250 next to 36 in a file of decimal commas: as a number of three decimals it would not end in 0, next
     * to others without decimals. */
    return y->only == 0 && d == 0 && y->differs >= 3 && odp_type_is_number(c->field->type) &&
           agrees(x, c, w) && c->zeros > 0 && c->whole > 0;
}

static uint64_t fits(const struct column *c, int w)
{
    return c->way[w].same + c->way[w].differs + c->way[w].only;
}

/* The certain way that fits most cells; -1: none, or two that give other values. */
static int best_way(const struct odp_intake *x, const struct column *c)
{
    int best = -1, n = (int)ways_of(c->field);
    for (int w = 0; w < n; w++)
        if (certain(x, c, w) && (best < 0 || fits(c, w) > fits(c, best) ||
                                 (fits(c, w) == fits(c, best) && agrees(x, c, w) && !agrees(x, c, best))))
            best = w;
    for (int w = 0; w < n && best >= 0; w++)
        if (w != best && (c->way[best].apart >> w & 1) != 0 && fits(c, w) >= fits(c, best) &&
            !(agrees(x, c, best) && !agrees(x, c, w)))
            return -1;
    return best;
}

static void decide_ways(struct odp_intake *x)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < x->n; i++) {
            struct column *c = &x->columns[i];
            if (c->field == NULL || ways_of(c->field) == 0 || c->chosen >= 0)
                continue;
            c->chosen = best_way(x, c);
            if (c->chosen < 0)
                continue;
            if (odp_type_is_number(c->field->type))
                x->file_decimal = draft_forms[DECIMALS + c->chosen].decimal;
            else if (c->way[c->chosen].apart != 0)
                x->file_month_first = month_first(c->chosen);
        }
}

/* ---- booleans, words for nothing, spaces ---- */

static bool is_one_of(const struct odp_strings *list, struct odp_slice s)
{
    for (size_t i = 0; i < list->n; i++)
        if (odp_slice_alike(list->item[i], s))
            return true;
    return false;
}

static struct odp_slice word_of(const struct column *c, uint32_t i)
{
    return (struct odp_slice){c->word[i].text, c->word[i].len};
}

/* Two words, neither of which the schema has, that are a pair everywhere. */
static void decide_boolean(struct column *c)
{
    const struct odp_field *f = c->field;
    uint64_t rest = 0;
    if (c->many_words || c->nwords < 2 || f->true_values.n == 0 || f->false_values.n == 0)
        return;
    for (uint32_t i = 0; i < c->nwords; i++) {
        if (is_one_of(&f->true_values, word_of(c, i)) || is_one_of(&f->false_values, word_of(c, i)))
            return;
        for (uint32_t k = i; k > 0 && c->word[k].count > c->word[k - 1].count; k--) {
            struct word w = c->word[k];
            c->word[k] = c->word[k - 1];
            c->word[k - 1] = w;
        }
    }
    for (uint32_t i = 2; i < c->nwords; i++)
        rest += c->word[i].count;
    struct odp_slice a = word_of(c, 0), b = word_of(c, 1), yes, no;
    if (rest * 10 > c->filled)
        return;
    if ((odp_slice_is(a, "1") && odp_slice_is(b, "0")) || (odp_slice_is(a, "0") && odp_slice_is(b, "1"))) {
        c->yes = ODP_LIT("1");
        c->no = ODP_LIT("0");
    } else if (draft_boolean_pair(a, b, &yes, &no) >= 0) {
        c->yes = yes;
        c->no = no;
    }
}

/* A file without one empty cell, where a word for nothing is in a column that cannot have it, again and
 * again: it writes that word for nothing. */
static void decide_mark(struct odp_intake *x)
{
    x->mark = -1;
    for (int t = 0; t < SURE && x->nothing_left == 0 && x->mark < 0; t++)
        for (uint32_t i = 0; i < x->n; i++) {
            const struct column *c = &x->columns[i];
            bool foreign =
                c->field != NULL && (!odp_type_is_text(c->field->type) || c->field->ncategories > 0);
            if (foreign && !c->field->constraints.required && c->token[t] >= 3 &&
                c->token[t] * 50 >= x->records)
                x->mark = t;
        }
}

static bool is_sequence(const struct odp_intake *x, const struct column *c)
{
    return c->field == NULL && x->records > 1 && c->sequence == x->records && c->empty == 0 &&
           c->label.len > 0 && c->label.len < 16 && odp_name_has(c->label.ptr, "no nomor number");
}

static void decide_order(struct odp_intake *x)
{
    const struct odp_schema *schema = &x->resource->schema;
    uint32_t last = 0;
    x->order = odp_arena_array(&x->arena, (size_t)x->n + 1, sizeof *x->order);
    for (uint32_t k = 0; k < schema->n; k++) {
        uint32_t f = k;
        if (x->model.there && k < x->model.ncolumns)
            f = (uint32_t)x->model.field_of_column[k];
        else if (x->model.there)
            break;
        for (uint32_t i = 0; i < x->n; i++)
            if (x->columns[i].field == &schema->fields[f])
                x->order[x->norder++] = i;
    }
    for (uint32_t i = 0; i < x->n; i++) { /* fields that the model does not have; columns without one */
        const struct column *c = &x->columns[i];
        bool placed = c->gone;
        for (uint32_t k = 0; k < x->norder && !placed; k++)
            placed = x->order[k] == i;
        if (!placed)
            x->order[x->norder++] = i;
    }
    for (uint32_t k = 0; k < x->norder; k++) {
        x->reordered = x->reordered || (k > 0 && x->order[k] < last);
        last = x->order[k];
    }
}

void intake_decide(struct odp_intake *x)
{
    decide_ways(x);
    decide_mark(x);
    for (uint32_t i = 0; i < x->n; i++) {
        struct column *c = &x->columns[i];
        bool header = x->resource->dialect.header;
        if (c->field == NULL) {
            c->gone = (c->filled == 0 && (c->label.len == 0 || !header)) || is_sequence(x, c);
            continue;
        }
        uint64_t spaced = c->lead > c->trail ? c->lead : c->trail;
        c->trims = !c->field->trim && spaced >= 3 && spaced * 10 >= c->filled * 9;
        x->spaced = x->spaced || c->trims;
        if (odp_type_family(c->field->type) == ODP_FAMILY_TRUTH)
            decide_boolean(c);
    }
    for (uint32_t i = 0; i < x->n && x->spaced; i++) { /* what others prove */
        struct column *c = &x->columns[i];
        c->trims = c->trims ||
                   (c->field != NULL && !c->field->trim && (c->lead == c->filled || c->trail == c->filled));
    }
    decide_order(x);
}

/* ---- a cell ---- */

/* The literal with the schema's marks for those of FORM: its digits stay as they are. */
static struct odp_slice write_number(const struct odp_field *f, const struct odp_decimal_form *form,
                                     struct odp_slice s, struct odp_buffer *out)
{
    size_t first = 0, last = s.len; /* "Rp. 1.500": the words around the number stay */
    while (first < s.len && !odp_is_digit(s.ptr[first]))
        first++;
    while (last > first && !odp_is_digit(s.ptr[last - 1]))
        last--;
    odp_buffer_add(out, s.ptr, first);
    for (size_t i = first; i < last; i++) {
        char c = s.ptr[i];
        bool blank = form->group == ' ' && s.len - i > 1 && (unsigned char)c >= 0xC2;
        size_t wide = blank && memcmp(s.ptr + i, "\xC2\xA0", 2) == 0 ? 2 : 0;
        if (blank && s.len - i > 2 && memcmp(s.ptr + i, "\xE2\x80\xAF", 3) == 0)
            wide = 3;
        if (c == form->decimal && form->decimal != '\0') {
            odp_buffer_add_char(out, f->decimal.decimal);
        } else if ((c == form->group && form->group != '\0') || wide > 0) {
            if (f->decimal.group != '\0')
                odp_buffer_add_char(out, f->decimal.group);
            i += wide > 0 ? wide - 1 : 0;
        } else {
            odp_buffer_add_char(out, c);
        }
    }
    odp_buffer_add(out, s.ptr + last, s.len - last);
    return odp_buffer_slice(out);
}

/* Canonical text as the schema's pattern has it; empty where it cannot be written. */
static struct odp_slice write_date(const struct odp_field *f, const char *text, size_t n,
                                   struct odp_buffer *out)
{
    char made[ODP_DATETIME_SIZE];
    struct odp_datetime d;
    struct odp_slice s = {text, n};
    if (f->date_pattern != NULL && strcmp(f->date_pattern, "default") != 0 &&
        strcmp(f->date_pattern, "any") != 0) {
        if (odp_date_parse(s, odp_field_type(f->type)->date, NULL, f->time_zone, &d) != ODP_DATE_OK)
            return ODP_LIT("");
        n = odp_date_write(&d, f->date_pattern, made);
        s = (struct odp_slice){made, n};
    }
    odp_buffer_add_slice(out, s);
    return odp_buffer_slice(out);
}

/* A value in way W, whole in the schema's notation; empty: it stays. */
static struct odp_slice convert(const struct column *c, int w, struct odp_slice s, struct odp_buffer *out,
                                enum odp_intake_kind *kind)
{
    char canonical[ODP_DECIMAL_SIZE], check[ODP_DECIMAL_SIZE];
    size_t n, m;
    const struct odp_slice none = {"", 0};
    if (!way_read(c->field, w, s, canonical, &n))
        return none;
    bool number = odp_type_is_number(c->field->type);
    const struct odp_decimal_form *form = &draft_forms[DECIMALS + w];
    struct odp_slice made =
        number ? write_number(c->field, form, s, out) : write_date(c->field, canonical, n, out);
    /* It must be that very value. */
    if (made.len == 0 || !way_read(c->field, -1, made, check, &m) || m != n ||
        memcmp(check, canonical, n) != 0)
        return none;
    *kind = !number                                      ? ODP_INTAKE_DATE
            : form->decimal == c->field->decimal.decimal ? ODP_INTAKE_GROUP
                                                         : ODP_INTAKE_DECIMAL;
    return made;
}

/* A cell as a workbook stores it: plain numbers, days as ISO writes them. */
static struct odp_slice convert_native(const struct column *c, const struct cell *cell,
                                       struct odp_buffer *out, enum odp_intake_kind *kind)
{
    const struct odp_field *f = c->field;
    enum odp_family family = odp_type_family(f->type);
    struct odp_slice s = cell->text;
    const struct odp_strings *values = odp_slice_is(s, "true") ? &f->true_values : &f->false_values;
    if (cell->native == NATIVE_NUMBER && family == ODP_FAMILY_NUMBER)
        return convert(c, 0, s, out, kind);
    if (cell->native == NATIVE_DATE && ways_of(f) > 0) {
        for (int w = 0; w < PATTERNS; w++)
            if (draft_patterns[w].pattern == NULL) {
                struct odp_slice made = convert(c, w, s, out, kind);
                if (made.len > 0)
                    return made;
            }
    }
    if (cell->native == NATIVE_DATE && f->type == ODP_TYPE_YEAR && s.len == 10 &&
        memcmp(s.ptr + 4, "-01-01", 6) == 0)
        return (struct odp_slice){s.ptr, 4};
    if (cell->native == NATIVE_BOOLEAN && family == ODP_FAMILY_TRUTH && values->n > 0) {
        *kind = ODP_INTAKE_BOOLEAN;
        return values->item[0];
    }
    if (cell->native == NATIVE_BOOLEAN)
        return odp_slice_is(s, "true") ? ODP_LIT("TRUE") : ODP_LIT("FALSE");
    return s;
}

struct odp_slice intake_cell(const struct odp_intake *x, const struct column *c, const struct cell *cell,
                             struct odp_buffer *out, enum odp_intake_kind *kind)
{
    struct odp_slice s = cell->text, bare = odp_slice_trim(s);
    *kind = ODP_INTAKE_KINDS;
    odp_buffer_clear(out);
    if (c->trims && bare.len == 0 && s.len > 0) {
        *kind = ODP_INTAKE_TRIM;
        return bare;
    }
    if (c->field == NULL || bare.len == 0)
        return cell->native == NATIVE_BOOLEAN ? odp_slice_is(s, "true") ? ODP_LIT("TRUE") : ODP_LIT("FALSE")
                                              : s;
    struct odp_slice made = {"", 0};
    if (cell->native != NATIVE_TEXT)
        made = convert_native(c, cell, out, kind);
    else if (!field_null(c->field, bare) && x->mark >= 0 && !c->field->constraints.required &&
             draft_token(bare) == x->mark) {
        *kind = ODP_INTAKE_NOTHING;
        return field_null(c->field, ODP_LIT("")) || c->field->missing.n == 0 ? ODP_LIT("")
                                                                             : c->field->missing.item[0];
    } else if (c->chosen >= 0 && !field_null(c->field, bare)) {
        made = convert(c, c->chosen, bare, out, kind);
    } else if (c->yes.ptr != NULL) {
        bool yes = odp_slice_alike(bare, c->yes);
        bool no = odp_slice_alike(bare, c->no);
        if (yes || no) {
            *kind = ODP_INTAKE_BOOLEAN;
            made = yes ? c->field->true_values.item[0] : c->field->false_values.item[0];
        }
    }
    if (made.len > 0 && !odp_slice_eq(made, s))
        return made;
    if (c->trims && bare.len != s.len) {
        *kind = ODP_INTAKE_TRIM;
        return bare;
    }
    *kind = ODP_INTAKE_KINDS;
    return s;
}
