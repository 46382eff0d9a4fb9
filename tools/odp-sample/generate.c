/* Values: a generator for each kind of entry, and random numbers by which they draw. */
#include <stdio.h>
#include <stdlib.h>

#include "base/datetime.h"
#include "sample.h"

/* ---- random numbers ---- */
uint64_t sample_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t sample_hash(const char *s)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *s != '\0'; s++)
        h = (h ^ (uint64_t)(unsigned char)*s) * UINT64_C(0x100000001b3);
    return sample_mix(h);
}

uint64_t sample_next(struct sample_random *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    return sample_mix(r->state);
}

int64_t sample_range(struct sample_random *r, int64_t lo, int64_t hi)
{
    uint64_t n = (uint64_t)hi - (uint64_t)lo + 1;
    return n == 0 ? lo : (int64_t)((uint64_t)lo + sample_next(r) % n);
}

double sample_unit(struct sample_random *r)
{
    return (double)(sample_next(r) >> 11) * 0x1p-53;
}

/* ---- what generators share ---- */

/* One evaluation. */
struct job {
    struct sample_context *c;
    const struct sample_table *t;
    struct sample_row *row;
    const struct recipe *e;
    struct sample_random random;
};

struct sample_generator {
    const char *name;
    struct sample_value (*make)(struct job *j);
    char operation; /* of those that compute with two fields */
};

static const struct sample_value none = {.kind = VALUE_NULL};

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

static int64_t day_of(int64_t ymd)
{
    return sample_days((int)(ymd / 10000), (int)(ymd / 100 % 100), (int)(ymd % 100));
}

static struct sample_value number(int64_t n, int places)
{
    return (struct sample_value){.kind = VALUE_NUMBER, .n = n, .places = places};
}

static struct sample_value text_of(struct odp_slice s)
{
    return (struct sample_value){.kind = VALUE_TEXT, .text = s};
}

static struct sample_value of_kind(enum value_kind kind, int64_t n)
{
    return (struct sample_value){.kind = kind, .n = n};
}

/* The recipe is wrong: WHAT is, with the name NAME. */
static struct sample_value wrong(struct job *j, const char *what, const char *name)
{
    sample_bad(j->c, "%s.%s: %s%s", j->t->recipe->slug, j->e->name, what, name);
    return none;
}

/* Text kept in the row. */
static struct sample_value store_text(struct job *j, struct odp_slice s)
{
    char *at = j->row->text + j->row->used;
    if (s.len > SAMPLE_TEXT - j->row->used)
        return wrong(j, "more text than a row keeps", "");
    if (s.len > 0)
        memcpy(at, s.ptr, s.len);
    j->row->used += s.len;
    return text_of((struct odp_slice){at, s.len});
}

/* The next word of *S, up to a space. */
static struct odp_slice word(const char **s)
{
    while (**s == ' ')
        (*s)++;
    struct odp_slice w = {*s, strcspn(*s, " ")};
    *s += w.len;
    return w;
}

static const struct sample_value *field_value(const struct job *j, struct odp_slice name)
{
    size_t i = sample_entry_find(j->t->recipe, name);
    return i != SIZE_MAX ? &j->row->v[i] : &none;
}

/* Of the field that the entry's argument names. */
static const struct sample_value *argument(const struct job *j)
{
    return field_value(j, odp_slice_of(j->e->arg));
}

static int64_t in_range(struct job *j)
{
    return sample_range(&j->random, j->e->lo, j->e->hi);
}

/* WEIGHTS: whole numbers with spaces between; NULL: all alike. */
static size_t weighted(struct job *j, const char *weights, size_t n)
{
    uint64_t total = 0, w[64];
    if (weights == NULL)
        return (size_t)(sample_next(&j->random) % n);
    for (size_t i = 0; i < n && i < 64; i++) {
        w[i] = strtoull(word(&weights).ptr, NULL, 10); /* 0 after the last */
        total += w[i];
    }
    uint64_t at = sample_next(&j->random) % (total > 0 ? total : 1);
    size_t i = 0;
    while (i + 1 < n && i < 63 && at >= w[i])
        at -= w[i++];
    return i;
}

static struct sample_value item(struct odp_slice text, size_t category)
{
    struct sample_value v = text_of(text);
    v.category = category;
    return v;
}

