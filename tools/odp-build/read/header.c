/* Labels of a source against the fields of the schema (Table Schema v2, fieldsMatch). Fields are found by
 * name in every mode, so that a wrong order is one fault and not a fault in every cell. */
#include <stdlib.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "read/header.h"

#define NEAR_MAX                                                                                             \
    4096u /* labels that are compared with every missing name; damage can make millions of them */

struct name {
    struct odp_slice text;
    uint32_t field;
};

struct matcher {
    const struct odp_resource *r;
    const char *file;
    const struct odp_header *h;
    struct odp_source_info *info;
    struct odp_diags *diags;
    struct odp_arena *arena;
    struct name *names;      /* of the schema, sorted */
    struct odp_slice *plain; /* of the schema, in its order */
    bool *settled;           /* by column: said or matched */
    bool *told;              /* by field: missing, and said */
    int *again;              /* by column: the field whose label it repeats, plus one */
    uint32_t nagain;         /* of those */
    struct odp_slice shown;  /* the header as diagnostics show it; empty when it has several lines */
    uint32_t matched;
    bool failed;
};

static int by_text(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int c = odp_slice_cmp(x->text, y->text);
    return c != 0 ? c : (x->field > y->field) - (x->field < y->field);
}

/* Of several fields of that name the first without a column. */
static int find_name(const struct matcher *m, struct odp_slice label)
{
    uint32_t low = 0, high = m->r->schema.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (odp_slice_cmp(m->names[mid].text, label) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == m->r->schema.n || !odp_slice_eq(m->names[low].text, label))
        return -1;
    while (low + 1 < m->r->schema.n && m->info->column_of_field[m->names[low].field] >= 0 &&
           odp_slice_eq(m->names[low + 1].text, label))
        low++;
    return (int)m->names[low].field;
}

/* The one field whose name begins with the label and is longer; -1: none or several. */
static int find_cut(const struct matcher *m, struct odp_slice label)
{
    int found = -1;
    for (uint32_t f = 0; f < m->r->schema.n; f++) {
        struct odp_slice name = m->plain[f];
        if (m->info->column_of_field[f] >= 0 || name.len <= label.len ||
            memcmp(name.ptr, label.ptr, label.len) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = (int)f;
    }
    return found;
}

/* A diagnostic at COLUMN's label; -1: at the header as a whole. */
static struct odp_diag at_label(const struct matcher *m, enum odp_code code, int column)
{
    const struct odp_header *h = m->h;
    struct odp_diag d = {.code = code,
                         .resource = m->r->name,
                         .file = m->file,
                         .sheet = h->sheet,
                         .line = h->line,
                         .source = m->shown};
    if (m->r->dataset != NULL)
        d.dataset = m->r->dataset->slug;
    if (column >= 0) {
        d.value = h->labels[column];
        if (h->columns != NULL)
            d.column = h->columns[column];
        if (h->sheet == NULL && h->columns != NULL)
            d.table_column = (uint32_t)column + 1;
        if (h->pos != NULL) {
            size_t gap = h->sheet != NULL ? 3 : 1; /* " | ", or a delimiter */
            size_t start = h->pos[column],
                   end = (uint32_t)column + 1 < h->n ? h->pos[column + 1] : h->source.len + gap;
            end = end >= start + gap ? end - gap : start;
            d.mark_start = (uint32_t)start;
            d.mark_len = (uint32_t)(end - start);
        }
    } else if (h->columns != NULL && h->n > 0) {
        d.column = 1;
    }
    if (d.mark_start >= d.source.len)
        d.mark_start = d.mark_len = 0;
    else if (d.mark_len > d.source.len - d.mark_start)
        d.mark_len = (uint32_t)(d.source.len - d.mark_start);
    if (d.source.len == 0)
        d.source.ptr = NULL;
    return d;
}

/* A header of several lines is shown by its line numbers alone. */
static struct odp_slice shown_header(struct odp_slice source)
{
    if (source.len > 0 &&
        (memchr(source.ptr, '\n', source.len) != NULL || memchr(source.ptr, '\r', source.len) != NULL))
        return ODP_LIT("");
    if (source.len > 4096)
        source.len = odp_utf8_valid((struct odp_slice){source.ptr, 4096});
    return source;
}

static void add(struct matcher *m, const struct odp_diag *d)
{
    if (odp_diags_add(m->diags, d) == ODP_FAIL)
        m->failed = true;
}

/* "a, b, c …": the schema's names, or only those without a column. */
static struct odp_slice list_names(struct matcher *m, bool missing_only)
{
    enum { MOST = 400 };
    char *p = odp_arena_alloc(m->arena, MOST + 64);
    size_t n = 0;
    for (uint32_t f = 0; f < m->r->schema.n; f++) {
        if (missing_only && m->info->column_of_field[f] >= 0)
            continue;
        if (n + m->plain[f].len + 2 > MOST) {
            memcpy(p + n, ", …", sizeof(", …") - 1);
            n += sizeof(", …") - 1;
            break;
        }
        if (n > 0) {
            memcpy(p + n, ", ", 2);
            n += 2;
        }
        memcpy(p + n, m->plain[f].ptr, m->plain[f].len);
        n += m->plain[f].len;
    }
    return (struct odp_slice){p, n};
}

static char fold(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c == ' ' || c == '-' || c == '.' ? '_' : c);
}

