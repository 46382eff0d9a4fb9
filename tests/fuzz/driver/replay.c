/* Runs a fuzz target without libFuzzer: over the files it is given, then over mutations of them.
 *
 *   fuzz_csv [-runs=500] [-cpu=1.2] [-seed=1] [-dict=FILE] SEED...
 *
 * The mutations are always the same ones in the same order; -cpu ends them early where a machine is slow or a
 * sanitizer is in the way. An input that ends the process is left as crash-<target> in the working folder.
 * With -runs=0 this is how a find is shown again. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE_MAX_INPUT = 1 << 20, MUTATED_MAX = 16384, WORDS = 2000, FILES = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) __attribute__((weak));
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

struct bytes {
    uint8_t *ptr;
    size_t len;
};

static struct bytes words[WORDS], files[FILES], current;
static size_t nwords, nfiles;
static uint64_t state;
static const char *name = "input";

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n > 0 ? (size_t)(state % n) : 0;
}

/* ---- what is left of a run that ended the process ---- */

static void leave(void)
{
    char path[128];
    snprintf(path, sizeof path, "crash-%s", name);
    FILE *f = fopen(path, "wb");
    if (f == NULL)
        return;
    if (fwrite(current.ptr, 1, current.len, f) == current.len)
        fprintf(stderr, "the input is in %s\n", path);
    fclose(f);
}

static void on_signal(int number)
{
    leave();
    signal(number, SIG_DFL);
    raise(number);
}

static void watch(void)
{
    static const int numbers[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    if (__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(leave);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (__sanitizer_set_death_callback == NULL || numbers[i] == SIGABRT)
            signal(numbers[i], on_signal);
}

/* ---- mutations ---- */

/* N bytes at P go, those of B come. Nothing where there is no room. */
static size_t splice(uint8_t *data, size_t size, size_t max, size_t p, size_t n, struct bytes b)
{
    if (size - n + b.len > max)
        return size;
    memmove(data + p + b.len, data + p + n, size - p - n);
    if (b.len > 0)
        memcpy(data + p, b.ptr, b.len);
    return size - n + b.len;
}

static size_t change_number(uint8_t *data, size_t size)
{
    size_t p = below(size);
    for (size_t i = 0; i < size; i++, p = (p + 1) % size)
        if (data[p] >= '0' && data[p] <= '9') {
            data[p] = (uint8_t)('0' + below(10));
            return size;
        }
    data[p] = (uint8_t)(data[p] + below(3) - 1);
    return size;
}

/* As libFuzzer does it, and as it is called by a target's own mutator. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
    static const uint8_t edges[] = {0x00, 0x01, 0x7f, 0x80, 0xff, '"', '\n', ' ', '0', '-'};
    uint8_t piece[256];
    size_t p = below(size + 1), rest = size - p, n = rest > 0 ? 1 + below(rest < 32 ? rest : 32) : 0;
    switch (size > 0 ? below(8) : 3) {
    case 0:
        data[below(size)] ^= (uint8_t)(1u << below(8));
        return size;
    case 1:
        data[below(size)] = edges[below(sizeof edges)];
        return size;
    case 2:
        return splice(data, size, max, p, n, (struct bytes){NULL, 0});
    case 3:
        piece[0] = (uint8_t)below(256);
        return splice(data, size, max, p, 0, (struct bytes){piece, 1});
    case 4: /* the same again, somewhere else */
        memcpy(piece, data + p, n);
        return splice(data, size, max, below(size + 1), 0, (struct bytes){piece, n});
    case 5:
        return change_number(data, size);
    case 6:
        return nwords == 0 ? size
                           : splice(data, size, max, p, below(2) == 0 || n > 8 ? 0 : n, words[below(nwords)]);
    default: { /* the end of another seed */
        struct bytes other = files[below(nfiles)];
        size_t from = below(other.len + 1);
        return splice(data, size, max, p, rest, (struct bytes){other.ptr + from, other.len - from});
    }
    }
}

