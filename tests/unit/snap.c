/* SHA-256 against FIPS 180-4's examples, in pieces of every size. */
#include "check.h"
#include "sha256.h"
#include <string.h>

static void digest(const char *s, size_t n, size_t piece, char out[65])
{
    struct sha256 h;
    sha256_init(&h);
    for (size_t i = 0; i < n; i += piece) sha256_add(&h, s + i, n - i < piece ? n - i : piece);
    sha256_hex(&h, out);
}

int main(void)
{
    static const struct {
        const char *text, *hex;
    } known[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmno"
         "pqrst"
         "nopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    char hex[65];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (size_t piece = 1; piece < 130; piece++) {
            digest(known[i].text, strlen(known[i].text), piece, hex);
            CHECK(!strcmp(hex, known[i].hex));
        }
    char *million = mem_alloc(1, 1000000);
    memset(million, 'a', 1000000);
    digest(million, 1000000, 4097, hex);
    CHECK(!strcmp(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
    free(million);
    DONE;
}
