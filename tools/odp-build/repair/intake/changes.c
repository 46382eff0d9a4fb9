/* What was changed, and what would be. */
#include <strings.h>

#include "base/temporary.h"
#include "repair/intake/intake_internal.h"

static const struct odp_slice nothing = {"", 0};

char *intake_scratch(struct odp_intake *x)
{
    const char *before =
        odp_arena_printf(&x->arena, "%s/odp-intake.%zu.", odp_temporary_place(), x->nscratch);
    char *path = odp_temporary(&x->arena, before, ".csv");
    if (path != NULL)
        x->scratch[x->nscratch++] = path;
    return path;
}

void intake_note(struct odp_intake *x, enum odp_intake_kind kind, struct odp_slice before,
                 struct odp_slice after, uint64_t cells)
{
    for (size_t i = 0; i < x->nchanges; i++) {
        struct odp_intake_change *c = &x->changes[i];
        if (c->kind == kind && odp_slice_eq(c->before, before) && odp_slice_eq(c->after, after)) {
            c->columns++;
            c->cells += cells;
            return;
        }
    }
    x->changes = odp_arena_more(&x->arena, x->changes, x->nchanges, sizeof *x->changes);
    x->changes[x->nchanges++] = (struct odp_intake_change){kind, odp_arena_copy(&x->arena, before),
                                                           odp_arena_copy(&x->arena, after), 1, cells};
}

bool intake_same_encoding(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        while (*a == '-' || *a == '_')
            a++;
        while (*b == '-' || *b == '_')
            b++;
        if (strncasecmp(a++, b++, 1) != 0)
            return false;
    }
    return *a == *b;
}

static struct odp_slice mark_of(const char *c)
{
    return *c == '\t' ? ODP_LIT("tab") : (struct odp_slice){c, *c != '\0'};
}

/* "DD/MM/YYYY" of "%d/%m/%Y". */
static struct odp_slice shape_of(struct odp_intake *x, const struct odp_field *f, const char *pattern)
{
    static const struct {
        char letter;
        const char *shape;
    } shapes[] = {{'d', "DD"}, {'m', "MM"}, {'Y', "YYYY"}, {'B', "MMMM"},
                  {'H', "HH"}, {'M', "mm"}, {'S', "ss"}};
    struct odp_buffer out = {0};
    if (pattern == NULL || strcmp(pattern, "default") == 0)
        return odp_slice_of(odp_field_type(f->type)->shape);
    for (const char *p = pattern; *p != '\0'; p++) {
        size_t i = 0, n = ODP_COUNT(shapes);
        while (*p == '%' && i < n && shapes[i].letter != p[1])
            i++;
        if (*p == '%' && i < n)
            odp_buffer_add_str(&out, shapes[i].shape), p++;
        else
            odp_buffer_add_char(&out, *p);
    }
    return odp_slice_of(odp_buffer_keep(&out, &x->arena));
}

/* A kind of change in the cells of one column. */
static void note_cells(struct odp_intake *x, const struct column *c, enum odp_intake_kind kind)
{
    const struct odp_field *f = c->field;
    const struct odp_decimal_form *form = c->chosen >= 0 && odp_type_is_number(f->type)
                                              ? &draft_forms[DECIMALS + c->chosen]
                                              : &draft_forms[DECIMALS];
    struct odp_slice before = nothing, after = nothing;
    if (kind == ODP_INTAKE_DECIMAL) {
        before = mark_of(&form->decimal);
        after = mark_of(&f->decimal.decimal);
    } else if (kind == ODP_INTAKE_GROUP) {
        before = mark_of(&form->group);
        after = mark_of(&f->decimal.group);
    } else if (kind == ODP_INTAKE_DATE) {
        before = shape_of(x, f, c->chosen >= 0 ? draft_patterns[c->chosen].pattern : NULL);
        after = shape_of(x, f, f->date_pattern);
    } else if (kind == ODP_INTAKE_NOTHING) {
        before = odp_slice_of(draft_tokens[x->mark]);
    } else if (kind == ODP_INTAKE_BOOLEAN) {
        before = c->yes.ptr != NULL ? c->yes : ODP_LIT("TRUE");
        after = f->true_values.item[0];
    }
    intake_note(x, kind, before, after, c->cells[kind]);
}