static bool same_folded(struct odp_slice a, struct odp_slice b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (fold(a.ptr[i]) != fold(b.ptr[i]))
            return false;
    return true;
}

/* Close enough to be the same name written wrongly. */
static bool is_near(struct odp_slice label, struct odp_slice name)
{
    label = odp_slice_trim(label);
    if (same_folded(label, name))
        return true;
    size_t shorter = label.len < name.len ? label.len : name.len, longer = label.len + name.len - shorter;
    if (longer - shorter >
        4) /* a quick no: two characters are at most eight bytes, but names are mostly ASCII */
        return false;
    return shorter >= 4 && shorter < 200 && odp_same_digits(label, name) &&
           odp_nearest(label, &name, 1, shorter >= 8 ? 2 : 1) == 0;
}

/* Letters and digits of S alone, small; without text in brackets if BRACKETS is false. */
static size_t bare(struct odp_slice s, bool brackets, char out[128])
{
    size_t n = 0, depth = 0;
    for (size_t k = 0; k < s.len && n < 127; k++) {
        char c = fold(s.ptr[k]);
        depth += c == '(';
        if ((depth == 0 || brackets) &&
            ((c >= 'a' && c <= 'z') || odp_is_digit(c) || (unsigned char)c >= 0x80))
            out[n++] = c;
        depth -= c == ')' && depth > 0;
    }
    return n;
}

/* The same letters and digits: "Luas (Ha)" is luas_ha, and, without the unit in brackets, luas. */
static bool same_bare(struct odp_slice label, struct odp_slice name)
{
    char a[128], b[128];
    size_t m = bare(name, true, b);
    for (int brackets = 1; brackets >= 0 && m > 0; brackets--)
        if (bare(label, brackets == 1, a) == m && memcmp(a, b, m) == 0)
            return true;
    return false;
}

/* The field's name in another case or with other marks between its words, its title, or a name that it had.
 */
static bool is_called(const struct odp_field *f, struct odp_slice label)
{
    label = odp_slice_trim(label);
    if (same_bare(label, odp_slice_of(f->source_name)) || same_bare(label, odp_slice_of(f->name)))
        return true;
    for (size_t lang = 0; lang < ODP_LANGS; lang++)
        if (f->title.in[lang] != NULL && *f->title.in[lang] != '\0' &&
            same_bare(label, odp_slice_of(f->title.in[lang])))
            return true;
    for (size_t k = 0; k < f->nformer; k++)
        if (same_bare(label, odp_slice_of(f->former[k])))
            return true;
    return false;
}

static void take_column(struct matcher *m, uint32_t column, int field)
{
    m->settled[column] = true;
    m->info->field_of_column[column] = -1;
    if (m->info->column_of_field[field] >= 0) {
        m->again[column] = field + 1;
        m->nagain++;
        return;
    }
    m->info->column_of_field[field] = (int)column;
    m->info->field_of_column[column] = field;
    m->matched++;
}

/* The first field whose column has no label, and which has none yet; -1: none. */
static int find_unlabelled(const struct matcher *m)
{
    for (uint32_t f = 0; f < m->r->schema.n; f++)
        if (m->r->schema.fields[f].unlabelled && m->info->column_of_field[f] < 0)
            return (int)f;
    return -1;
}