static void run(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1); /* so that a sanitizer sees one byte too many */
    if (exact == NULL)
        abort();
    memcpy(exact, data, size);
    current = (struct bytes){exact, size};
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static size_t mutate_all(size_t runs, double cpu, unsigned seed)
{
    static uint8_t data[MUTATED_MAX];
    const clock_t began = clock();
    size_t done = 0;
    for (; nfiles > 0 && done < runs && (double)(clock() - began) / CLOCKS_PER_SEC < cpu; done++) {
        struct bytes from = files[done % nfiles];
        size_t size = from.len < sizeof data ? from.len : sizeof data;
        state = 0x9e3779b97f4a7c15u * (done + 1) + seed;
        memcpy(data, from.ptr, size);
        for (size_t i = 1 + below(4); i > 0; i--)
            size = LLVMFuzzerCustomMutator != NULL
                       ? LLVMFuzzerCustomMutator(data, size, sizeof data, (unsigned)below(1u << 31))
                       : LLVMFuzzerMutate(data, size, sizeof data);
        run(data, size);
    }
    return done;
}

/* ---- files ---- */

static bool read_file(const char *path, struct bytes *out)
{
    FILE *f = fopen(path, "rb");
    out->ptr = malloc(SIZE_MAX_INPUT);
    if (f == NULL || out->ptr == NULL)
        return false;
    out->len = fread(out->ptr, 1, SIZE_MAX_INPUT, f);
    fclose(f);
    return true;
}

/* One "word" a line, with \xNN, \\ and \"; a name before it is not looked at. */
static void read_words(const char *path)
{
    FILE *f = fopen(path, "rb");
    char line[1024];
    while (f != NULL && nwords < WORDS && fgets(line, sizeof line, f) != NULL) {
        char *p = strchr(line, '"'), *end = strrchr(line, '"');
        if (line[0] == '#' || p == NULL || end == p || (words[nwords].ptr = malloc(sizeof line)) == NULL)
            continue;
        struct bytes *w = &words[nwords++];
        for (p++, w->len = 0; p < end; p++) {
            unsigned value = (unsigned char)*p;
            if (*p == '\\' && p[1] == 'x' && sscanf(p + 2, "%2x", &value) == 1)
                p += 3;
            else if (*p == '\\')
                value = (unsigned char)*++p;
            w->ptr[w->len++] = (uint8_t)value;
        }
    }
    if (f != NULL)
        fclose(f);
}

int main(int argc, char **argv)
{
    size_t runs = 0;
    double cpu = 1e9;
    unsigned seed = 1;
    const char *slash = strrchr(argv[0], '/');
    name = slash != NULL ? slash + 1 : argv[0];
    watch();
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-runs=", 6) == 0)
            runs = strtoul(argv[i] + 6, NULL, 10);
        else if (strncmp(argv[i], "-cpu=", 5) == 0)
            cpu = strtod(argv[i] + 5, NULL);
        else if (strncmp(argv[i], "-seed=", 6) == 0)
            seed = (unsigned)strtoul(argv[i] + 6, NULL, 10);
        else if (strncmp(argv[i], "-dict=", 6) == 0)
            read_words(argv[i] + 6);
        else if (nfiles == FILES || !read_file(argv[i], &files[nfiles++]))
            return fprintf(stderr, "%s: cannot be read\n", argv[i]), 1;
    }
    for (size_t i = 0; i < nfiles; i++)
        run(files[i].ptr, files[i].len);
    printf("%zu inputs\n", nfiles);
    if (runs > 0)
        printf("%zu of %zu mutations of them (-seed=%u)\n", mutate_all(runs, cpu, seed), runs, seed);
    for (size_t i = 0; i < nfiles; i++)
        free(files[i].ptr);
    for (size_t i = 0; i < nwords; i++)
        free(words[i].ptr);
    return nfiles > 0 ? 0 : 1;
}
