/* Inside of metadata: what a member is, and what a dataset has of it. */
#pragma once

#include "base/buffer.h"
#include "metadata/metadata.h"
#include "words/metadata.h"

enum member_of { OF_PORTAL, OF_DATASET, OF_FIELD, OF_CATEGORY };
enum member_kind {
    MEMBER_LINE,
    MEMBER_LONG,
    MEMBER_WORDS,    /* ["a", "b"], written "a, b" */
    MEMBER_CODE,     /* of odp:frequency */
    MEMBER_SUBJECTS, /* names of the portal's subjects, written "a, b" */
    MEMBER_DAY,
    MEMBER_EMAIL,
    MEMBER_URL,
    MEMBER_STATUS /* of a draft: "draft", or nothing: published from now on */
};

struct member {
    enum member_of of;
    enum member_kind kind;
    const char *name; /* "title": of controls and columns */
    const char *in;   /* the member of the object that holds it, or NULL */
    const char *key;  /* "title" */
    const char *twin; /* "odp:title": in both languages, beside a plain text for other programs; or NULL */
    bool both;        /* in both languages */
    bool must;        /* may not be emptied */
    bool more;        /* Satu Data: shown apart */
    struct odp_text label, hint;
};
extern const struct member metadata_members[];
extern const size_t metadata_nmembers;

/* A member of one object of portal.json or dataset.json. Texts: "" where there is none; of a member in one
 * language the first. */
struct entry {
    const struct member *member;
    const struct odp_resource *resource; /* of fields and categories */
    const struct odp_field *field;
    const struct odp_category *category;
    const char *name;                        /* "kumuh/luas_ha/unit", unique in its list */
    const char *at;                          /* JSON pointer of the object, which may be missing */
    const char *value[ODP_LANGS];            /* as it is */
    const char *fresh[ODP_LANGS];            /* as a person wants it; NULL: nothing was said */
    const struct odp_text *fault[ODP_LANGS]; /* why that is not possible; NULL: it is */
    bool plain;                              /* one text for all languages */
    bool lacks[ODP_LANGS];                   /* it should be there */
};

struct entries {
    const struct odp_catalog *catalog;
    const struct odp_dataset *dataset; /* NULL: the portal */
    const json_t *json;                /* the document */
    const char *path;                  /* its file */
    struct odp_arena *arena;
    enum odp_lang first; /* the language of plain texts */
    struct entry *item;
    size_t n;
};

/* members.c: the entries of D, or of the portal, in the order of forms; all in A. */
void metadata_list(struct entries *l, const struct odp_catalog *c, const struct odp_dataset *d,
                   struct odp_arena *a);
static inline int entry_langs(const struct entry *e)
{
    return e->member->both ? ODP_LANGS : 1;
}
static inline const char *entry_wanted(const struct entry *e, int lang)
{
    return e->fresh[lang] != NULL ? e->fresh[lang] : e->value[lang];
}
/* "kumuh/luas_ha/unit.id"; of a member in one language its name alone. In the arena. */
const char *entry_control(const struct entries *l, const struct entry *e, int lang);
bool entry_changes(const struct entry *e);
/* "luas_ha", "timeline.luas_ha", "tingkat=Berat"; "" of the document itself. */
const char *entry_place(const struct entries *l, const struct entry *e);
/* Which of WORDS ("a, b") comes at *AT, trimmed; false: no more. */
bool metadata_word(const char **at, struct odp_slice *word);

/* answer.c: takes TEXT (any length, anything) for E in LANG, or says in e->fault why not. */
void entry_answer(const struct entries *l, struct entry *e, int lang, struct odp_slice text);

/* write.c: the document with what was said, proven against a tree that was changed the same way. BAD: the
 * file has changed since the catalogue was read. */
enum odp_status metadata_write(struct entries *l, bool dry) ODP_MUST_USE;

/* edit.c: JSON text and its tree, changed in step. */
struct edit {
    struct odp_buffer text;
    json_t *tree;
};
/* Sets KEY of the object at POINTER, or replaces that item of an array; a new member comes after AFTER, or
 * last. Takes VALUE; NULL: removes the member. */
void edit_set(struct edit *e, const char *pointer, const char *key, const char *after, json_t *value);
/* The value at POINTER (of our own keys) of the tree; NULL: none. */
json_t *edit_at(const struct edit *e, const char *pointer);
/* The text is valid, and says what the tree says. */
bool edit_holds(const struct edit *e);
