#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

static int64_t day_of(int64_t ymd)
{
    return sample_days((int)(ymd / 10000), (int)(ymd / 100 % 100), (int)(ymd % 100));
}

static int64_t power10(int places)
{
    int64_t p = 1;
    while (places-- > 0)
        p *= 10;
    return p;
}

double sample_number(const struct sample_value *v)
{
    return (double)v->n / (double)power10(v->places);
}

/* What one evaluation needs. */
struct sample_job {
    struct sample_context *c;
    const struct sample_table *t;
    struct sample_row *row;
    const struct recipe *e;
    size_t slot;
    struct sample_random random;
};

static const struct sample_value none = {.kind = VALUE_NULL};

/* The next word of *S, up to a space. */
static struct odp_slice word(const char **s)
{
    while (**s == ' ')
        (*s)++;
    size_t n = strcspn(*s, " ");
    struct odp_slice w = {*s, n};
    *s += n;
    return w;
}

static const struct sample_value *field_value(const struct sample_job *j, struct odp_slice name)
{
    size_t i = sample_entry_find(j->t->recipe, name.ptr, name.len);
    return i != SIZE_MAX ? &j->row->v[i] : &none;
}

static struct sample_value number(int64_t n, int places)
{
    return (struct sample_value){.kind = VALUE_NUMBER, .n = n, .places = places};
}

static struct sample_value text_of(struct odp_slice s)
{
    return (struct sample_value){.kind = VALUE_TEXT, .text = s};
}

/* Text kept in the row. */
static enum odp_status keep(struct sample_job *j, struct odp_slice s, struct sample_value *out)
{
    if (s.len > SAMPLE_TEXT - j->row->used)
        return sample_bad(j->c, "%s: more than %d bytes of text in one row", j->t->recipe->slug, SAMPLE_TEXT);
    char *at = j->row->text + j->row->used;
    if (s.len > 0)
        memcpy(at, s.ptr, s.len);
    j->row->used += s.len;
    *out = text_of((struct odp_slice){at, s.len});
    return ODP_OK;
}

/* Skewed values: the smaller of two draws of a cube. */
static int64_t draw(struct sample_job *j, int64_t lo, int64_t hi)
{
    if (!j->e->skew)
        return sample_range(&j->random, lo, hi);
    double u = sample_unit(&j->random);
    return lo + (int64_t)((double)(hi - lo) * u * u * u);
}

static size_t weighted(struct sample_job *j, const char *weights, size_t n)
{
    uint64_t total = 0, w[64];
    const char *p = weights;
    for (size_t i = 0; i < n && i < 64; i++) {
        struct odp_slice s = p != NULL ? word(&p) : (struct odp_slice){NULL, 0};
        w[i] = p == NULL ? 1 : s.len > 0 ? strtoull(s.ptr, NULL, 10) : 0;
        total += w[i];
    }
    uint64_t at = sample_next(&j->random) % (total > 0 ? total : 1);
    size_t i = 0;
    while (i + 1 < n && i < 63 && at >= w[i])
        at -= w[i++];
    return i;
}

/* ---- templates ---- */
static void digits(struct odp_buffer *b, uint64_t v, int width)
{
    odp_buffer_printf(b, "%0*llu", width, (unsigned long long)v);
}

/* A number of N digits that differs for every row below 10^N: the row times a constant coprime to 10. */
static uint64_t unique_digits(uint64_t index, int n)
{
    uint64_t m = (uint64_t)power10(n);
    return (index * UINT64_C(7640891) + UINT64_C(1234567)) % m;
}

