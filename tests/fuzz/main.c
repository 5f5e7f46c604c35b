/* Replays files through a fuzzer's entry, each in a block of exactly its size, so that one byte over is seen.
 */
#include "mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f) continue;
        unsigned char *all = NULL, chunk[4096];
        size_t n = 0, k;
        while ((k = fread(chunk, 1, sizeof chunk, f)) > 0) {
            all = realloc(all, n + k);
            if (!all) return 2;
            memcpy(all + n, chunk, k);
            n += k;
        }
        fclose(f);
        LLVMFuzzerTestOneInput(all, n);
        free(all);
    }
    return 0;
}