/* The categories of the entry's field; n may be 0. */
static struct sample_words categories(const struct job *j)
{
    const struct sample_field *f = j->t->of[j->e->slot];
    return f != NULL ? f->categories : (struct sample_words){NULL, 0};
}

/* ---- templates ---- */

/* A number of N digits that differs for every row below 10^N: the row times a constant coprime to 10. */
static uint64_t unique_digits(uint64_t index, int n)
{
    return (index * UINT64_C(7640891) + UINT64_C(1234567)) % (uint64_t)power10(n);
}

static void digits(struct odp_buffer *b, uint64_t v, int width)
{
    odp_buffer_printf(b, "%0*llu", width, (unsigned long long)v);
}

static void placeholder(struct job *j, struct odp_slice p, struct odp_buffer *b)
{
    long long x = 0, y = 0;
    int width = 0;
    char name[64], eight[24];
    size_t slot = sample_entry_find(j->t->recipe, p);
    (void)snprintf(name, sizeof name, "%.*s", (int)p.len, p.ptr);
    if (slot != SIZE_MAX) {
        sample_canonical(&j->row->v[slot], b);
    } else if (sscanf(name, "#%d", &width) == 1) {
        digits(b, j->row->index + 1, width);
    } else if (sscanf(name, "9:%d", &width) == 1) {
        digits(b, sample_next(&j->random) % (uint64_t)power10(width), width);
    } else if (sscanf(name, "u:%d", &width) == 1) {
        digits(b, unique_digits(j->row->index, width), width);
    } else if (sscanf(name, "v:%lld:%lld", &x, &y) == 2) {
        (void)snprintf(eight, sizeof eight, "%08llu", (unsigned long long)unique_digits(j->row->index, 8));
        odp_buffer_add(b, eight + x, (size_t)(y - x));
    } else if (sscanf(name, "r:%lld:%lld", &x, &y) == 2 ||
               sscanf(name, "r%d:%lld:%lld", &width, &x, &y) == 3) {
        digits(b, (uint64_t)sample_range(&j->random, x, y), width);
    } else if (name[0] == '@' && sample_list_find(name + 1) != NULL) {
        odp_buffer_add_slice(b, sample_list_word(sample_list_find(name + 1), sample_next(&j->random)));
    } else {
        (void)wrong(j, "no field or list ", name);
    }
}

static struct sample_value filled(struct job *j)
{
    struct odp_buffer *b = &j->c->scratch; /* a template never makes another row */
    odp_buffer_clear(b);
    for (const char *p = j->e->arg;;) {
        size_t n = strcspn(p, "{");
        odp_buffer_add(b, p, n);
        p += n;
        if (*p == '\0')
            break;
        size_t len = strcspn(p + 1, "}");
        placeholder(j, (struct odp_slice){p + 1, len}, b);
        p += len + 2;
    }
    sample_note(j->c, odp_buffer_status(b));
    return store_text(j, odp_buffer_slice(b));
}

/* ---- codes and lists ---- */
static struct sample_value region(struct job *j)
{
    const struct sample_code_list *l = sample_code_list(j->c, "kabkota");
    for (int tries = 0; l != NULL && tries < 10000; tries++) {
        struct odp_slice code = l->codes.item[sample_next(&j->random) % l->codes.n];
        bool fits = j->e->arg == NULL;
        for (const char *p = j->e->arg; p != NULL && *p != '\0' && !fits;)
            fits = memcmp(word(&p).ptr, code.ptr, 2) == 0;
        if (fits)
            return text_of(code);
    }
    return wrong(j, "no region of ", j->e->arg);
}

/* Code PICK of LIST; SIZE_MAX: a random one. */
static struct sample_value code_of(struct job *j, const char *list, size_t pick)
{
    const struct sample_code_list *l = sample_code_list(j->c, list);
    if (l == NULL)
        return none;
    if (pick == SIZE_MAX)
        pick = weighted(j, j->e->form, l->codes.n);
    return item(l->codes.item[pick % l->codes.n], pick);
}

static struct sample_value code(struct job *j)
{
    return code_of(j, j->e->arg, SIZE_MAX);
}

static struct sample_value province(struct job *j)
{
    if (j->e->arg == NULL)
        return code_of(j, "provinsi", SIZE_MAX);
    const struct sample_value *v = argument(j);
    return v->kind == VALUE_TEXT ? text_of((struct odp_slice){v->text.ptr, 2}) : none;
}

