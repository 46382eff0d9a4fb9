/* Internal to tools/lib/catalog: a JSON document of the catalogue; readers report each fault in its place.
 *
 * A node is a value with its place in the text; an absent member is a node without value in its parent's
 * place, so that faults of absence point at the object. Readers report faults (C diagnostics) and mark the
 * document bad; out of memory marks it failed. Callers only ask "is it there": the marks are read once, at
 * the end. Strings are borrowed from the JSON tree, which lives as long as the catalogue. */
#pragma once

#include <stddef.h>

#include "base/buffer.h"
#include "base/refusal.h"
#include "catalog/model.h"

/* A catalogue's JSON trees and patterns (pcre2_code; pattern.c frees them). */
struct own_item {
    void *p;
    struct own_item *next;
};

struct catalog_own {
    struct odp_catalog c; /* first: odp_catalog_close gets this address */
    struct own_item *json, *patterns;
};

/* The catalogue takes P into LIST, which is one of the two. */
void own_add(struct catalog_own *own, struct own_item **list, void *p);
void own_patterns_free(struct catalog_own *own);

/* Places of all values in document order; the first child of a container follows it. */
struct place {
    uint32_t at, end;                      /* bytes of the value in the text */
    uint32_t line, column;                 /* from 1, column in characters */
    uint32_t key_at, key_line, key_column; /* of the member's name */
    uint32_t next;                         /* next sibling, 0: none */
};

struct doc {
    const char *file;                    /* as shown in messages */
    const char *name;                    /* "dataset.json": for `where` */
    const char *within;                  /* the folder that links may not lead out of; NULL: anywhere */
    const struct odp_portal *portal;     /* of a dataset: portal.json */
    const char *slug, *resource, *field; /* context of diagnostics, any may be NULL */
    struct odp_slice text;
    json_t *root;         /* NULL: could not be parsed (reported) */
    struct place *places; /* freed by doc_close */
    struct odp_diags *diags;
    struct odp_arena *arena; /* the catalogue's */
    struct catalog_own *own;
    const struct opening *opening;   /* catalog.c: what was read besides */
    const signed char *severity;     /* overrides of warnings, or NULL */
    const struct odp_schema *schema; /* the one at hand, for lists of its keys */
    bool bad, failed;
};

struct node {
    struct doc *doc;
    const json_t *json; /* NULL: absent */
    uint32_t place;
    const char *key; /* the property's name; items of an array have the array's */
};

struct node_iter {
    struct node item;
    void *member;        /* jansson's, objects */
    size_t index, count; /* arrays */
    uint32_t place;
    const json_t *of;
    bool started;
};

/* place.c: places of the values of TEXT, valid JSON. NULL: out of memory. */
struct place *places_scan(struct odp_slice text) ODP_MUST_USE;

/* doc.c. Reads PATH into D (slug, diags, arena and own are set by the caller). OK; BAD: reported, no root;
 * FAIL. */
enum odp_status doc_open(struct doc *d, const char *path, const char *name) ODP_MUST_USE;
/* Frees what only reading needs; text and tree stay with the catalogue. */
void doc_close(struct doc *d);

struct node doc_root(struct doc *d);
struct node node_get(struct node parent, const char *key);
/* KEY of a resource; where it does not say and is the FIRST, that of its dataset. */
struct node node_inherited(struct node resource, const char *key, bool first);
struct node_iter node_iterate(struct node container);
bool node_next(struct node_iter *it);
/* The value's text in the document. */
struct odp_slice node_literal(struct node n);
/* "dataset.json:58", in the arena. */
const char *node_where(struct node n);

/* Reports CODE at N in the words of MESSAGE: FORM is what is expected. */
void node_say(struct node n, enum odp_code code, const char *form, struct odp_text message);
/* Reports CODE at N. A0 NULL: N's key. PROPOSAL may be empty. */
void node_fault(struct node n, enum odp_code code, const char *a0, const char *a1);
void node_fault_near(struct node n, enum odp_code code, const char *a0, const char *a1, const char *proposal);
/* At the member's name rather than its value. */
void node_fault_key(struct node n, enum odp_code code, const char *a0, const char *a1);

/* C11 at the member's name, which only FORM may have. False: N is absent. */
bool node_misplaced(struct node n, const char *form);

/* Memory of the catalogue's arena. */
void *doc_zero(struct doc *d, size_t n, size_t size);
#define doc_printf(d, ...) odp_arena_printf((d)->arena, __VA_ARGS__)
/* A sentence in both languages, whose formats take the same arguments. */
#define doc_text(d, ...) odp_refusal_say((d)->arena, __VA_ARGS__)
struct odp_slice doc_copy(struct doc *d, struct odp_slice s);

