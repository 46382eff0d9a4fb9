#include "commands/public_keys.h"

#include <string.h>

#include "base/file.h"
#include "words/commands.h"

enum { FILE_MAX = 1 << 16 };

/* The last line of a .pub file; the first is a comment. */
static enum odp_status read_file(struct odp_slice word, struct odp_public_key *key)
{
    struct odp_buffer text = {0};
    char path[4096];
    int n = snprintf(path, sizeof path, "%.*s", (int)word.len, word.ptr);
    if (n <= 0 || (size_t)n >= sizeof path)
        return ODP_BAD;
    enum odp_status status = odp_file_read(path, FILE_MAX, &text, NULL);
    if (status == ODP_OK) {
        struct odp_slice line = odp_slice_trim(odp_buffer_slice(&text));
        for (size_t i = line.len; i > 0; i--)
            if (line.ptr[i - 1] == '\n') {
                line = (struct odp_slice){line.ptr + i, line.len - i};
                break;
            }
        status = odp_public_key_parse(key, odp_slice_trim(line));
    }
    odp_buffer_release(&text);
    return status;
}

enum odp_status public_keys_read(const struct invocation *inv, struct odp_public_key *keys, size_t max,
                                 size_t *n)
{
    enum odp_status status = ODP_OK;
    *n = 0;
    for (const char *p = inv->keys; p != NULL && status == ODP_OK;) {
        const char *comma = strchr(p, ',');
        struct odp_slice word =
            odp_slice_trim((struct odp_slice){p, comma != NULL ? (size_t)(comma - p) : strlen(p)});
        p = comma != NULL ? comma + 1 : NULL;
        status = *n < max ? odp_public_key_parse(&keys[*n], word) : ODP_BAD;
        if (status == ODP_BAD && *n < max)
            status = read_file(word, &keys[*n]);
        if (status == ODP_BAD)
            fprintf(stderr, say(inv, W_cmd_keys_no_public_key_rw), (int)word.len, word.ptr);
        *n += status == ODP_OK;
    }
    return status;
}
