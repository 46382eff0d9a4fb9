/* odp-words FILE.json OUT.h: the words of a file of templates/words as macros of C, so that a word that is
 * not there does not compile, and finding one costs nothing at run time. Run by the build
 * (tools/cmake/words.cmake). Two shapes:
 *
 *   "key": {"id": "…", "en": "…"}                      #define W_key "…", "…"
 *   "KEY": {"title": {"id": "…", "en": "…"}, …}        WORDS(KEY, .title = {{"…", "…"}}, …)    rows: who
 * includes the file defines WORDS "KEY": {"example": "…", …}                         WORDS(KEY, .example =
 * "…", …)           the same in both languages
 *
 * Refused: a language that is absent or empty, a key twice, and languages that do not have the same
 * placeholders ({name}, %s). */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 32, PLACE_LEN = 40 };

struct places {
    char text[PLACES_MAX][PLACE_LEN];
    size_t n;
};

static int faults;
static const char *file;

static void fault(const char *key, const char *what)
{
    fprintf(stderr, "%s: \"%s\": %s\n", file, key, what);
    faults++;
}

static bool is_name(const char *key)
{
    size_t n = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return n > 0 && key[n] == '\0';
}

/* Bytes of the placeholder at S, or 0: {name}, or a conversion of printf. "5 % of" is none: blanks are no
 * flags here. */
static size_t place_at(const char *s)
{
    size_t n = 1;
    if (*s == '{') {
        n += strspn(s + n, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
        return n > 1 && s[n] == '}' ? n + 1 : 0;
    }
    if (*s != '%')
        return 0;
    n += strspn(s + n, "0123456789$-+#.*");
    n += strspn(s + n, "hlzjt");
    return s[n] != '\0' && strchr("diuoxXfFeEgGcsp%", s[n]) != NULL ? n + 1 : 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Names may change places from one language to the other, conversions may not: theirs are sorted only where
 * they carry numbers. */
static struct places places_of(const char *text)
{
    struct places p = {.n = 0};
    bool named = true;
    for (size_t n; *text != '\0'; text += n > 0 ? n : 1) {
        n = place_at(text);
        if (n == 0 || n >= PLACE_LEN || p.n == PLACES_MAX || strncmp(text, "%%", 2) == 0)
            continue;
        bool name = *text == '{' || memchr(text, '$', n) != NULL;
        size_t skip =
            name ? 0 : 1 + strspn(text + 1, "0123456789-+#."); /* how wide is each language's own business */
        memcpy(p.text[p.n], text + skip, n - skip);
        p.text[p.n++][n - skip] = '\0';
        named = named && name;
    }
    if (named)
        qsort(p.text, p.n, PLACE_LEN, by_text);
    return p;
}

static bool same_places(const char *a, const char *b)
{
    struct places x = places_of(a), y = places_of(b);
    bool same = x.n == y.n;
    for (size_t i = 0; i < x.n && same; i++)
        same = strcmp(x.text[i], y.text[i]) == 0;
    return same;
}

static void put_string(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s != '\0'; s++)
        if (*s == '\n')
            fputs("\\n", out);
        else if (*s == '"' || *s == '\\' || *s == '?') /* ? for what C takes for a trigraph */
            fprintf(out, "\\%c", *s);
        else if ((unsigned char)*s < ' ')
            fprintf(out, "\\%03o", (unsigned char)*s);
        else
            fputc(*s, out);
    fputc('"', out);
}

/* "…", "…" */
static void put_word(FILE *out, const char *key, const json_t *value)
{
    const char *id = json_string_value(json_object_get(value, "id")),
               *en = json_string_value(json_object_get(value, "en"));
    if (id == NULL || en == NULL || *id == '\0' || *en == '\0' || json_object_size(value) != 2) {
        fault(key, "wants both languages: {\"id\": \"…\", \"en\": \"…\"}");
        return;
    }
    if (!same_places(id, en))
        fault(key, "the languages do not have the same placeholders");
    put_string(out, id);
    fputs(", ", out);
    put_string(out, en);
}

static bool is_word(const json_t *value)
{
    return json_object_get(value, "id") != NULL || json_object_get(value, "en") != NULL;
}

static void put_row(FILE *out, const char *key, json_t *row)
{
    const char *member;
    json_t *value;
    fprintf(out, "WORDS(%s", key);
    json_object_foreach(row, member, value)
    {
        if (!is_name(member))
            fault(key, "a member's name has letters, digits and _ only");
        fprintf(out, ", .%s = ", member);
        if (json_is_string(value)) {
            put_string(out, json_string_value(value));
        } else {
            fputs("{{", out);
            put_word(out, key, value);
            fputs("}}", out);
        }
    }
    fputs(")\n", out);
}

static void put_all(FILE *out, json_t *root)
{
    const char *key;
    json_t *value;
    fprintf(out, "/* Made of templates/words/%s by the build. */\n",
            strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file);
    json_object_foreach(root, key, value)
    {
        if (!is_name(key)) {
            fault(key, "a key has letters, digits and _ only");
        } else if (is_word(value)) {
            fprintf(out, "#define W_%s ", key);
            put_word(out, key, value);
            fputc('\n', out);
        } else if (json_object_size(value) > 0) {
            put_row(out, key, value);
        } else {
            fault(key, "wants {\"id\": \"…\", \"en\": \"…\"}, or an object of such");
        }
    }
}

int main(int argc, char **argv)
{
    json_error_t error;
    if (argc != 3)
        return fputs("usage: odp-words FILE.json OUT.h\n", stderr), 2;
    file = argv[1];
    json_t *root = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(root)) {
        fprintf(stderr, "%s:%d:%d: %s\n", file, error.line, error.column,
                root == NULL ? error.text : "wants an object");
        return 1;
    }
    FILE *out = fopen(argv[2], "w");
    if (out == NULL) {
        fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
        return 1;
    }
    put_all(out, root);
    bool bad = ferror(out) != 0;
    bad = fclose(out) != 0 || bad || faults > 0;
    if (bad)
        (void)remove(argv[2]); /* else the next build takes it for made */
    json_decref(root);
    return bad ? 1 : 0;
}
