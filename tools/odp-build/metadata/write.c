/* What was said goes into the document: a plain text for other programs and both languages beside it, as the
 * document has it already. The file is replaced as a whole, or not at all. */
#include <errno.h>

#include "base/file_read.h"
#include "base/json_load.h"
#include "base/temporary.h"
#include "metadata/metadata_internal.h"

enum { LARGEST = 64 << 20 };

static json_t *value_of(const struct member *m, const char *text)
{
    struct odp_slice word;
    if (m->kind != MEMBER_WORDS && m->kind != MEMBER_SUBJECTS)
        return json_string(text);
    json_t *list = json_array();
    while (metadata_word(&text, &word))
        json_array_append_new(list, json_stringn(word.ptr, word.len));
    return list;
}

static json_t *both_of(const struct entry *e)
{
    json_t *o = json_object();
    for (int lang = 0; lang < ODP_LANGS; lang++)
        json_object_set_new(o, odp_lang_code((enum odp_lang)lang),
                            value_of(e->member, entry_wanted(e, lang)));
    return o;
}

/* A category that is a value alone becomes {value, label}; a holder that is missing is made. */
static const json_t *holder_of(struct edit *edit, const struct entries *l, const struct entry *e)
{
    const char *slash = strrchr(e->at, '/');
    if (*e->at == '\0')
        return edit->tree;
    const char *above = odp_arena_printf(l->arena, "%.*s", (int)(slash - e->at), e->at);
    const json_t *at = edit_at(edit, e->at);
    if (json_is_object(at))
        return at;
    edit_set(edit, above, slash + 1, NULL, at != NULL ? json_pack("{s:O}", "value", at) : json_object());
    return edit_at(edit, e->at);
}

static void write_entry(struct edit *edit, const struct entries *l, const struct entry *e)
{
    const struct member *m = e->member;
    const json_t *holder = holder_of(edit, l, e), *old = json_object_get(holder, m->key);
    const int first = m->both ? (int)l->first : 0, other = 1 - first;
    const char *plain =
        *entry_wanted(e, first) != '\0' || !m->both ? entry_wanted(e, first) : entry_wanted(e, other);
    const bool second = m->both && *entry_wanted(e, other) != '\0', object = json_is_object(old),
               twin = m->twin != NULL && json_object_get(holder, m->twin) != NULL;
    if (*plain == '\0') {
        edit_set(edit, e->at, m->key, NULL, NULL);
        if (twin)
            edit_set(edit, e->at, m->twin, NULL, NULL);
    } else if (object || (m->twin == NULL && second)) {
        edit_set(edit, e->at, m->key, NULL, both_of(e));
    } else {
        edit_set(edit, e->at, m->key, NULL, value_of(m, plain));
        if (twin || second)
            edit_set(edit, e->at, m->twin, m->key, both_of(e));
    }
}

/* The file is as the catalogue has read it. */
static enum odp_status read_document(const struct entries *l, struct edit *edit)
{
    int errnum = 0;
    enum odp_status status = odp_file_read(l->path, LARGEST, &edit->text, &errnum);
    if (status == ODP_BAD)
        return odp_failure_set("read", l->path, errnum);
    if (status == ODP_OK)
        edit->tree = odp_json_load(edit->text.ptr, edit->text.len, 0, NULL);
    return status == ODP_OK && !json_equal(edit->tree, l->json) ? ODP_BAD : status;
}

enum odp_status metadata_write(struct entries *l, bool dry)
{
    struct edit edit = {0};
    bool any = false;
    enum odp_status status = read_document(l, &edit);
    for (size_t i = 0; i < l->n && status == ODP_OK; i++)
        if (entry_changes(&l->item[i])) {
            write_entry(&edit, l, &l->item[i]);
            any = true;
        }
    if (status == ODP_OK)
        status = odp_buffer_status(&edit.text);
    if (status == ODP_OK && any && !edit_holds(&edit))
        status = odp_failure_set("edit", l->path, EINVAL);
    if (status == ODP_OK && any && !dry)
        status = odp_file_replace(l->path, odp_buffer_slice(&edit.text), 0644);
    json_decref(edit.tree);
    odp_buffer_release(&edit.text);
    return status;
}