static void match_labels(struct matcher *m)
{
    for (uint32_t c = 0; c < m->h->n; c++) {
        struct odp_slice label = m->h->labels[c];
        int field = odp_slice_trim(label).len > 0 ? find_name(m, label) : find_unlabelled(m);
        if (field >= 0)
            take_column(m, c, field);
    }
    for (uint32_t c = 0; c < m->h->n; c++) {
        struct odp_slice label = m->h->labels[c], trimmed = odp_slice_trim(label);
        if (m->settled[c] || trimmed.len == 0)
            continue;
        int field = trimmed.len != label.len ? find_name(m, trimmed) : -1;
        if (field >= 0) {
            struct odp_diag d = at_label(m, ODP_H07, (int)c);
            d.field = m->r->schema.fields[field].name;
            d.action = ODP_ACTION_RENAME_LABEL;
            d.proposal = trimmed;
            add(m, &d);
        } else if (m->h->cut_to != 0 && trimmed.len == m->h->cut_to) {
            field = find_cut(m, trimmed);
        }
        if (field >= 0)
            take_column(m, c, field);
    }
}

/* Labels that precede one they should follow, if COLUMN's label were FIELD's. */
static uint32_t disorder(const struct matcher *m, uint32_t column, int field)
{
    uint32_t n = 0;
    int last = -1;
    for (uint32_t c = 0; c < m->h->n; c++) {
        int here = c == column ? field : m->again[c] != 0 ? m->again[c] - 1 : m->info->field_of_column[c];
        if (here < 0)
            continue;
        n += here < last;
        last = here;
    }
    return n;
}

/* The one field without a column, where a label of another was typed again for it: no label is left over that
 * could be its own. -1: none. */
static int typed_for(const struct matcher *m)
{
    enum odp_fields_match mode = m->r->schema.match;
    int field = -1;
    if (m->nagain != 1 || !odp_resource_refuses(m->r, ODP_H03) || mode == ODP_MATCH_SUPERSET ||
        mode == ODP_MATCH_PARTIAL)
        return -1;
    for (uint32_t c = 0; c < m->h->n; c++)
        if (!m->settled[c])
            return -1;
    for (uint32_t f = 0; f < m->r->schema.n; f++) {
        if (m->info->column_of_field[f] >= 0)
            continue;
        if (field >= 0)
            return -1;
        field = (int)f;
    }
    return field;
}

/* As a spreadsheet calls the column of label K; of a shapefile, its number. */
static struct odp_slice column_name(const struct odp_header *h, uint32_t k, char text[8])
{
    if (h->columns == NULL)
        return (struct odp_slice){text, (size_t)snprintf(text, 8, "%u", k + 1)};
    return odp_slice_of(odp_column_name(h->sheet != NULL ? h->columns[k] - 1 : k, text));
}

/* Labels that occur twice. Where one field is missing, one of the two is its label: the one that the order
 * of the schema wants there, else the second; the missing field is not reported again, and the column is
 * read as it, for further faults. */
static void say_again(struct matcher *m)
{
    int missing = typed_for(m);
    for (uint32_t c = 0; c < m->h->n && m->nagain > 0; c++) {
        if (m->again[c] == 0)
            continue;
        int field = m->again[c] - 1, first = m->info->column_of_field[field], other = first;
        uint32_t wrong = c;
        char text[8];
        if (missing >= 0 && disorder(m, (uint32_t)first, missing) < disorder(m, c, missing)) {
            wrong = (uint32_t)first;
            other = (int)c;
        }
        struct odp_diag d = at_label(m, ODP_H03, (int)wrong);
        d.args[0] = column_name(m->h, (uint32_t)other, text);
        d.field = m->r->schema.fields[field].name;
        if (missing >= 0) {
            d.action = ODP_ACTION_RENAME_LABEL;
            d.proposal = m->plain[missing];
            d.where = m->r->schema.fields[missing].where;
            m->told[missing] = true;
        }
        add(m, &d);
        if (missing < 0)
            continue;
        m->info->column_of_field[field] = other;
        m->info->field_of_column[other] = field;
        m->info->column_of_field[missing] = (int)wrong;
        m->info->field_of_column[wrong] = missing;
        m->matched++;
    }
}

/* Columns without a label; those side by side are one fault. One that trails (a delimiter at the end of each
 * line) is an extra column where those are allowed. */