static enum odp_status placeholder(struct sample_job *j, struct odp_slice p, struct odp_buffer *b)
{
    long long x = 0, y = 0;
    int width = 0;
    char name[64];
    size_t slot = sample_entry_find(j->t->recipe, p.ptr, p.len);
    if (slot != SIZE_MAX) {
        sample_canonical(&j->row->v[slot], b);
        return ODP_OK;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)p.len, p.ptr);
    if (sscanf(name, "#%d", &width) == 1) {
        digits(b, j->row->index + 1, width);
    } else if (sscanf(name, "9:%d", &width) == 1) {
        digits(b, sample_next(&j->random) % (uint64_t)power10(width), width);
    } else if (sscanf(name, "u:%d", &width) == 1) {
        digits(b, unique_digits(j->row->index, width), width);
    } else if (sscanf(name, "v:%lld:%lld", &x, &y) == 2) {
        char eight[24];
        (void)snprintf(eight, sizeof eight, "%08llu", (unsigned long long)unique_digits(j->row->index, 8));
        odp_buffer_add(b, eight + x, (size_t)(y - x));
    } else if (sscanf(name, "r:%lld:%lld", &x, &y) == 2 ||
               sscanf(name, "r%d:%lld:%lld", &width, &x, &y) == 3) {
        digits(b, (uint64_t)sample_range(&j->random, x, y), width);
    } else if (name[0] == '@') {
        struct sample_list l;
        if (!sample_list_find(name + 1, &l))
            return sample_bad(j->c, "no list %s", name + 1);
        odp_buffer_add_slice(b, sample_list_word(&l, sample_next(&j->random) % l.n));
    } else {
        return sample_bad(j->c, "%s.%s: no field {%s}", j->t->recipe->slug, j->e->name, name);
    }
    return ODP_OK;
}

static enum odp_status filled(struct sample_job *j, struct sample_value *out)
{
    struct odp_buffer *b = &j->c->scratch; /* a template never makes another row */
    enum odp_status s = ODP_OK;
    odp_buffer_clear(b);
    for (const char *p = j->e->arg; *p != '\0' && s == ODP_OK;) {
        size_t n = strcspn(p, "{");
        odp_buffer_add(b, p, n);
        p += n;
        if (*p != '{')
            break;
        size_t len = strcspn(p + 1, "}");
        s = placeholder(j, (struct odp_slice){p + 1, len}, b);
        p += len + 2;
    }
    if (s == ODP_OK)
        s = odp_buffer_status(b);
    return s == ODP_OK ? keep(j, odp_buffer_slice(b), out) : s;
}

/* ---- places ---- */
static enum odp_status region(struct sample_job *j, struct sample_value *out)
{
    const struct sample_code_list *l;
    enum odp_status s = sample_code_list(j->c, "kabkota", &l);
    if (s != ODP_OK)
        return s;
    for (int tries = 0; tries < 10000; tries++) {
        struct odp_slice code = l->codes.item[sample_next(&j->random) % l->codes.n];
        *out = text_of(code);
        bool fits = j->e->arg == NULL;
        for (const char *p = j->e->arg; p != NULL && *p != '\0' && !fits;)
            fits = memcmp(word(&p).ptr, code.ptr, 2) == 0;
        if (fits)
            return ODP_OK;
    }
    return sample_bad(j->c, "%s.%s: no region of %s", j->t->recipe->slug, j->e->name, j->e->arg);
}

static enum odp_status code(struct sample_job *j, const char *list, size_t pick, bool random,
                            struct sample_value *out)
{
    const struct sample_code_list *l;
    enum odp_status s = sample_code_list(j->c, list, &l);
    if (s != ODP_OK)
        return s;
    if (random)
        pick = j->e->form != NULL ? weighted(j, j->e->form, l->codes.n)
                                  : (size_t)(sample_next(&j->random) % l->codes.n);
    *out = text_of(l->codes.item[pick % l->codes.n]);
    out->category = pick;
    return ODP_OK;
}

/* The name of a code, in capitals as in the decree: kept so. */
static enum odp_status name_of(struct sample_job *j, struct sample_value *out)
{
    const char *p = j->e->arg;
    struct odp_slice list = word(&p);
    const struct sample_value *v = field_value(j, word(&p));
    char slug[64];
    (void)snprintf(slug, sizeof slug, "%.*s", (int)list.len, list.ptr);
    const struct sample_code_list *l = NULL;
    for (size_t i = 0; i < j->c->ncode_lists; i++)
        if (strcmp(j->c->code_list[i].slug, slug) == 0)
            l = &j->c->code_list[i];
    if (l == NULL)
        return sample_bad(j->c, "%s.%s: the list %s is not in use yet", j->t->recipe->slug, j->e->name, slug);
    for (size_t i = 0; i < l->codes.n; i++)
        if (odp_slice_eq(l->codes.item[i], v->text)) {
            *out = text_of(l->names.item[i]);
            return ODP_OK;
        }
    *out = none;
    return ODP_OK;
}

