/* Subject areas: what the portal's home page groups datasets by, and DCAT's themes. */
#include "catalog/catalog_internal.h"

enum { SUBJECTS_MAX = 100, OF_DATASET_MAX = 10, TITLE_MAX = 80 };

static bool subject_read(struct node n, void *into)
{
    /* http://publications.europa.eu/resource/authority/data-theme */
    static const char *const themes[] = {"AGRI", "ECON", "EDUC", "ENER", "ENVI", "GOVE", "HEAL",
                                         "INTR", "JUST", "REGI", "SOCI", "TECH", "TRAN", NULL};
    static const struct key keys[] = {
        {"name", KEY_NAME, .at = AT(odp_subject, name), .need = "string"},
        {"title", KEY_LINE, .at = AT(odp_subject, title), .need = "{\"id\", \"en\"}", .most = TITLE_MAX},
        KNOWN("theme"),
    };
    struct odp_subject *s = into;
    if (!object_read(n, &TABLE(keys), s))
        return false;
    int theme = node_choice(node_get(n, "theme"), themes);
    s->theme = theme >= 0 ? themes[theme] : NULL;
    return s->name != NULL;
}

const struct list subject_list = {sizeof(struct odp_subject), AT(odp_portal, nsubjects), 0, SUBJECTS_MAX,
                                  .unique = "name",           .read = subject_read};

/* A portal.json that could not be read is the fault itself: its subjects are not known. */
static void unknown_subject(struct node n, const struct odp_portal *p, const char *name)
{
    const char *texts[SUBJECTS_MAX];
    if (p->base_url == NULL)
        return;
    for (size_t i = 0; i < p->nsubjects; i++)
        texts[i] = p->subjects[i].name;
    node_fault_near(n, ODP_C27, name, doc_join(n.doc, texts, p->nsubjects),
                    odp_word_nearest(odp_slice_of(name), texts, p->nsubjects));
}

bool dataset_subjects_read(struct node n, void *into)
{
    const struct odp_portal *p = n.doc->portal;
    struct odp_dataset *d = into;
    if (!list_fits(n, 0, OF_DATASET_MAX))
        return false;
    d->subjects = doc_zero(n.doc, json_array_size(n.json), sizeof *d->subjects);
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        const char *name = node_string(it.item);
        const struct odp_subject *found = NULL;
        bool seen = false;
        for (size_t i = 0; name != NULL && i < p->nsubjects; i++)
            found = strcmp(p->subjects[i].name, name) == 0 ? &p->subjects[i] : found;
        for (size_t i = 0; i < d->nsubjects; i++)
            seen = seen || d->subjects[i] == found;
        if (name != NULL && found == NULL)
            unknown_subject(it.item, p, name);
        else if (found != NULL && seen)
            node_fault(it.item, ODP_C08, name, NULL);
        else if (found != NULL)
            d->subjects[d->nsubjects++] = found;
    }
    return true;
}