static void check_blank(struct matcher *m, bool extras_allowed)
{
    uint32_t trailing = m->h->n;
    while (trailing > 0 && odp_slice_trim(m->h->labels[trailing - 1]).len == 0)
        trailing--;
    for (uint32_t c = 0; c < m->h->n; c++) {
        uint32_t first = c;
        while (c < m->h->n && !m->settled[c] && odp_slice_trim(m->h->labels[c]).len == 0)
            m->settled[c++] = true;
        if (c == first || (extras_allowed && first >= trailing))
            continue;
        struct odp_diag d = at_label(m, ODP_H02, (int)first);
        size_t end = m->h->pos == NULL ? 0 : c < m->h->n ? m->h->pos[c] - 1 : m->h->source.len;
        if (d.source.ptr != NULL && end > d.mark_start && end <= d.source.len)
            d.mark_len = (uint32_t)(end - d.mark_start);
        add(m, &d);
    }
}

/* The one label, not settled, that is meant for FIELD; -1: none, or several. */
static int find_meant(const struct matcher *m, uint32_t field, bool called)
{
    int found = -1;
    for (uint32_t c = 0; c < m->h->n && c < NEAR_MAX; c++) {
        struct odp_slice label = m->h->labels[c];
        if (m->settled[c] ||
            (called ? !is_called(&m->r->schema.fields[field], label) : !is_near(label, m->plain[field])))
            continue;
        if (found >= 0)
            return -1;
        found = (int)c;
    }
    return found;
}

/* A column that is missing because its label is written wrongly is one fault, at that label; its cells are
 * read all the same, for further faults. */
static void say_meant(struct matcher *m, uint32_t field, uint32_t column)
{
    struct odp_diag d = at_label(m, ODP_H04, (int)column);
    char *hint = odp_arena_printf(m->arena, "%.*s → %s", (int)m->h->labels[column].len,
                                  m->h->labels[column].ptr, m->r->schema.fields[field].source_name);
    d.args[0] = m->plain[field];
    d.args[1] = odp_slice_of(hint);
    d.action = ODP_ACTION_RENAME_LABEL;
    d.proposal = m->plain[field];
    d.field = m->r->schema.fields[field].name;
    d.where = m->r->schema.fields[field].where;
    add(m, &d);
    m->settled[column] = true;
    if (odp_resource_refuses(m->r,
                             ODP_H04)) /* else cells would be published under a name that is but likely */
        take_column(m, column, (int)field);
}

static void say_missing(struct matcher *m, uint32_t field)
{
    struct odp_diag d = at_label(m, ODP_H04, -1);
    d.args[0] = m->plain[field];
    d.field = m->r->schema.fields[field].name;
    d.where = m->r->schema.fields[field].where;
    add(m, &d);
}

/* First what is surely meant, then what is near. */
static void find_missing(struct matcher *m)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t f = 0; f < m->r->schema.n; f++) {
            int column = m->info->column_of_field[f] < 0 && !m->told[f] ? find_meant(m, f, pass == 0) : -1;
            if (column < 0)
                continue;
            m->told[f] = true;
            say_meant(m, f, (uint32_t)column);
        }
}

/* One column is missing and one is left over: most likely that one, but nobody can tell. Reported once, at
 * its label. */
static bool pair_last(struct matcher *m)
{
    int field = -1, column = -1;
    for (uint32_t f = 0; f < m->r->schema.n; f++)
        if (m->info->column_of_field[f] < 0 && !m->told[f]) {
            if (field >= 0)
                return false;
            field = (int)f;
        }
    for (uint32_t c = 0; c < m->h->n; c++)
        if (!m->settled[c]) {
            if (column >= 0)
                return false;
            column = (int)c;
        }
    if (field < 0 || column < 0 || m->h->n != m->r->schema.n)
        return false;
    struct odp_diag d = at_label(m, ODP_H04, column);
    d.args[0] = m->plain[field];
    d.field = m->r->schema.fields[field].name;
    d.where = m->r->schema.fields[field].where;
    m->settled[column] = true;
    add(m, &d);
    return true;
}

