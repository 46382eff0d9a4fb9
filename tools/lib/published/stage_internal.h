/* Inside of published: a stage and its list of files. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/map.h"
#include "published/stage.h"

struct stage_list {              /* a pointer, because even readers of a const stage sort it */
    struct odp_site_file *files; /* as they came; without a path: dropped */
    size_t n;
    uint32_t *order; /* the numbers of all files, by path as far as ORDERED; then as they came */
    size_t ordered;
    struct odp_map paths;         /* a path has the number of its file */
    struct odp_map folders;       /* that have been made */
    struct odp_map slugs;         /* of odp_site_path_slug; "": of none */
    uint32_t *newest;             /* by number of the slug: the last file of it */
    uint32_t *before;             /* by number of the file: the file of the same slug that came before it */
    pthread_mutex_t mutex;        /* guards the list, the arena and the counter */
    pthread_cond_t more;          /* a file was entered that wants twins */
    struct odp_arena arena;       /* the files, their paths and types */
    struct odp_arena copies;      /* SORTED */
    struct odp_site_file *sorted; /* a copy by path; NULL: the list has changed since */
    size_t nsorted;
    struct odp_slice texts; /* odp_stage_same_as: where that site has its paths, in their order */
    uint64_t scratches;
};

struct odp_stage {
    struct odp_arena arena;
    const char *out;    /* --out without a slash at its end */
    const char *builds; /* "<out>.builds" */
    const char *dir;    /* the stage's folder; NULL once it was switched or removed */
    int lock;           /* descriptor of builds/.lock, locked; -1: none */
    int disk; /* the stage's folder, opened before the first file: syncfs of it reports all that failed */
    struct stage_list *list;
    const struct odp_site *same; /* files that have the bytes they have there are linked; NULL: none are */
    atomic_bool copies;          /* of it: links are not possible everywhere */
    bool *left;                  /* by number of its files: stage_spare.c; NULL: the tree began empty */
    struct stage_parts *parts;   /* parts.c; NULL: none are kept */
    struct odp_slice text;       /* odp_part_text */
    struct stage_ahead *ahead;   /* twins.c; NULL: nothing is made ahead */
    const struct odp_compression *compression; /* NULL: the usual one */
    const char *origin;                        /* where absent files are; NULL: all are here */
    struct odp_output output;
    struct odp_diags *diags;
};

/* ---- stage_spare.c: names that the stage's tree begins with ---- */
#define SPARE       ".spare" /* in OUT.builds */
#define SPARE_SEALS SPARE ".seals"
/* The tree of SPARE becomes the stage's, which is empty: what the site before has is left over. */
enum odp_status odp_stage_take_spare(struct odp_stage *s) ODP_MUST_USE;
/* True: F, of the site before (NULL: no file), is left over at its path, and nothing is staged there. */
bool odp_stage_is_left(const struct odp_stage *s, const struct odp_site_file *f);
/* F, of the site before, keeps its name if that is left over, and then it is left over no more. False: it is
 * not, or F is NULL. */
bool odp_stage_keep_left(const struct odp_stage *s, const struct odp_site_file *f);
/* PATH gives way, if it is left over. */
enum odp_status odp_stage_remove_left(const struct odp_stage *s, const char *path) ODP_MUST_USE;
/* Removes all that is left over. */
enum odp_status odp_stage_end_left(const struct odp_stage *s) ODP_MUST_USE;
/* Removes PATH (nothing may be there), and the folders that it leaves empty. */
enum odp_status odp_stage_remove(const struct odp_stage *s, const char *path) ODP_MUST_USE;

/* Enters FILE, copying its strings. A file that is there already at its path is replaced. */
void odp_stage_enter(struct odp_stage *s, const struct odp_site_file *file);
/* Bytes that one packet brings with the headers of TCP and IP: an Ethernet frame's 1,500 less 60 (IPv6), and
 * 40 for their options (RFC 6691, RFC 9293 section 3.7.1). */
enum { ODP_PACKET = 1400 };
/* Whether F gets twins, made of its bytes. */
bool odp_stage_wants_twins(const struct odp_site_file *f);
/* odp_stage_find, of which no part that is open takes note. */
const struct odp_site_file *odp_stage_look(const struct odp_stage *s, const char *path);
/* Links the file FROM of SITE, which is here, and enters it as FILE, at FILE's path. */
enum odp_status odp_stage_link_of(struct odp_stage *s, const struct odp_site *site,
                                  const struct odp_site_file *from,
                                  const struct odp_site_file *file) ODP_MUST_USE;
/* Links F of the site before, and its twins, unless they are staged. MEDIA_TYPE: NULL is F's own. */
enum odp_status odp_stage_link_same(struct odp_stage *s, const struct odp_site_file *f,
                                    const char *media_type) ODP_MUST_USE;

/* ---- parts.c: what the part that is open asks for (F NULL: it is not there), and puts ---- */
struct stage_parts;
void odp_part_asked(const struct odp_stage *s, const char *path, const struct odp_site_file *f);
void odp_part_asked_there(const struct odp_stage *s, const char *path, const struct odp_site_file *f);
void odp_part_asked_all(const struct odp_stage *s);
void odp_part_put(const struct odp_stage *s, const struct odp_site_file *f);
void odp_parts_close(struct stage_parts *p); /* NULL is allowed */
/* twins.c: ends what is made ahead, and removes what nobody took. */
void odp_stage_ahead_close(struct odp_stage *s);
/* twins.c: odp_output.press */
enum odp_status odp_stage_press(void *stage, const char *path) ODP_MUST_USE;
