/* From the file that came to what is known of it, and what was changed. */
#include "repair/intake/intake.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/temporary.h"
#include "read/source.h"
#include "repair/draft/draft.h"
#include "repair/intake/intake_internal.h"

static const struct odp_slice nothing = {"", 0};

char *intake_scratch(struct odp_intake *x)
{
    const char *dir = getenv("TMPDIR");
    dir = dir != NULL && *dir != '\0' ? dir : "/tmp";
    char *path =
        odp_temporary(&x->arena, odp_arena_printf(&x->arena, "%s/odp-intake.%zu.", dir, x->nscratch), ".csv");
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

/* ---- opening ---- */

static bool same_encoding(const char *a, const char *b)
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

/* Encoding and delimiter, by every byte. Where another encoding is as likely, the resource's word counts: its
 * faults stay. So does a declared one of single bytes against the guess of another. */
static enum odp_status read_text(struct odp_intake *x, struct odp_diags *diags)
{
    struct odp_draft *draft = NULL;
    struct odp_draft_text t;
    const struct odp_draft_options o = {.path = x->path, .file = x->options.file, .slug = "intake"};
    const char *declared = x->resource->encoding;
    enum odp_status status = odp_draft_open(&draft, &o, diags);
    if (status == ODP_OK) {
        odp_draft_text(draft, &t);
        bool guessed = same_encoding(t.encoding, "windows-1252") && !same_encoding(declared, "utf-8");
        x->how.encoding = !t.sure || guessed ? declared : odp_arena_str(&x->arena, t.encoding);
        x->how.encoding_declared = false;
        x->how.dialect.delimiter = t.delimiter;
        x->how.dialect.quote = t.quote;
        x->how.dialect.escape = t.escape;
        x->how.dialect.double_quote = t.escape == '\0';
        x->how.dialect.skip_initial_space = t.skip_space;
    }
    odp_draft_free(draft);
    return status;
}

static bool same_rules(const struct csv_rules *a, const struct csv_rules *b)
{
    return a->delimiter == b->delimiter && a->quote == b->quote && a->escape == b->escape &&
           a->double_quote == b->double_quote && a->skip_space == b->skip_space;
}

static enum odp_status read_file(struct odp_intake *x, struct odp_diags *diags)
{
    struct csv_rules rules;
    const char *before = x->path;
    enum odp_status status = intake_foreign(x, diags);
    if (status == ODP_OK && !x->foreign) {
        status = read_text(x, diags);
        x->encoding = x->how.encoding;
        if (status == ODP_OK)
            status = intake_unwrap(x, diags);
        if (status == ODP_OK && x->path != before)
            status = read_text(x, diags);
    }
    if (status == ODP_OK)
        status = intake_header(x, diags);
    if (status != ODP_OK)
        return status;
    csv_rules_init(&rules, &x->how.dialect, false);
    x->same_frame = !x->foreign && same_rules(&rules, &x->target);
    status = intake_model(x);
    return status == ODP_OK ? intake_survey(x, diags) : status;
}

/* Sources of other kinds are not written. */
static enum odp_status refuse_kind(const struct odp_intake_options *o, struct odp_diags *diags)
{
    const struct odp_source_kind *kind = odp_source_kind_of(o->resource);
    struct odp_diag d;
    if (kind != NULL && strcmp(kind->name, "csv") == 0)
        return ODP_OK;
    csv_file_diag(&d, ODP_A03, o->resource, o->file);
    d.args[0] = odp_slice_of(kind != NULL ? kind->name : "?");
    return odp_diags_add(diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

enum odp_status odp_intake_open(struct odp_intake **out, const struct odp_intake_options *o,
                                struct odp_diags *diags)
{
    struct odp_intake *x = *out = calloc(1, sizeof *x);
    if (x == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    odp_arena_init(&x->arena);
    x->options = *o;
    x->resource = o->resource;
    x->path = o->path;
    x->file_month_first = x->mark = -1;
    x->how = *o->resource;
    x->how.bytes = -1;
    x->how.hash = NULL;
    csv_rules_init(&x->target, &o->resource->dialect, csv_is_tabs(o->resource));
    enum odp_status status = refuse_kind(o, diags);
    if (status == ODP_OK)
        status = read_file(x, diags);
    if (status == ODP_OK)
        intake_decide(x);
    return status == ODP_OK ? odp_arena_status(&x->arena) : status;
}

void odp_intake_free(struct odp_intake *x)
{
    if (x == NULL)
        return;
    for (size_t i = 0; i < x->nscratch; i++)
        (void)unlink(x->scratch[i]);
    odp_arena_release(&x->arena);
    free(x);
}

/* ---- what was changed ---- */

static struct odp_slice mark_of(const char *c)
{
    return *c == '\t' ? ODP_LIT("tab") : (struct odp_slice){c, *c != '\0'};
}

static const char *shape_of(const struct odp_field *f, const char *pattern)
{
    bool plain = pattern == NULL || strcmp(pattern, "default") == 0;
    return plain ? odp_field_type(f->type)->shape : pattern;
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
        before = odp_slice_of(shape_of(f, c->chosen >= 0 ? draft_patterns[c->chosen].pattern : NULL));
        after = odp_slice_of(shape_of(f, f->date_pattern));
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
        if (c->field == NULL)
            continue;
        if (x->resource->dialect.header && x->nheader == 1 && !c->field->unlabelled &&
            !odp_slice_is(c->label, c->field->source_name))
            intake_note(x, ODP_INTAKE_LABEL, c->label, odp_slice_of(c->field->source_name), 0);
        for (int kind = ODP_INTAKE_DECIMAL; kind < ODP_INTAKE_KINDS; kind++)
            if (c->cells[kind] > 0)
                note_cells(x, c, (enum odp_intake_kind)kind);
    }
    if (blank > 0)
        intake_note(x, ODP_INTAKE_BLANK_COLUMNS, nothing, nothing, blank);
    if (x->reordered)
        intake_note(x, ODP_INTAKE_ORDER, nothing, nothing, 0);
}

static void note_frame(struct odp_intake *x)
{
    const struct csv_rules *to = &x->target;
    uint64_t want = intake_titles(x->resource), below = intake_below(x->resource);
    uint64_t front = x->header - (x->sep.len > 0);
    if (!x->foreign && x->high && !same_encoding(x->encoding, x->resource->encoding))
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

bool odp_intake_mends(const struct odp_intake *x)
{
    return x->mends;
}

uint64_t odp_intake_records(const struct odp_intake *x)
{
    return x->records;
}
