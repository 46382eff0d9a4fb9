/* Kode referensi dan data induk (article 7): which coded fields refer to a shared list or to master data, and which look like codes but refer to nothing. */
#include "site/score/score_internal.h"

static bool begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

static bool ends(const char *s, const char *with)
{
    size_t n = strlen(s), m = strlen(with);
    return n >= m && strcmp(s + n - m, with) == 0;
}

/* By its name: kode, kode_satker, kd_prov, id_sensor, satker_kode. */
static bool is_called_a_code(const struct odp_field *f)
{
    static const char *const first[] = {"kode_", "kd_", "id_", "code_"}, *const last[] = {"_kode", "_kd", "_id", "_code"};
    bool yes = strcmp(f->name, "kode") == 0;
    if (f->type != ODP_TYPE_STRING && f->type != ODP_TYPE_INTEGER)
        return false;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        yes = yes || begins(f->name, first[i]) || ends(f->name, last[i]);
    return yes;
}

/* What identifies the records themselves refers to nothing. */
static bool is_own_key(const struct odp_resource *r, uint32_t field)
{
    bool own = score_in_key(&r->schema.primary, field) || r->schema.fields[field].constraints.unique;
    for (size_t i = 0; i < r->schema.nunique; i++)
        own = own || score_in_key(&r->schema.unique[i], field);
    return own;
}

/* A code list of the catalogue whose name is in the field's: kode_kabkota, references/kabkota. NULL: none. */
static const char *likely_list(const struct scoring *s, const struct odp_field *f)
{
    for (size_t i = 0; i < s->catalog->nreferences; i++) {
        const char *slug = s->catalog->references[i].slug, *name = strrchr(slug, '/');
        char plain[64];
        size_t n = name != NULL ? strlen(name + 1) : 0;
        if (n < 4 || n >= sizeof plain)
            continue;
        for (size_t k = 0; k <= n; k++)
            plain[k] = name[1 + k] == '-' ? '_' : name[1 + k];
        if (strstr(f->name, plain) != NULL)
            return slug;
    }
    return NULL;
}

static struct odp_text what_to_do(struct scoring *s, const struct odp_field *f)
{
    const char *list = likely_list(s, f);
    if (list != NULL)
        return score_text(s, "belum mengacu; mungkin daftar {1}: tambahkan pada \"odp:foreignKeys\" dalam dataset.json",
                          "refers to nothing; perhaps list {1}: add it to \"odp:foreignKeys\" in dataset.json", list);
    if (f->ncategories > 0)
        return (struct odp_text){{"kategori sendiri, belum dari daftar kode bersama: jadikan daftar dalam references/, lalu \"odp:foreignKeys\" dalam dataset.json",
                                  "categories of its own, not of a shared code list: make it a list in references/, then \"odp:foreignKeys\" in dataset.json"}};
    return (struct odp_text){{"tampak seperti kode, tetapi tidak mengacu pada daftar kode atau data induk: tambahkan \"odp:foreignKeys\" dalam dataset.json",
                              "looks like a code, but refers to no code list or master data: add \"odp:foreignKeys\" to dataset.json"}};
}

static void add_field(struct scoring *s, const struct odp_resource *r, uint32_t field)
{
    const struct odp_field *f = &r->schema.fields[field];
    const struct odp_foreign_key *list = score_foreign(r, field, true), *master = score_foreign(r, field, false);
    bool coded = f->ncategories > 0 || is_called_a_code(f);
    if (!f->is_public || (list == NULL && master == NULL && (!coded || is_own_key(r, field))))
        return;
    const char *name = r->primary ? f->name : odp_arena_printf(s->arena, "%s.%s", r->name, f->name);
    struct odp_text note = list != NULL    ? score_text(s, "mengacu pada daftar kode {1}", "refers to code list {1}", list->label)
                           : master != NULL ? score_text(s, "mengacu pada data induk {1}", "refers to master data {1}", master->label)
                                            : what_to_do(s, f);
    score_item(s, name, (struct odp_text){{name, name}}, list != NULL || master != NULL, 1, note);
}

void score_codes(struct scoring *s, struct odp_score *score)
{
    const struct odp_dataset *d = s->dataset;
    size_t most = 0;
    for (size_t i = 0; i < d->nresources; i++)
        most += d->resources[i].schema.n;
    score_begin(s, score, ODP_PRINCIPLE_CODES, "codes", (struct odp_text){{"Kode referensi dan data induk", "Reference codes and master data"}}, most);
    for (size_t i = 0; i < d->nresources; i++)
        for (uint32_t k = 0; k < d->resources[i].schema.n; k++)
            add_field(s, &d->resources[i], k);
    score_end(s);
}
