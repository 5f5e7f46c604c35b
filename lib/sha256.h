/* SHA-256 (FIPS 180-4): init, add bytes in any pieces, hex. */
#ifndef SHA256_H
#define SHA256_H
#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t h[8];
    uint64_t n; /* bytes so far */
    unsigned char block[64];
};
void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *p, size_t n);
void sha256_hex(struct sha256 *s, char out[65]); /* ends it; 64 digits and NUL */
#endif