static void say_extra(struct matcher *m, uint32_t column, struct odp_slice expected)
{
    struct odp_diag d = at_label(m, ODP_H05, (int)column);
    d.args[0] = expected;
    d.where = m->r->where;
    uint32_t near = 0;
    for (uint32_t f = 0; f < m->r->schema.n && column < NEAR_MAX; f++)
        if (m->info->column_of_field[f] < 0 && (is_called(&m->r->schema.fields[f], m->h->labels[column]) ||
                                                is_near(m->h->labels[column], m->plain[f]))) {
            d.action = ODP_ACTION_RENAME_LABEL;
            d.proposal = m->plain[f];
            near++;
        }
    if (near > 1) {
        d.action = ODP_ACTION_REPLACE;
        d.proposal = (struct odp_slice){NULL, 0};
    }
    add(m, &d);
}

/* The first column that precedes one it should follow. */
static void check_order(struct matcher *m)
{
    int last = -1;
    for (uint32_t c = 0; c < m->h->n; c++) {
        int field = m->info->field_of_column[c];
        if (field >= 0 && field < last) {
            struct odp_diag d = at_label(m, ODP_H06, (int)c);
            d.args[0] = list_names(m, false);
            d.where = m->r->where;
            add(m, &d);
            return;
        }
        if (field >= 0)
            last = field;
    }
}

/* Nothing matches and nothing resembles: this is no header at all, and one sentence says so. */
static bool is_no_header(const struct matcher *m)
{
    if (m->matched > 0 || m->r->schema.n < 2)
        return false;
    for (uint32_t f = 0; f < m->r->schema.n && f < 200; f++)
        for (uint32_t c = 0; c < m->h->n && c < 200; c++)
            if (is_near(m->h->labels[c], m->plain[f]) || is_called(&m->r->schema.fields[f], m->h->labels[c]))
                return false;
    return true;
}

static void check_sets(struct matcher *m)
{
    enum odp_fields_match mode = m->r->schema.match;
    bool may_lack = mode == ODP_MATCH_SUPERSET || mode == ODP_MATCH_PARTIAL;
    bool may_add = mode == ODP_MATCH_SUBSET || mode == ODP_MATCH_PARTIAL;
    check_blank(m, may_add);
    if (!may_lack) {
        find_missing(m);
        if (may_add || !pair_last(m))
            for (uint32_t f = 0; f < m->r->schema.n; f++)
                if (m->info->column_of_field[f] < 0 && !m->told[f])
                    say_missing(m, f);
    }
    struct odp_slice expected = may_add ? ODP_LIT("") : list_names(m, true);
    if (!may_add && expected.len == 0)
        expected = list_names(m, false);
    for (uint32_t c = 0; c < m->h->n && !may_add; c++)
        if (!m->settled[c])
            say_extra(m, c, expected);
    if (mode == ODP_MATCH_EXACT)
        check_order(m);
}

static enum odp_status prepare(struct matcher *m)
{
    uint32_t n = m->r->schema.n;
    m->names = odp_arena_array(m->arena, n + 1, sizeof(*m->names));
    m->plain = odp_arena_array(m->arena, n + 1, sizeof(*m->plain));
    m->settled = odp_arena_zero(m->arena, (size_t)m->h->n + 1, sizeof(*m->settled));
    m->told = odp_arena_zero(m->arena, n + 1, sizeof(*m->told));
    m->again = odp_arena_zero(m->arena, (size_t)m->h->n + 1, sizeof(*m->again));
    m->info->column_of_field = odp_arena_array(m->arena, n + 1, sizeof(*m->info->column_of_field));
    m->info->field_of_column =
        odp_arena_array(m->arena, (size_t)m->h->n + 1, sizeof(*m->info->field_of_column));
    for (uint32_t f = 0; f < n; f++) {
        m->plain[f] = odp_slice_of(m->r->schema.fields[f].source_name);
        m->names[f] = (struct name){m->plain[f], f};
        m->info->column_of_field[f] = -1;
    }
    for (uint32_t c = 0; c < m->h->n; c++)
        m->info->field_of_column[c] = -1;
    qsort(m->names, n, sizeof(*m->names), by_text);
    return ODP_OK;
}

static enum odp_status say_too_many(struct matcher *m)
{
    struct odp_limit_text text;
    struct odp_diag d = at_label(m, ODP_F15, -1);
    odp_limit_diag(&d, odp_limits_of(m->r), offsetof(struct odp_limits, columns), m->h->n, &text);
    add(m, &d);
    return m->failed ? ODP_FAIL : ODP_BAD;
}