/* The name of a code, in capitals as in the decree: kept so. */
static struct sample_value name_of(struct job *j)
{
    const char *p = j->e->arg;
    char slug[64];
    struct odp_slice list = word(&p), code = field_value(j, word(&p))->text;
    (void)snprintf(slug, sizeof slug, "%.*s", (int)list.len, list.ptr);
    for (size_t i = 0; i < j->c->ncode_lists; i++) {
        const struct sample_code_list *l = &j->c->code_list[i];
        for (size_t k = 0; strcmp(l->slug, slug) == 0 && k < l->codes.n; k++)
            if (odp_slice_eq(l->codes.item[k], code))
                return text_of(l->names.item[k]);
        if (strcmp(l->slug, slug) == 0)
            return none;
    }
    return wrong(j, "not in use yet: the list ", slug);
}

/* One of the field's categories or enum, by weights. */
static struct sample_value pick(struct job *j)
{
    struct sample_words own = categories(j);
    if (own.n == 0)
        return wrong(j, "nothing to choose from", "");
    size_t k = weighted(j, j->e->arg, own.n);
    return item(own.item[k], k);
}

static struct sample_value listed(struct job *j)
{
    const json_t *l = sample_list_find(j->e->arg);
    if (l == NULL)
        return wrong(j, "no list ", j->e->arg);
    size_t k = (size_t)(sample_next(&j->random) % json_array_size(l));
    return item(sample_list_word(l, k), k);
}

static struct sample_value axis(struct job *j)
{
    size_t k = (size_t)(j->row->index / (uint64_t)j->e->lo % (uint64_t)j->e->hi);
    const char *a = j->e->arg, *rest = strchr(a, ':');
    char buf[32];
    rest = rest != NULL ? rest + 1 : "";
    if (strcmp(a, "kabkota") == 0 || strcmp(a, "provinsi") == 0)
        return code_of(j, a, k);
    if (strcmp(a, "number") == 0)
        return number((int64_t)k + 1, 0);
    if (strncmp(a, "year:", 5) == 0)
        return number(strtoll(rest, NULL, 10) + (int64_t)k, 0);
    if (strncmp(a, "quarter:", 8) == 0)
        return of_kind(VALUE_DATE, sample_days(atoi(rest) + (int)k / 4, (int)(k % 4) * 3 + 1, 1));
    if (strncmp(a, "code:", 5) == 0) {
        (void)snprintf(buf, sizeof buf, "%s%02zu", rest, k + 1);
        return store_text(j, odp_slice_of(buf));
    }
    struct sample_words own = categories(j);
    const json_t *l = sample_list_find(rest);
    if (strcmp(a, "pick") == 0 && own.n > 0)
        return item(own.item[k % own.n], k % own.n);
    return l != NULL ? item(sample_list_word(l, k), k % json_array_size(l)) : wrong(j, "unknown axis ", a);
}

/* ---- parents ---- */
static struct sample_value copy_from(struct job *j, const struct sample_table *parent, const char *field)
{
    struct sample_row row;
    size_t slot = sample_entry_find(parent->recipe, odp_slice_of(field)), last = slot;
    if (slot == SIZE_MAX)
        return wrong(j, "its parent has no field ", field);
    for (size_t i = slot; i < parent->recipe->nfields; i++)
        if (parent->recipe->fields[i].slot == slot)
            last = i;
    sample_row_make(j->c, parent, j->row->parent_index, last, &row);
    return row.v[slot].kind == VALUE_TEXT ? store_text(j, row.v[slot].text) : row.v[slot];
}

static const struct recipe_table *table_named(struct odp_slice slug, struct odp_slice resource)
{
    for (size_t i = 0; i < sample_nrecipes; i++)
        if (odp_slice_is(slug, sample_recipes[i].slug) && odp_slice_is(resource, sample_recipes[i].resource))
            return &sample_recipes[i];
    return NULL;
}

static struct sample_value reference(struct job *j)
{
    const char *a = j->e->arg, *slash = strchr(a, '/'), *dot = strchr(a, '.');
    const struct recipe_table *r = table_named((struct odp_slice){a, (size_t)(slash - a)},
                                               (struct odp_slice){slash + 1, (size_t)(dot - slash) - 1});
    if (r == NULL)
        return wrong(j, "no recipe ", a);
    struct sample_table *parent = sample_table_open(j->c, r);
    if (!sample_going(j->c))
        return none;
    uint64_t rows = (uint64_t)r->rows, at;
    if (j->c->parent_limit != 0 && j->c->parent_limit < rows)
        rows = j->c->parent_limit;
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
    return copy_from(j, parent, dot + 1);
}