static enum odp_status axis(struct sample_job *j, struct sample_value *out)
{
    size_t k = (size_t)(j->row->index / (uint64_t)j->e->lo % (uint64_t)j->e->hi);
    const char *a = j->e->arg, *rest = strchr(a, ':');
    rest = rest != NULL ? rest + 1 : "";
    if (strcmp(a, "kabkota") == 0 || strcmp(a, "provinsi") == 0)
        return code(j, a, k, false, out);
    if (strcmp(a, "number") == 0) {
        *out = number((int64_t)k + 1, 0);
    } else if (strncmp(a, "year:", 5) == 0) {
        *out = number(strtoll(rest, NULL, 10) + (int64_t)k, 0);
    } else if (strncmp(a, "quarter:", 8) == 0) {
        *out = (struct sample_value){.kind = VALUE_DATE,
                                     .n = sample_days(atoi(rest) + (int)k / 4, (int)(k % 4) * 3 + 1, 1)};
    } else if (strncmp(a, "code:", 5) == 0) {
        char buf[32];
        (void)snprintf(buf, sizeof buf, "%s%02zu", rest, k + 1);
        return keep(j, odp_slice_of(buf), out);
    } else {
        const struct sample_words *own = &j->t->category_of[j->slot];
        struct sample_list l = {NULL, own->n};
        bool known = strcmp(a, "pick") == 0 ? own->n > 0 : sample_list_find(rest, &l);
        if (!known)
            return sample_bad(j->c, "%s.%s: unknown axis %s", j->t->recipe->slug, j->e->name, a);
        *out = text_of(l.array != NULL ? sample_list_word(&l, k % l.n) : own->item[k % l.n]);
        out->category = k % l.n;
    }
    return ODP_OK;
}

/* ---- parents ---- */
static enum odp_status copy_from(struct sample_job *j, const struct sample_table *parent, const char *field,
                                 struct sample_value *out)
{
    size_t slot = sample_entry_find(parent->recipe, field, strlen(field)), last = slot;
    if (slot == SIZE_MAX)
        return sample_bad(j->c, "%s has no field %s", parent->recipe->slug, field);
    for (size_t i = slot; i < parent->recipe->nfields; i++)
        if (parent->slot[i] == slot)
            last = i;
    struct sample_row *row = malloc(sizeof *row); /* rows nest: too large for the stack of a deep chain */
    if (row == NULL)
        return odp_failure_set("malloc", NULL, 0);
    enum odp_status s = sample_row_make(j->c, parent, j->row->parent_index, last, row);
    if (s == ODP_OK) {
        *out = row->v[slot];
        if (out->kind == VALUE_TEXT)
            s = keep(j, row->v[slot].text, out);
    }
    free(row);
    return s;
}

static enum odp_status reference(struct sample_job *j, struct sample_value *out)
{
    const char *a = j->e->arg, *slash = strchr(a, '/'), *dot = strchr(a, '.');
    const struct recipe_table *r =
        sample_recipe_find(a, (size_t)(slash - a), slash + 1, (size_t)(dot - slash) - 1);
    struct sample_table *parent = NULL;
    if (r == NULL)
        return sample_bad(j->c, "no recipe %s", a);
    enum odp_status s = sample_table_open(j->c, r, &parent);
    if (s != ODP_OK)
        return s;
    uint64_t rows = j->c->parent_limit != 0 && j->c->parent_limit < r->rows ? j->c->parent_limit : r->rows,
             at;
    if (j->e->lo == 1)
        at = j->row->index / (uint64_t)j->e->hi;
    else if (j->e->lo == 2)
        at = j->row->index % rows;
    else
        at = sample_next(&j->random) % rows;
    if (parent == j->t && at == j->row->index)
        at = (at + 1) % rows; /* nothing refers to itself */
    j->row->parent = parent;
    j->row->parent_index = at;
    return copy_from(j, parent, dot + 1, out);
}

/* ---- from other fields ---- */
static int64_t rescale(int64_t n, int from, int to)
{
    for (; from < to; from++)
        n *= 10;
    for (; from > to; from--)
        n = (n + (n >= 0 ? 5 : -5)) / 10;
    return n;
}

