/* Inside of base/template. Opening goes: folders -> files (folder.c) -> tokens of each file (token.c) -> for
 * each page and language one program (compile.c) with the parts put in, every name looked up in the model
 * (model.c) and every value bound to the way it is escaped (markup.c). Rendering (render.c) runs it. */
#pragma once

#include "base/arena.h"
#include "base/nearest.h"
#include "base/template/template.h"

enum {
    TEMPLATE_FILE_MAX = 1 << 20, /* bytes of a file */
    TEMPLATE_PAGE_MAX = 8 << 20, /* bytes of text of a page with its parts */
    TEMPLATE_CODE_MAX = 50000,   /* instructions of a page */
    TEMPLATE_WORK_MAX = 200000,  /* tokens looked at for a page: parts that hold parts multiply */
    TEMPLATE_SET_MAX = 32 << 20, /* bytes of all files */
    TEMPLATE_NAME_MAX = 64,      /* bytes of one member of a name */
    TEMPLATE_STEPS = 8,          /* members of a name: a.b.c */
    TEMPLATE_DEPTH = 32,         /* sections in sections, parts included */
    TEMPLATE_PARTS = 16,         /* parts in parts */
    TEMPLATE_INDENT = 64,        /* bytes of a part's indentation */
    TEMPLATE_FAULTS = 50         /* faults reported of one file */
};

/* ---- files and their faults (fault.c) ---- */

enum template_fault {
#define WORDS(name, ...) TEMPLATE_##name,
#include "words/templates.h"
#undef WORDS
};

/* TXT and all after it have no markup: a value is escaped alike everywhere. */
enum template_form {
    TEMPLATE_HTML,
    TEMPLATE_XML,
    TEMPLATE_TXT,
    TEMPLATE_JSON,
    TEMPLATE_LITERAL,
    TEMPLATE_PHP,
    TEMPLATE_MARKDOWN,
    TEMPLATE_FORMS
};
const char *template_ending(enum template_form form); /* "html": the first one */

enum token_kind { TOKEN_TEXT, TOKEN_VALUE, TOKEN_RAW, TOKEN_OPEN, TOKEN_NOT, TOKEN_CLOSE, TOKEN_PART };
struct template_token {
    uint8_t kind;
    bool line;             /* begins a line that stays: a part's indentation goes before it */
    uint32_t at, end;      /* of the whole tag, or the text, in the file */
    struct odp_slice name; /* of a tag */
    struct odp_slice
        filter; /* of a value: "day" of {{date|day}}, "word ds_freq_" of {{code|word ds_freq_}}; or empty */
    struct odp_slice indent; /* of a part that is alone on its line */
};

struct template_file {
    const char *path;
    const char *name; /* "home", of home.id.html */
    int lang;         /* or -1: of both */
    uint8_t form;
    size_t folder;
    const unsigned char *compiled_in; /* its bytes, which no file has to be read for; or NULL */
    struct odp_slice text;
    struct template_token *tokens; /* sections are balanced, even where the file's are not */
    size_t n;
    bool bad; /* its structure is at fault: faults of its contexts are not reported */
    bool used;
    size_t nfaults;
    struct {
        uint32_t at;
        uint8_t fault;
    } reported[TEMPLATE_FAULTS]; /* a part is compiled once for each page that has it, and reported once */
};

struct template_files {
    struct template_file **items;
    size_t n;
};

struct template_word {
    const char *key, *in[ODP_LANGS];
    size_t folder;
    struct template_file *file;
    uint32_t at;
    bool used;
};

struct template_program;
struct template_page {
    const char *name;
    struct template_program *programs[ODP_LANGS];
};

struct odp_templates {
    struct odp_arena arena;
    const struct odp_templates_options *options; /* while opening; of a proven set its own, until close */
    struct odp_diags *diags;                     /* while opening */
    json_t *models;                              /* of its own options; or NULL */
    bool bad, failed;
    size_t bytes;
    struct template_files pages, parts; /* as long as options */
    struct template_word *words;        /* by key once all are read */
    size_t nwords;
    struct template_page *made; /* by name */
    size_t nmade;
};

struct fault_more {
    const char *a, *b;           /* {0} and {1} of the text */
    const struct odp_text *said; /* {0} that is not the same in both languages */
    const char *expected;        /* names, the same in both languages; or NULL */
    const char *proposal;        /* or NULL */
    enum odp_severity severity;  /* 0: an error */
};
/* Told once for each place. LEN 0: of the file as a whole, no line is shown. */
void template_fault(struct odp_templates *t, struct template_file *file, size_t at, size_t len,
                    enum template_fault which, const struct fault_more *more);

/* The names that exist, for a fault about one that does not. */
enum { TEMPLATE_NAMES_MAX = 512 };
struct template_names {
    const char *list[TEMPLATE_NAMES_MAX];
    size_t n;
};
void template_names_add(struct template_names *names, const char *name);
/* MORE gets the first MOST of them as what was expected, and the one nearest to MEANT as a proposal. */
void template_names_suggest(struct odp_templates *t, const struct template_names *names, size_t most,
                            struct odp_slice meant, struct fault_more *more);

/* ---- folder.c, token.c ---- */

void template_read_folders(struct odp_templates *t);
/* The bytes of FILE and its tokens; faults are reported. */
void template_read_file(struct odp_templates *t, struct template_file *file);
void template_tokens(struct odp_templates *t, struct template_file *file);
/* The first word that does not come before KEY. */
size_t template_word_from(const struct odp_templates *t, struct odp_slice key);
struct template_word *template_word_find(const struct odp_templates *t, struct odp_slice key);

