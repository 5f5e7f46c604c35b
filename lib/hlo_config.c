#include "hlo_config.h"
#include "num.h"

static bool word(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

int64_t hlo_config_int(struct str s, struct str key)
{
    for (size_t at; (at = str_find(s, key)) != SIZE_MAX; s = str_from(s, at + key.n)) {
        size_t k = at + key.n, from;
        if (at && word(s.p[at - 1])) continue;
        while (k < s.n && (s.p[k] == '"' || s.p[k] == '\\' || s.p[k] == ' ')) k++;
        if (k == s.n || (s.p[k] != ':' && s.p[k] != '=')) continue;
        for (k++; k < s.n && (s.p[k] == '"' || s.p[k] == '\\' || s.p[k] == ' ');) k++;
        int64_t v;
        for (from = k; k < s.n && s.p[k] >= '0' && s.p[k] <= '9';) k++;
        if (!num_i64(str_n(s.p + from, k - from), &v)) return v;
    }
    return -1;
}
