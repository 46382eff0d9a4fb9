/* What each dataset's sample holds (recipes.json) and the words it is made of (words.json), both compiled in
 * and read once. */
#include "sample.h"

#include <stdlib.h>

#include "base/json_load.h"

extern const unsigned char sample_recipes_json[], sample_words_json[];

struct recipe_table *sample_recipes;
size_t sample_nrecipes;

static json_t *recipes, *words;

static json_t *load(const unsigned char *text)
{
    json_error_t e;
    return odp_json_load((const char *)text, strlen((const char *)text), 0, &e);
}

/* Whoever changes the JSON files sees at once where they are wrong: every run reads all of them. */
static enum odp_status wrong(const char *where, const json_error_t *e)
{
    return odp_failure_set(where, e->text, 0);
}

static enum odp_status read_entry(json_t *j, struct recipe *e)
{
    json_error_t fault;
    json_int_t lo = 0, hi = 0;
    int skew = 0, keyed = 0;
    const char *gen = "";
    if (json_unpack_ex(j, &fault, JSON_STRICT, "{s:s, s:s, s?s, s?[II], s?i, s?i, s?i, s?b, s?b, s?s, s?s}",
                       "name", &e->name, "gen", &gen, "arg", &e->arg, "range", &lo, &hi, "places", &e->places,
                       "nulls", &e->nulls, "every", &e->every, "skew", &skew, "keyed", &keyed, "when",
                       &e->when, "form", &e->form) != 0)
        return wrong("recipes.json: an entry", &fault);
    e->lo = lo;
    e->hi = hi;
    e->skew = skew != 0;
    e->keyed = keyed != 0;
    e->gen = sample_generator_find(gen);
    return e->gen != NULL ? ODP_OK : odp_failure_set("recipes.json: no generator is called", gen, 0);
}

static enum odp_status read_entries(struct odp_arena *a, json_t *array, struct recipe **out, size_t *n)
{
    *n = json_array_size(array);
    *out = odp_arena_zero(a, *n + 1, sizeof **out);
    enum odp_status s = *out != NULL ? ODP_OK : ODP_FAIL;
    for (size_t i = 0; i < *n && s == ODP_OK; i++)
        s = read_entry(json_array_get(array, i), &(*out)[i]);
    return s;
}

static enum shape shape_of(const char *name)
{
    static const char *const names[] = {"none", "point", "line", "polygon"};
    size_t i = sizeof names / sizeof *names;
    while (--i > 0 && strcmp(names[i], name) != 0)
        ;
    return (enum shape)i;
}

static enum odp_status read_table(struct odp_arena *a, json_t *j, struct recipe_table *r)
{
    json_error_t fault;
    json_int_t rows = 0, max = 0, per = 0;
    int bom = 0, quote_all = 0;
    const char *shape = "";
    json_t *fields, *breaks;
    if (json_unpack_ex(j, &fault, JSON_STRICT,
                       "{s:s, s:s, s:I, s?I, s?I, s?s, s?b, s?b, s?s, s?i, s?s, s?s, s:o, s:o}", "slug",
                       &r->slug, "resource", &r->resource, "rows", &rows, "max", &max, "per", &per,
                       "preamble", &r->preamble, "bom", &bom, "quote_all", &quote_all, "shape", &shape,
                       "zone", &r->zone, "size_field", &r->size_field, "region_field", &r->region_field,
                       "fields", &fields, "breaks", &breaks) != 0)
        return wrong("recipes.json: a table", &fault);
    r->rows = (uint64_t)rows;
    r->max = (uint64_t)max;
    r->per = (uint64_t)per;
    r->bom = bom != 0;
    r->quote_all = quote_all != 0;
    r->shape = shape_of(shape);
    enum odp_status s = read_entries(a, fields, &r->fields, &r->nfields);
    return s == ODP_OK ? read_entries(a, breaks, &r->breaks, &r->nbreaks) : s;
}

enum odp_status sample_recipes_load(struct odp_arena *a)
{
    recipes = load(sample_recipes_json);
    words = load(sample_words_json);
    sample_nrecipes = json_array_size(recipes);
    sample_recipes = odp_arena_zero(a, sample_nrecipes + 1, sizeof *sample_recipes);
    if (sample_nrecipes == 0 || words == NULL || sample_recipes == NULL)
        return odp_failure_set("read recipes.json and words.json", NULL, 0);
    enum odp_status s = ODP_OK;
    for (size_t i = 0; i < sample_nrecipes && s == ODP_OK; i++)
        s = read_table(a, json_array_get(recipes, i), &sample_recipes[i]);
    return s;
}

void sample_recipes_release(void)
{
    json_decref(recipes);
    json_decref(words);
}

const struct recipe_table *sample_recipe_find(const char *slug, size_t len, const char *resource, size_t rlen)
{
    for (size_t i = 0; i < sample_nrecipes; i++) {
        const struct recipe_table *r = &sample_recipes[i];
        if (odp_slice_is((struct odp_slice){slug, len}, r->slug) &&
            odp_slice_is((struct odp_slice){resource, rlen}, r->resource))
            return r;
    }
    return NULL;
}

bool sample_list_find(const char *name, struct sample_list *out)
{
    *out = (struct sample_list){json_object_get(json_object_get(words, "lists"), name), 0};
    out->n = json_array_size(out->array);
    return out->n > 0;
}

struct odp_slice sample_list_word(const struct sample_list *l, size_t i)
{
    return odp_slice_of(json_string_value(json_array_get(l->array, i)));
}

struct sample_province sample_province_of(const char *code)
{
    const char two[] = {code[0], code[0] != '\0' ? code[1] : '\0', '\0'};
    json_t *all = json_object_get(words, "provinces"), *found = json_object_get(all, two);
    struct sample_province p = {0};
    if (found == NULL) /* a province newer than this table: somewhere on Java */
        found = json_object_get(all, "32");
    (void)json_unpack(found, "[F, F, F, i]", &p.lon, &p.lat, &p.spread, &p.offset);
    return p;
}
