/* Subject areas: what the portal's home page groups datasets by, and DCAT's themes. */
#include "catalog/catalog_internal.h"

enum { SUBJECTS_MAX = 100, OF_DATASET_MAX = 10, TITLE_MAX = 80 };

static void read_subject(struct node n, struct odp_portal *p)
{
    static const char *const known[] = {"name", "title", "theme", NULL};
    /* http://publications.europa.eu/resource/authority/data-theme */
    static const char *const themes[] = {"AGRI", "ECON", "EDUC", "ENER", "ENVI", "GOVE", "HEAL", "INTR", "JUST", "REGI", "SOCI", "TECH", "TRAN", NULL};
    if (!node_is_object(n))
        return;
    node_known(n, known, true);
    struct node name = node_need(n, "name", "string");
    struct odp_subject s = {.name = node_string(name)};
    node_line(node_need(n, "title", "{\"id\", \"en\"}"), TITLE_MAX, &s.title);
    int theme = node_choice(node_get(n, "theme"), themes);
    s.theme = theme >= 0 ? themes[theme] : NULL;
    if (s.name == NULL || !name_check(name, s.name, false))
        return;
    for (size_t i = 0; i < p->nsubjects; i++)
        if (strcmp(p->subjects[i].name, s.name) == 0) {
            node_fault(name, ODP_C08, s.name, NULL);
            return;
        }
    p->subjects[p->nsubjects++] = s;
}

void subjects_read(struct node n, struct odp_portal *p)
{
    if (!node_is_array(n))
        return;
    if (json_array_size(n.json) > SUBJECTS_MAX) {
        node_fault(n, ODP_C04, NULL, "[…] ≤ 100");
        return;
    }
    p->subjects = doc_zero(n.doc, json_array_size(n.json), sizeof *p->subjects);
    for (struct node_iter it = node_iterate(n); p->subjects != NULL && node_next(&it);)
        read_subject(it.item, p);
}

static void unknown_subject(struct node n, const struct odp_portal *p, const char *name)
{
    const char *texts[SUBJECTS_MAX];
    for (size_t i = 0; i < p->nsubjects; i++) {
        texts[i] = p->subjects[i].name;
    }
    node_fault_near(n, ODP_C27, name, doc_join(n.doc, texts, p->nsubjects), odp_word_nearest(odp_slice_of(name), texts, p->nsubjects));
}

void dataset_subjects_read(struct node n, const struct odp_portal *p, struct odp_dataset *d)
{
    if (!node_is_array(n))
        return;
    if (json_array_size(n.json) > OF_DATASET_MAX) {
        node_fault(n, ODP_C04, NULL, "[…] ≤ 10");
        return;
    }
    d->subjects = doc_zero(n.doc, json_array_size(n.json), sizeof *d->subjects);
    for (struct node_iter it = node_iterate(n); d->subjects != NULL && node_next(&it);) {
        const char *name = node_string(it.item);
        const struct odp_subject *found = NULL;
        for (size_t i = 0; name != NULL && i < p->nsubjects; i++)
            found = strcmp(p->subjects[i].name, name) == 0 ? &p->subjects[i] : found;
        bool seen = false;
        for (size_t i = 0; i < d->nsubjects; i++)
            seen = seen || d->subjects[i] == found;
        if (name != NULL && found == NULL)
            unknown_subject(it.item, p, name);
        else if (found != NULL && seen)
            node_fault(it.item, ODP_C08, name, NULL);
        else if (found != NULL)
            d->subjects[d->nsubjects++] = found;
    }
}