static enum odp_status arithmetic(struct sample_job *j, struct sample_value *out)
{
    const char *p = j->e->arg;
    const struct sample_value *a = field_value(j, word(&p)), *b = field_value(j, word(&p));
    *out = none;
    if (a->kind != VALUE_NUMBER || b->kind != VALUE_NUMBER)
        return ODP_OK;
    int places = a->places > b->places ? a->places : b->places;
    int64_t x = rescale(a->n, a->places, places), y = rescale(b->n, b->places, places);
    switch (j->e->gen->operation) {
    case '+':
        *out = number(x + y, places);
        break;
    case '-':
        *out = number(x - y, places);
        break;
    case '*':
        *out = number(a->n * b->n, a->places + b->places);
        break;
    case '>':
        *out = (struct sample_value){.kind = VALUE_BOOL, .n = x > y};
        break;
    case '=':
        *out = (struct sample_value){.kind = VALUE_BOOL, .n = x >= y};
        break;
    default: /* a ratio, half up */
        if (y != 0)
            *out = number((int64_t)(100.0 * (double)power10(j->e->places) * (double)x / (double)y + 0.5),
                          j->e->places);
    }
    return ODP_OK;
}

static enum odp_status share(struct sample_job *j, struct sample_value *out)
{
    const struct sample_value *a = field_value(j, odp_slice_of(j->e->arg));
    int64_t per = sample_range(&j->random, j->e->lo, j->e->hi);
    *out = none;
    if (a->kind == VALUE_NUMBER) {
        /* Rounded down, so that a share below 1000 never exceeds the whole. */
        int64_t n = rescale(a->n, a->places, a->places > j->e->places ? a->places : j->e->places);
        int64_t part = n / 1000 * per + n % 1000 * per / 1000;
        for (int d = a->places; d > j->e->places; d--)
            part /= 10;
        *out = number(part, j->e->places);
    }
    return ODP_OK;
}

static enum odp_status later(struct sample_job *j, struct sample_value *out)
{
    *out = *field_value(j, odp_slice_of(j->e->arg));
    int64_t by = sample_range(&j->random, j->e->lo, j->e->hi);
    if (out->kind == VALUE_DATE)
        out->n += by;
    else if (out->kind == VALUE_TIME)
        out->n += by * 60 + (by != 0 && j->e->lo >= 0 ? sample_range(&j->random, 0, 59) : 0);
    return ODP_OK;
}

static enum odp_status time_of(struct sample_job *j, struct sample_value *out)
{
    int hours = 7;
    if (j->e->arg != NULL) {
        const struct sample_value *v = field_value(j, odp_slice_of(j->e->arg));
        hours = sample_province_of(v->text.ptr != NULL ? v->text.ptr : "").offset;
    }
    int64_t local =
        sample_range(&j->random, day_of(j->e->lo) * 86400, day_of(j->e->hi) * 86400 + 86399 - 600);
    *out = (struct sample_value){.kind = VALUE_TIME, .n = local - hours * 3600, .offset = hours * 60};
    return ODP_OK;
}

static enum odp_status step(struct sample_job *j, struct sample_value *out)
{
    const char *p = j->e->arg;
    const struct sample_value *v = field_value(j, word(&p));
    size_t k = 0;
    while (*p != '\0') {
        struct odp_slice w = word(&p);
        if (w.len > 0 && sample_number(v) >= (double)strtoll(w.ptr, NULL, 10))
            k++;
    }
    const struct sample_words *c = &j->t->category_of[j->slot];
    if (k >= c->n)
        return sample_bad(j->c, "%s.%s: too few categories", j->t->recipe->slug, j->e->name);
    *out = text_of(c->item[k]);
    out->category = k;
    return ODP_OK;
}

static enum odp_status match(struct sample_job *j, struct sample_value *out)
{
    const struct sample_value *v = field_value(j, odp_slice_of(j->e->arg));
    struct sample_list l;
    if (!sample_list_find(j->e->form, &l) || v->category >= l.n)
        return sample_bad(j->c, "%s.%s: the list %s is too short", j->t->recipe->slug, j->e->name,
                          j->e->form);
    struct odp_slice w = sample_list_word(&l, v->category);
    *out = j->t->type_of[j->slot] == FORM_TEXT ? text_of(w) : number(strtoll(w.ptr, NULL, 10), 0);
    return ODP_OK;
}