static void note_columns(struct odp_intake *x)
{
    uint64_t blank = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        const struct column *c = &x->columns[i];
        if (c->gone && c->filled > 0)
            intake_note(x, ODP_INTAKE_NUMBER_COLUMN, c->label, nothing, c->filled);
        blank += c->gone && c->filled == 0;
        if (c->field != NULL && x->resource->dialect.header && x->nheader == 1 && !c->field->unlabelled &&
            !odp_slice_is(c->label, c->field->source_name))
            intake_note(x, ODP_INTAKE_LABEL, c->label, odp_slice_of(c->field->source_name), 0);
    }
    if (blank > 0)
        intake_note(x, ODP_INTAKE_BLANK_COLUMNS, nothing, nothing, blank);
    if (x->reordered)
        intake_note(x, ODP_INTAKE_ORDER, nothing, nothing, 0);
    for (int kind = ODP_INTAKE_DECIMAL; kind < ODP_INTAKE_KINDS; kind++)
        for (uint32_t i = 0; i < x->n; i++)
            if (x->columns[i].cells[kind] > 0)
                note_cells(x, &x->columns[i], (enum odp_intake_kind)kind);
}

static void note_frame(struct odp_intake *x)
{
    const struct csv_rules *to = &x->target;
    uint64_t want = intake_titles(x->resource), below = intake_below(x->resource);
    uint64_t front = x->header - (x->sep.len > 0);
    /* ASCII is the same bytes in all encodings but these. */
    bool changes = !x->foreign && (x->high || strncasecmp(x->encoding, "utf-16", 6) == 0);
    if (changes && !intake_same_encoding(x->encoding, x->resource->encoding))
        intake_note(x, ODP_INTAKE_ENCODING, odp_slice_of(x->encoding), odp_slice_of(x->resource->encoding),
                    0);
    if (x->came_bom != x->model.bom)
        intake_note(x, ODP_INTAKE_BOM, nothing, x->model.bom ? ODP_LIT("BOM") : nothing, 0);
    if (!x->foreign && x->how.dialect.delimiter != to->delimiter && x->n > 1)
        intake_note(x, ODP_INTAKE_DELIMITER, mark_of(&x->how.dialect.delimiter), mark_of(&to->delimiter), 0);
    if (x->how.dialect.skip_initial_space && !to->skip_space)
        intake_note(x, ODP_INTAKE_SPACE, nothing, nothing, 0);
    if (x->sep.len > 0)
        intake_note(x, ODP_INTAKE_SEP, x->sep, nothing, 0);
    if (want == 0 ? x->titles > 0 : front > want)
        intake_note(x, ODP_INTAKE_TITLES, nothing, nothing, want == 0 ? x->titles : front - want);
    if (x->below > below)
        intake_note(x, ODP_INTAKE_BELOW, nothing, nothing, x->below - below);
    if (x->blank_rows > 0)
        intake_note(x, ODP_INTAKE_BLANK_ROWS, nothing, nothing, x->blank_rows);
}

const struct odp_intake_change *odp_intake_changes(struct odp_intake *x, size_t *n)
{
    if (!x->noted) {
        note_frame(x);
        note_columns(x);
        x->noted = true;
    }
    *n = x->nchanges;
    return x->changes;
}

bool odp_intake_would_mend(const struct odp_intake *x)
{
    bool dressed = x->foreign || x->path != x->options.path || x->sep.len > 0 ||
                   x->below > intake_below(x->resource) || x->reordered || x->norder < x->n ||
                   x->how.dialect.delimiter != x->target.delimiter ||
                   (x->titles > 0 && intake_titles(x->resource) == 0) ||
                   !intake_same_encoding(x->encoding, x->resource->encoding);
    for (uint32_t i = 0; i < x->n && !dressed; i++) {
        const struct column *c = &x->columns[i];
        dressed = c->chosen >= 0 || c->trims || c->yes.ptr != NULL ||
                  (c->field != NULL && x->nheader == 1 && !c->field->unlabelled &&
                   !odp_slice_is(c->label, c->field->source_name));
    }
    return dressed || x->mark >= 0;
}

bool odp_intake_mends(const struct odp_intake *x)
{
    return x->mends;
}

int64_t odp_intake_skipped(const struct odp_intake *x)
{
    return x->skipped;
}

uint64_t odp_intake_records(const struct odp_intake *x)
{
    return x->records;
}
