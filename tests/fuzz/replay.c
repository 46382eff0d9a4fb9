/* Runs a fuzz target over the files it is given: how the seeds are run without libFuzzer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        uint8_t *data = malloc(1 << 20);
        if (f == NULL || data == NULL)
            return 1;
        size_t size = fread(data, 1, 1 << 20, f);
        fclose(f);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    printf("%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
