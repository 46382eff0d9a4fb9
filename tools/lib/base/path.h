/* Paths: joined, and judged by their text and by where their symbolic links lead. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

/* "a/b"; B as it is when A is NULL or "". */
char *odp_path_join(struct odp_arena *a, const char *dir, const char *name) ODP_MUST_USE;
/* "b.csv" of "a/b.csv". */
const char *odp_path_last(const char *path);
/* "a" of "a/b.csv"; "/", or "." of "b.csv". In A. */
char *odp_path_folder(struct odp_arena *a, const char *path) ODP_MUST_USE;
/* Whether PATH is something and then END, in any case of letters. */
bool odp_path_ends(const char *path, const char *end);
/* A relative POSIX path that stays inside its folder: not empty, no leading '/', no '.' or '..' or hidden
 * segment, no backslash, no control characters (Data Package v2, resource path). */
bool odp_path_is_safe(const char *path);
/* A catalogue's file must not lead out of it: true if PATH, its links followed, is ROOT (its links followed,
 * too) or in it; also where one of them does not exist or cannot be followed: opening it then fails. ROOT
 * NULL: always true. */
bool odp_path_is_inside(const char *root, const char *path);

/* PATH itself is a symbolic link, wherever it leads: also to nothing. */
bool odp_path_is_link(const char *path);