/* ---- model.c ---- */

enum template_kind {
    KIND_TEXT,
    KIND_FLAG,
    KIND_HTML,
    KIND_JSON,
    KIND_BOTH,
    KIND_NUMBER,
    KIND_CODE,
    KIND_OBJECT,
    KIND_ARRAY,
    KIND_NONE,
    KIND_FIRST,
    KIND_LAST
};
static inline bool template_is_value(enum template_kind kind) /* {{name}} writes it */
{
    return kind == KIND_TEXT || kind == KIND_BOTH || kind == KIND_NUMBER;
}
enum template_kind template_kind_of(const json_t *model, bool *optional);
/* FAIL: the model is not one, which is our own mistake. */
enum odp_status template_model_check(const json_t *model, const char *page) ODP_MUST_USE;

enum template_filter {
    FILTER_NONE,
    FILTER_DAY,
    FILTER_NUMBER,
    FILTER_SIZE,
    FILTER_BOTH,
    FILTER_ID,
    FILTER_EN,
    FILTER_WORD,
    FILTER_PERCENT,
    FILTER_LINE,
    FILTER_AMOUNT,
    FILTER_MARKUP,
    FILTERS
};
/* The filter NAME ("word" of "word ds_freq_", then ARG gets "ds_freq_"); FILTERS: no such filter. */
enum template_filter template_filter_find(struct odp_slice text, struct odp_slice *arg);
/* "day, number, …", in the arena. */
const char *template_filter_list(struct odp_templates *t);

/* ---- markup.c: the place of a byte in a document ---- */

enum markup_event {
    MARKUP_NOTHING,
    MARKUP_URL_BEGIN,
    MARKUP_URL_END,
    MARKUP_FUSED,
    MARKUP_MIXED,
    MARKUP_ESCAPED
};
enum markup_place {
    PLACE_TEXT,   /* of an element */
    PLACE_QUOTED, /* an attribute */
    PLACE_URL,
    PLACE_JSON,    /* the whole of a script that is JSON */
    PLACE_PLAIN,   /* of a .txt page */
    PLACE_LITERAL, /* in double quotes, of JSON and programs */
    PLACE_PHP,     /* in single quotes */
    PLACE_MARKDOWN,
    PLACE_NAME,
    PLACE_UNQUOTED,
    PLACE_COMMENT,
    PLACE_SCRIPT,
    PLACE_ATTRIBUTE,
    PLACE_BESIDE_JSON,
    PLACE_DECLARATION /* no value may be here */
};
struct markup { /* bytes alone, so that two can be compared */
    uint8_t state, form, attribute, match, raw, json, dashes;
    uint8_t nelement, nname, ntype;
    char element[20], name[20], type[20];
};
void markup_init(struct markup *m, enum template_form form);
/* The next byte of text. URL_BEGIN: an address begins after it; URL_END: one has ended before it; FUSED,
 * MIXED, ESCAPED: faults. */
enum markup_event markup_feed(struct markup *m, unsigned char c);
/* How many of the N bytes at P mean nothing at M: they need not be fed. */
size_t markup_idle(const struct markup *m, const char *p, size_t n);
/* The place of a value here; the value is then passed over. */
enum markup_place markup_value(struct markup *m);
/* M, before a section, becomes the place after it, where AFTER is the place at its end and the section may be
 * left out. False: the two do not agree. */
bool markup_join(struct markup *m, const struct markup *after, bool repeats);
bool markup_is_text(const struct markup *m);
bool markup_is_image(const struct markup *m); /* src of <img> */

/* ---- escape.c ---- */

/* The address that begins at BEGIN of OUT becomes "#" where it may not be followed. */
void template_check_url(struct odp_buffer *out, size_t begin, bool image);
enum odp_status template_escape_json(struct odp_buffer *out, const json_t *value) ODP_MUST_USE;
/* A value where PLACE may take one; JSON not. */
void template_put(struct odp_buffer *out, enum markup_place place, struct odp_slice s);

/* ---- compile.c ---- */

enum op { OP_TEXT, OP_VALUE, OP_OPEN, OP_NOT, OP_CLOSE, OP_URL, OP_URL_END };
struct step {
    const char *key;
    bool optional; /* may be absent */
};
struct instr {
    uint8_t op, kind, place, filter;
    bool image;
    uint16_t level; /* 0: the caller's scopes; n: the n-th section around that is a scope */
    uint16_t nsteps;
    uint32_t from; /* TEXT: bytes of the program's text; OPEN, NOT: the instruction CLOSE; CLOSE: that which
                      it closes */
    uint32_t len;
    const struct step *steps; /* none: the scope itself */
    const char *name;         /* as the template has it */
    const char *arg;          /* of the filter */
};
struct template_program {
    struct instr *code;
    size_t n;
    const char *text, *page;
    bool json;
};
/* FILE as PAGE, whose model is NAMES. Faults are reported. */
struct template_program *template_compile(struct odp_templates *t, struct template_file *file,
                                          const char *page, const json_t *names,
                                          enum odp_lang lang) ODP_MUST_USE;
enum odp_status template_run(const struct odp_templates *t, const struct template_program *p,
                             enum odp_lang lang, const json_t *const *scopes, size_t n,
                             struct odp_buffer *out) ODP_MUST_USE;
