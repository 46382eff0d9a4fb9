/* Kode referensi dan data induk (article 7): which coded fields refer to a shared list or to master data, and
 * which look like codes but refer to nothing. */
#include "site/score/score_internal.h"

/* By its name: kode, kode_satker, kd_prov, id_sensor, satker_kode. */
static bool is_called_a_code(const struct odp_field *f)
{
    static const char *const words[] = {"kode", "kd", "id", "code"};
    const char *first = strchr(f->name, '_'), *last = strrchr(f->name, '_');
    bool yes = strcmp(f->name, "kode") == 0;
    if (f->type != ODP_TYPE_STRING && f->type != ODP_TYPE_INTEGER)
        return false;
    for (size_t i = 0; i < ODP_COUNT(words) && first != NULL; i++)
        yes = yes || strcmp(last + 1, words[i]) == 0 ||
              (strlen(words[i]) == (size_t)(first - f->name) &&
               strncmp(f->name, words[i], strlen(words[i])) == 0);
    return yes;
}

/* What identifies the records themselves refers to nothing. */
static bool is_own_key(const struct odp_resource *r, uint32_t field)
{
    bool own = odp_key_has(&r->schema.primary, field) || r->schema.fields[field].constraints.unique;
    for (size_t i = 0; i < r->schema.nunique; i++)
        own = own || odp_key_has(&r->schema.unique[i], field);
    return own;
}

/* A code list of the catalogue whose name is in the field's: kode_kabkota, references/kabkota. NULL: none. */
static const char *likely_list(const struct scoring *s, const struct odp_field *f)
{
    for (size_t i = 0; i < s->catalog->ndatasets; i++) {
        const struct odp_dataset *list = &s->catalog->datasets[i];
        char plain[64];
        size_t n = strlen(list->slug);
        if (!list->reference || n < 4 || n >= sizeof plain)
            continue;
        for (size_t k = 0; k <= n; k++)
            plain[k] = list->slug[k] == '-' ? '_' : list->slug[k];
        if (strstr(f->name, plain) != NULL)
            return list->path;
    }
    return NULL;
}

static struct odp_text what_to_do(struct scoring *s, const struct odp_field *f)
{
    const char *list = likely_list(s, f);
    if (list != NULL)
        return score_text(s, SCORE_TEXT(W_score_perhaps_list), SCORE_TEXT(list));
    return f->ncategories > 0 ? SCORE_TEXT(W_score_own_categories) : SCORE_TEXT(W_score_looks_like_code);
}

static const char *or_name(const struct odp_text *title, const char *name, int lang)
{
    const char *text = odp_text_get(title, (enum odp_lang)lang);
    return *text != '\0' ? text : name;
}

/* F as people call it; of a further table with the table's title: "Linimasa proyek: Status". */
static struct odp_text label_of(struct scoring *s, const struct odp_resource *r, const struct odp_field *f)
{
    struct odp_text label = {{NULL}};
    for (int lang = 0; lang < ODP_LANGS; lang++)
        label.in[lang] =
            odp_arena_printf(s->arena, "%s%s%s", r->primary ? "" : or_name(&r->title, r->name, lang),
                             r->primary ? "" : ": ", or_name(&f->title, f->name, lang));
    return label;
}

static void add_field(struct scoring *s, const struct odp_resource *r, uint32_t field)
{
    const struct odp_field *f = &r->schema.fields[field];
    const struct odp_foreign_key *list = score_foreign(r, field, true),
                                 *master = score_foreign(r, field, false);
    bool coded = f->ncategories > 0 || is_called_a_code(f);
    struct odp_text note;
    if (!f->is_public || (list == NULL && master == NULL && (!coded || is_own_key(r, field))))
        return;
    if (list != NULL)
        note = score_text(s, SCORE_TEXT(W_score_refers_to_list), list->target->dataset->title);
    else if (master != NULL)
        note = score_text(s, SCORE_TEXT(W_score_refers_to_master), master->target->dataset->title);
    else
        note = score_at(s, what_to_do(s, f), f);
    score_item(s, score_name(s, r, f), label_of(s, r, f),
               (const uint64_t[]){list != NULL || master != NULL, 1}, note);
}

void score_codes(struct scoring *s, struct odp_score *score)
{
    const struct odp_dataset *d = s->dataset;
    size_t most = 0;
    for (size_t i = 0; i < d->nresources; i++)
        most += d->resources[i].schema.n;
    score_begin(s, score, ODP_PRINCIPLE_CODES, SCORE_TEXT(W_score_codes), most);
    for (size_t i = 0; i < d->nresources; i++)
        for (uint32_t k = 0; k < d->resources[i].schema.n; k++)
            add_field(s, &d->resources[i], k);
    score_end(s);
}
