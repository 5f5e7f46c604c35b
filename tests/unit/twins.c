/* Equal computations, by which kernels are shared: names and the order of the list do not count, what is
 * computed does. */
#include "check.h"
#include "schedule.h"

static const char text[] =
    "HloModule m\n"
    "a {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT r = f32[] add(x, y)\n}\n"
    "b {\n  p = f32[] parameter(1)\n  q = f32[] parameter(0)\n  ROOT s = f32[] add(q, p)\n}\n"
    "c {\n  p2 = f32[] parameter(1)\n  q2 = f32[] parameter(0)\n  ROOT s2 = f32[] add(p2, q2)\n}\n"
    "d {\n  x3 = f32[] parameter(0)\n  y3 = f32[] parameter(1)\n  z3 = f32[] add(x3, x3)\n  ROOT r3 = f32[] "
    "add(x3, y3)\n}\n"
    "e {\n  v = f32[4]{0} parameter(0)\n  k = f32[] constant(0)\n  ROOT w = f32[] reduce(v, k), "
    "dimensions={0}, to_apply=a\n}\n"
    "f {\n  k4 = f32[] constant(0)\n  v4 = f32[4]{0} parameter(0)\n  ROOT w4 = f32[] reduce(v4, k4), "
    "dimensions={0}, to_apply=b\n}\n"
    "g {\n  k5 = f32[] constant(0)\n  v5 = f32[4]{0} parameter(0)\n  ROOT w5 = f32[] reduce(v5, k5), "
    "dimensions={0}, to_apply=c\n}\n"
    "ENTRY main {\n  ROOT u = f32[4]{0} parameter(0)\n}\n";

int main(void)
{
    struct hlo_module *m = NULL;
    struct err e = {0};
    CHECK(!hlo_read_text(text, sizeof text - 1, "text", &m, &e));
    if (!m) DONE;
    uint64_t *h = schedule_hashes(m), of[7] = {0};
    for (uint32_t c = 0; c < m->ncomputation; c++)
        if (m->computation[c].name.n == 1) of[m->computation[c].name.p[0] - 'a'] = h[c];
    CHECK(of[0] == of[1]);                   /* parameters listed in another order */
    CHECK(of[0] != of[2] && of[0] != of[3]); /* operands swapped; one instruction more */
    CHECK(of[4] == of[5] && of[4] != of[6]); /* the same through a called computation */
    free(h);
    hlo_free(m);
    DONE;
}