/* PPKKCC DDMMYY NNNN; 9,999 and 17,897 are coprime, so birthday and serial together differ for 178 million
 * rows. */
static enum odp_status nik(struct sample_job *j, struct sample_value *out)
{
    const struct sample_value *v = field_value(j, odp_slice_of(j->e->arg));
    int y, m, d;
    sample_civil(sample_days(1955, 1, 1) + (int64_t)(j->row->index * 7919 % 17897), &y, &m, &d);
    if (sample_next(&j->random) % 2 == 0)
        d += 40; /* women */
    char buf[64];
    struct odp_slice r = v->text.len >= 5 ? v->text : ODP_LIT("31.71");
    (void)snprintf(buf, sizeof buf, "%.2s%.2s%02d%02d%02d%02d%04d", r.ptr, r.ptr + 3,
                   (int)sample_range(&j->random, 1, 20), d, m, y % 100, (int)(j->row->index % 9999) + 1);
    return keep(j, odp_slice_of(buf), out);
}

/* One of the field's categories or enum, by weights. */
static enum odp_status pick(struct sample_job *j, struct sample_value *out)
{
    size_t at = sample_entry_find(j->t->recipe, j->e->name, strlen(j->e->name));
    const struct sample_words *l = &j->t->category_of[at];
    if (l->n == 0)
        return sample_bad(j->c, "%s.%s: nothing to choose from", j->t->recipe->slug, j->e->name);
    size_t k = j->e->arg != NULL ? weighted(j, j->e->arg, l->n) : (size_t)(sample_next(&j->random) % l->n);
    *out = text_of(l->item[k]);
    out->category = k;
    return ODP_OK;
}

static enum odp_status listed(struct sample_job *j, struct sample_value *out)
{
    struct sample_list l;
    if (!sample_list_find(j->e->arg, &l))
        return sample_bad(j->c, "%s.%s: no list %s", j->t->recipe->slug, j->e->name, j->e->arg);
    size_t k = (size_t)(sample_next(&j->random) % l.n);
    *out = text_of(sample_list_word(&l, k));
    out->category = k;
    return ODP_OK;
}

static enum odp_status province(struct sample_job *j, struct sample_value *out)
{
    if (j->e->arg == NULL)
        return code(j, "provinsi", 0, true, out);
    const struct sample_value *v = field_value(j, odp_slice_of(j->e->arg));
    *out = v->kind == VALUE_TEXT ? text_of((struct odp_slice){v->text.ptr, 2}) : none;
    return ODP_OK;
}

static enum odp_status year_of(struct sample_job *j, struct sample_value *out)
{
    const struct sample_value *v = field_value(j, odp_slice_of(j->e->arg));
    int y = 0, m, d;
    if (v->kind == VALUE_DATE)
        sample_civil(v->n, &y, &m, &d);
    *out = v->kind == VALUE_DATE ? number(y, 0) : none;
    return ODP_OK;
}

static enum odp_status drawn(struct sample_job *j, struct sample_value *out)
{
    *out = number(draw(j, j->e->lo, j->e->hi), j->e->places);
    return ODP_OK;
}

static enum odp_status date(struct sample_job *j, struct sample_value *out)
{
    *out = (struct sample_value){.kind = VALUE_DATE,
                                 .n = sample_range(&j->random, day_of(j->e->lo), day_of(j->e->hi))};
    return ODP_OK;
}

static enum odp_status truth(struct sample_job *j, struct sample_value *out)
{
    *out = (struct sample_value){.kind = VALUE_BOOL, .n = sample_range(&j->random, 0, 999) < j->e->lo};
    return ODP_OK;
}

static enum odp_status of_list(struct sample_job *j, struct sample_value *out)
{
    return code(j, j->e->arg, 0, true, out);
}

static enum odp_status from_parent(struct sample_job *j, struct sample_value *out)
{
    return j->row->parent != NULL ? copy_from(j, j->row->parent, j->e->arg, out)
                                  : sample_bad(j->c, "no parent");
}

static enum odp_status nothing(struct sample_job *j, struct sample_value *out)
{
    (void)j;
    *out = none;
    return ODP_OK;
}