static struct sample_value from_parent(struct job *j)
{
    return j->row->parent != NULL ? copy_from(j, j->row->parent, j->e->arg) : wrong(j, "no parent", "");
}

/* ---- numbers ---- */
static struct sample_value drawn(struct job *j)
{
    if (!j->e->skew)
        return number(in_range(j), j->e->places);
    double u = sample_unit(&j->random); /* its cube: small values more often */
    return number(j->e->lo + (int64_t)((double)(j->e->hi - j->e->lo) * u * u * u), j->e->places);
}

static int64_t rescale(int64_t n, int from, int to)
{
    for (; from < to; from++)
        n *= 10;
    for (; from > to; from--)
        n = (n + (n >= 0 ? 5 : -5)) / 10;
    return n;
}

static struct sample_value arithmetic(struct job *j)
{
    const char *p = j->e->arg;
    const struct sample_value *a = field_value(j, word(&p)), *b = field_value(j, word(&p));
    if (a->kind != VALUE_NUMBER || b->kind != VALUE_NUMBER)
        return none;
    int places = a->places > b->places ? a->places : b->places;
    int64_t x = rescale(a->n, a->places, places), y = rescale(b->n, b->places, places);
    switch (j->e->gen->operation) {
    case '+':
        return number(x + y, places);
    case '-':
        return number(x - y, places);
    case '*':
        return number(a->n * b->n, a->places + b->places);
    case '>':
        return of_kind(VALUE_BOOL, x > y);
    case '=':
        return of_kind(VALUE_BOOL, x >= y);
    default: /* a ratio, half up */
        if (y == 0)
            return none;
        return number((int64_t)(100.0 * (double)power10(j->e->places) * (double)x / (double)y + 0.5),
                      j->e->places);
    }
}

static struct sample_value share(struct job *j)
{
    const struct sample_value *a = argument(j);
    int64_t per = in_range(j);
    if (a->kind != VALUE_NUMBER)
        return none;
    /* Rounded down, so that a share below 1000 never exceeds the whole. */
    int64_t n = rescale(a->n, a->places, a->places > j->e->places ? a->places : j->e->places);
    int64_t part = n / 1000 * per + n % 1000 * per / 1000;
    for (int d = a->places; d > j->e->places; d--)
        part /= 10;
    return number(part, j->e->places);
}

static struct sample_value step(struct job *j)
{
    const char *p = j->e->arg;
    struct sample_words own = categories(j);
    double v = sample_number(field_value(j, word(&p)));
    size_t k = 0;
    while (*p != '\0')
        k += v >= (double)strtoll(word(&p).ptr, NULL, 10);
    return k < own.n ? item(own.item[k], k) : wrong(j, "too few categories", "");
}

static struct sample_value match(struct job *j)
{
    size_t k = argument(j)->category;
    const json_t *l = sample_list_find(j->e->form);
    const struct sample_field *f = j->t->of[j->e->slot];
    if (k >= json_array_size(l))
        return wrong(j, "too short: the list ", j->e->form);
    struct odp_slice w = sample_list_word(l, k);
    return f != NULL && f->type == FORM_TEXT ? text_of(w) : number(strtoll(w.ptr, NULL, 10), 0);
}

/* PPKKCC DDMMYY NNNN; 9,999 and 17,897 are coprime, so birthday and serial together differ for 178 million
 * rows. */
static struct sample_value nik(struct job *j)
{
    struct odp_slice r = argument(j)->text;
    struct odp_datetime t = sample_civil(sample_days(1955, 1, 1) + (int64_t)(j->row->index * 7919 % 17897));
    int day = sample_next(&j->random) % 2 == 0 ? t.day + 40 : t.day; /* women */
    char buf[64];
    r = r.len >= 5 ? r : ODP_LIT("31.71");
    (void)snprintf(buf, sizeof buf, "%.2s%.2s%02d%02d%02d%02d%04d", r.ptr, r.ptr + 3,
                   (int)sample_range(&j->random, 1, 20), day, t.month, t.year % 100,
                   (int)(j->row->index % 9999) + 1);
    return store_text(j, odp_slice_of(buf));
}