enum odp_status odp_header_match(const struct odp_resource *r, const char *file, const struct odp_header *h,
                                 struct odp_arena *a, struct odp_source_info *info, struct odp_diags *diags)
{
    struct matcher m = {.r = r,
                        .file = file,
                        .h = h,
                        .info = info,
                        .diags = diags,
                        .arena = a,
                        .shown = shown_header(h->source)};
    if (h->n > odp_limits_of(r)->columns)
        return say_too_many(&m);
    if (prepare(&m) != ODP_OK)
        return ODP_FAIL;
    match_labels(&m);
    say_again(&m);
    if (is_no_header(&m)) {
        struct odp_diag d = at_label(&m, ODP_H01, -1);
        d.args[0] = list_names(&m, false);
        d.where = r->where;
        add(&m, &d);
    } else {
        check_sets(&m);
        bool lacking = r->schema.match == ODP_MATCH_PARTIAL || r->schema.match == ODP_MATCH_SUPERSET ||
                       !odp_resource_refuses(r, ODP_H04);
        if (m.matched == 0 && lacking) { /* no column may be missing, but not all of them */
            struct odp_diag d = at_label(&m, ODP_H01, -1);
            d.args[0] = list_names(&m, false);
            d.where = r->where;
            add(&m, &d);
        }
    }
    if (m.failed)
        return ODP_FAIL;
    return m.matched > 0 ? ODP_OK : ODP_BAD;
}

void odp_header_take_schema(const struct odp_resource *r, struct odp_arena *a, struct odp_source_info *info)
{
    const struct odp_schema *schema = &r->schema;
    info->ncolumns = schema->n;
    info->labels = odp_arena_array(a, schema->n + 1, sizeof(*info->labels));
    info->column_of_field = odp_arena_array(a, schema->n + 1, sizeof(*info->column_of_field));
    info->field_of_column = odp_arena_array(a, schema->n + 1, sizeof(*info->field_of_column));
    for (uint32_t i = 0; i < schema->n; i++) {
        info->labels[i] = odp_slice_of(schema->fields[i].source_name);
        info->column_of_field[i] = info->field_of_column[i] = (int)i;
    }
}

/* ---- is a row the header? ---- */

static bool is_label_of(struct odp_slice label, const char *name, bool loosely)
{
    if (!loosely || label.len != strlen(name))
        return odp_slice_is(label, name);
    for (size_t i = 0; i < label.len; i++)
        if (odp_lower(label.ptr[i] == ' ' ? '_' : label.ptr[i]) != odp_lower(name[i] == ' ' ? '_' : name[i]))
            return false;
    return true;
}

uint32_t odp_header_scored(const struct odp_schema *schema)
{
    return schema->n < ODP_HEADER_SCORED ? schema->n : ODP_HEADER_SCORED;
}

uint32_t odp_header_score(const struct odp_schema *schema, const struct odp_slice *labels, uint32_t n,
                          bool loosely)
{
    uint32_t found = 0;
    for (uint32_t f = 0; f < odp_header_scored(schema); f++)
        for (uint32_t i = 0; i < n; i++)
            if (is_label_of(odp_slice_trim(labels[i]), schema->fields[f].source_name, loosely)) {
                found++;
                break;
            }
    return found;
}

bool odp_header_is_better(const struct odp_schema *schema, uint32_t points, uint32_t found)
{
    uint32_t n = odp_header_scored(schema);
    return points > found && points * 2 >= n && (points > 1 || n == 1);
}

struct odp_slice *odp_header_join(struct odp_arena *a, const struct odp_slice *first, uint32_t nfirst,
                                  const struct odp_slice *more, uint32_t nmore, const char *join)
{
    uint32_t n = nmore > nfirst ? nmore : nfirst;
    struct odp_slice *text = odp_arena_zero(a, (size_t)n + 1, sizeof *text);
    for (uint32_t i = 0; i < n; i++) {
        struct odp_slice x = i < nfirst ? first[i] : ODP_LIT(""), y = i < nmore ? more[i] : ODP_LIT("");
        text[i] = x.len == 0 ? y : x;
        if (x.len > 0 && y.len > 0)
            text[i] =
                odp_slice_of(odp_arena_printf(a, "%.*s%s%.*s", (int)x.len, x.ptr, join, (int)y.len, y.ptr));
    }
    return text;
}