/* values.c: N as a plain value. An absent one is silently NULL or false, a wrong one is C04. */
const char *node_string(struct node n);
bool node_is_object(struct node n);
bool node_is_array(struct node n);
bool node_bool(struct node n, bool absent);
bool node_int(struct node n, int64_t min, int64_t max, int64_t *out);
bool node_number(struct node n, double min, double max, double *out);
/* One ASCII character; 0 when absent, "" or wrong (reported; "" only where EMPTY is false). */
char node_char(struct node n, bool empty);
/* Index into CHOICES (ended by NULL), or -1: absent or reported as C05 with the nearest choice. */
int node_choice(struct node n, const char *const *choices);
/* The same; MEANT (or NULL) is proposed where no choice is near. */
int node_choice_meant(struct node n, const char *const *choices, const char *meant);
/* A string, or {"id", "en"}. False when absent or wrong. */
bool node_text(struct node n, struct odp_text *out);
/* The same of text that is drawn: one line in each language, MOST bytes at most; else C18. */
void node_line(struct node n, size_t most, struct odp_text *out);
/* A string or an array of strings. */
struct odp_strings node_strings(struct node n, bool one_allowed);
/* An ISO date; with STAMP a timestamp with offset too. The canonical text, or NULL. */
const char *node_date(struct node n, bool stamp);
bool node_bbox(struct node n, double bbox[4]);

/* The member KEY of OBJECT; absent: C03 with FORM. */
struct node node_need(struct node object, const char *key, const char *form);
/* ---- table.c: an object of the catalogue is read by its table, a row a key ---- */

enum key_kind {
    KEY_KNOWN,  /* allowed; read by others, or published as it is */
    KEY_STRING, /* const char * */
    KEY_NAME,   /* the same, as name_check wants it; MOST 1: not reserved */
    KEY_BOOL,   /* bool */
    KEY_INT,    /* int64_t from LEAST to MOST; null, if allowed (OR_NULL), is -1 */
    KEY_CHAR,   /* char: one ASCII character; MOST 0: "" means none */
    KEY_CHOICE, /* an enum: which of CHOICES */
    KEY_DATE,   /* const char *: a day */
    KEY_STAMP,  /* the same, or a moment */
    KEY_TEXT,   /* struct odp_text; "odp:title" after "title" wins: a profile-valid descriptor has its plain
                   text in one language */
    KEY_LINE,   /* the same as it is drawn: one line of MOST bytes */
    KEY_LIST,   /* an array, by LIST */
    KEY_READ    /* read by READ; INTO is the whole struct */
};
struct key {
    const char *name;
    enum key_kind kind;
    size_t at;        /* where it goes in the struct: AT(odp_tier, name); NOWHERE: only its form is checked */
    const char *need; /* C03 where it is absent: what it should be. NULL: it may be absent */
    int64_t least, most;
    bool or_null;
    const char *const *choices; /* ended by NULL */
    const struct list *list;
    bool (*read)(struct node n, void *into);
};
#define KNOWN(key)                                                                                           \
    {                                                                                                        \
        .name = (key)                                                                                        \
    }
#define AT(type, member) offsetof(struct type, member)
#define NOWHERE          SIZE_MAX

struct table {
    const struct key *keys;
    size_t n;
    bool open; /* other keys are allowed: C12 only for odp:, sdi:, and near misses */
};
#define TABLE(keys)      ((const struct table){keys, sizeof(keys) / sizeof *(keys), false})
#define OPEN_TABLE(keys) ((const struct table){keys, sizeof(keys) / sizeof *(keys), true})

struct list {
    size_t size, count; /* of an item; where in the struct their number goes (size_t) */
    size_t least, most; /* items; most 0: any number */
    const void *start;  /* what an item is before it is read; NULL: zeros */
    const char *unique; /* the key of the item's name, its first member ("": the item is the name); C08 for a
                           repeated one */
    bool (*read)(struct node item, void *into); /* false: it is left out, and was reported */
};

/* Reads N into INTO, where absent members keep their values. False: N is absent, or no object (C04). */
bool object_read(struct node n, const struct table *t, void *into);
/* Whether N is an array of LEAST to MOST items (0: any number); else C04, but for an absent one. */
bool list_fits(struct node n, size_t least, size_t most);
/* C04: the list N is empty, or too long; FORM is "[…] ≥ 1" or the like. */
void list_of_size(struct node n, const char *form);
/* The items of N that were understood. NULL: N is absent, no array, or of another size (C04). */
void *list_read(struct node n, const struct list *l, size_t *count);

/* Letters, digits, - _ . and not reserved; else C06. */
bool name_check(struct node n, const char *name, bool reserved);
/* CHOICES joined by ", " in the arena. */
const char *doc_join(struct doc *d, const char *const *choices, size_t n);