/* ---- time and truth ---- */
static struct sample_value date(struct job *j)
{
    return of_kind(VALUE_DATE, sample_range(&j->random, day_of(j->e->lo), day_of(j->e->hi)));
}

static struct sample_value time_of(struct job *j)
{
    int hours = 7;
    if (j->e->arg != NULL) {
        const char *code = argument(j)->text.ptr;
        hours = sample_province_of(code != NULL ? code : "").offset;
    }
    int64_t local =
        sample_range(&j->random, day_of(j->e->lo) * 86400, day_of(j->e->hi) * 86400 + 86399 - 600);
    return (struct sample_value){.kind = VALUE_TIME, .n = local - hours * 3600, .offset = hours * 60};
}

static struct sample_value later(struct job *j)
{
    struct sample_value v = *argument(j);
    int64_t by = in_range(j);
    if (v.kind == VALUE_DATE)
        v.n += by;
    else if (v.kind == VALUE_TIME)
        v.n += by * 60 + (by != 0 && j->e->lo >= 0 ? sample_range(&j->random, 0, 59) : 0);
    return v;
}

static struct sample_value year_of(struct job *j)
{
    const struct sample_value *v = argument(j);
    return v->kind == VALUE_DATE ? number(sample_civil(v->n).year, 0) : none;
}

static struct sample_value truth(struct job *j)
{
    return of_kind(VALUE_BOOL, sample_range(&j->random, 0, 999) < j->e->lo);
}

static struct sample_value nothing(struct job *j)
{
    return none;
}

/* README.md says which members of its entry each reads. */
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
    {"code", code, 0},
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
    for (size_t i = 0; i < ODP_COUNT(generators); i++)
        if (strcmp(generators[i].name, name) == 0)
            return &generators[i];
    return NULL;
}

/* ---- rows ---- */

/* "field=a,b" or "field!=a,b"; null is "". */
bool sample_row_holds(const struct sample_table *t, const struct sample_row *row, const char *when)
{
    size_t len = strcspn(when, "!="), at = sample_entry_find(t->recipe, (struct odp_slice){when, len});
    bool negative = when[len] == '!';
    const struct sample_value *v = at != SIZE_MAX ? &row->v[at] : &none;
    char buf[32] = "";
    if (v->kind == VALUE_BOOL)
        (void)snprintf(buf, sizeof buf, "%s", v->n != 0 ? "true" : "false");
    else if (v->kind != VALUE_NULL)
        (void)snprintf(buf, sizeof buf, "%lld", (long long)v->n);
    struct odp_slice is = v->kind == VALUE_TEXT ? v->text : odp_slice_of(buf);
    for (const char *p = when + len + (negative ? 2 : 1);; p++) {
        size_t n = strcspn(p, ",");
        if (odp_slice_eq((struct odp_slice){p, n}, is))
            return !negative;
        p += n;
        if (*p == '\0')
            return negative;
    }
}

struct sample_value sample_value_make(struct sample_context *c, const struct sample_table *t,
                                      struct sample_row *row, const struct recipe *e)
{
    struct job j = {.c = c, .t = t, .row = row, .e = e};
    uint64_t seed = e->keyed ? 0 : c->seed, draw = row->index / (e->every != 0 ? (uint64_t)e->every : 1);
    j.random.state = sample_mix(seed + UINT64_C(0x9e3779b97f4a7c15)) ^ e->stream;
    j.random.state = sample_mix(j.random.state + draw * UINT64_C(0xd1342543de82ef95));
    bool empty = e->nulls != 0 && sample_next(&j.random) % 1000 < (uint64_t)e->nulls;
    struct sample_value v = e->gen->make(&j);
    return empty ? none : v;
}

void sample_row_make(struct sample_context *c, const struct sample_table *t, uint64_t index, size_t upto,
                     struct sample_row *row)
{
    row->index = index;
    row->used = 0;
    row->parent = NULL;
    row->parent_index = 0;
    for (size_t i = 0; i < t->recipe->nfields && i <= upto && sample_going(c); i++) {
        const struct recipe *e = &t->recipe->fields[i];
        if (e->slot == i)
            row->v[i] = none;
        if (e->when == NULL || sample_row_holds(t, row, e->when))
            row->v[e->slot] = sample_value_make(c, t, row, e);
    }
}