/* README.md says what each reads of its entry. */
static const struct sample_generator generators[] = {
    {"text", filled, 0},
    {"int", drawn, 0},
    {"dec", drawn, 0},
    {"date", date, 0},
    {"time", time_of, 0},
    {"later", later, 0},
    {"year", year_of, 0},
    {"bool", truth, 0},
    {"pick", pick, 0},
    {"list", listed, 0},
    {"region", region, 0},
    {"province", province, 0},
    {"code", of_list, 0},
    {"name", name_of, 0},
    {"axis", axis, 0},
    {"ref", reference, 0},
    {"from", from_parent, 0},
    {"sum", arithmetic, '+'},
    {"diff", arithmetic, '-'},
    {"times", arithmetic, '*'},
    {"ratio", arithmetic, '/'},
    {"above", arithmetic, '>'},
    {"atleast", arithmetic, '='},
    {"share", share, 0},
    {"step", step, 0},
    {"match", match, 0},
    {"nik", nik, 0},
    {"nothing", nothing, 0},
};

const struct sample_generator *sample_generator_find(const char *name)
{
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++)
        if (strcmp(generators[i].name, name) == 0)
            return &generators[i];
    return NULL;
}

/* "field=a,b" or "field!=a,b"; null stands as "". */
bool sample_row_holds(const struct sample_table *t, const struct sample_row *row, const char *when)
{
    size_t len = strcspn(when, "!="), at = sample_entry_find(t->recipe, when, len);
    bool negative = when[len] == '!';
    const struct sample_value *v = at != SIZE_MAX ? &row->v[at] : &none;
    char buf[256] = "";
    struct odp_slice is = {buf, 0};
    if (v->kind == VALUE_TEXT) {
        is = v->text;
    } else if (v->kind != VALUE_NULL) {
        int n = v->kind == VALUE_BOOL ? snprintf(buf, sizeof buf, "%s", v->n != 0 ? "true" : "false")
                                      : snprintf(buf, sizeof buf, "%lld", (long long)v->n);
        is.len = n > 0 ? (size_t)n : 0;
    }
    const char *p = when + len + (negative ? 2 : 1);
    for (;;) {
        size_t n = strcspn(p, ",");
        if (odp_slice_eq((struct odp_slice){p, n}, is))
            return !negative;
        if (p[n] == '\0')
            return negative;
        p += n + 1;
    }
}

enum odp_status sample_value_make(struct sample_context *c, const struct sample_table *t,
                                  struct sample_row *row, const struct recipe *e, size_t slot,
                                  struct sample_value *out)
{
    struct sample_job j = {.c = c, .t = t, .row = row, .e = e, .slot = slot};
    uint64_t seed = e->keyed ? 0 : c->seed;
    bool listed = e >= t->recipe->fields && e < t->recipe->fields + t->recipe->nfields;
    uint64_t stream = listed ? t->stream[e - t->recipe->fields] : sample_stream(t->recipe->slug, e->name);
    j.random.state = sample_mix(seed + UINT64_C(0x9e3779b97f4a7c15)) ^ stream;
    j.random.state = sample_mix(j.random.state + row->index / (e->every != 0 ? (uint64_t)e->every : 1) *
                                                     UINT64_C(0xd1342543de82ef95));
    bool empty = e->nulls != 0 && sample_next(&j.random) % 1000 < (uint64_t)e->nulls;
    enum odp_status s = e->gen->make(&j, out);
    if (s == ODP_OK && empty)
        *out = none;
    return s;
}

enum odp_status sample_row_make(struct sample_context *c, const struct sample_table *t, uint64_t index,
                                size_t upto, struct sample_row *row)
{
    row->index = index;
    row->used = 0;
    row->parent = NULL;
    row->parent_index = 0;
    for (size_t i = 0; i < t->recipe->nfields && i <= upto; i++) {
        const struct recipe *e = &t->recipe->fields[i];
        size_t slot = t->slot[i];
        if (slot == i)
            row->v[slot] = none;
        if (e->when != NULL && !sample_row_holds(t, row, e->when))
            continue;
        enum odp_status s = sample_value_make(c, t, row, e, slot, &row->v[slot]);
        if (s != ODP_OK)
            return s;
    }
    return ODP_OK;
}
