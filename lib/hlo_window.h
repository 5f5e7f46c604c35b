/* Attributes with a structure: windows, convolution labels, replica groups, read from the text that hlo_attr
 * gives (spec: HLO text 4.4).  Nothing here is owned; dimensions beyond HLO_RANK are refused. */
#ifndef HLO_WINDOW_H
#define HLO_WINDOW_H
#include "hlo.h"

enum { HLO_RANK = 32 };

struct hlo_window_dim {
    int64_t size, stride, pad_low, pad_high;
    int64_t lhs_dilate, rhs_dilate; /* base and window dilation */
};

/* The dimensions of "{size=3x3 stride=2x2 pad=0_1x0_1}" into d[HLO_RANK], what is not given at its default;
 * how many there are (0: no window), -1 if it cannot be read. */
int hlo_window(struct str text, struct hlo_window_dim *d);

struct hlo_labels {     /* of one side of "b01f_01io->b01f": dimension numbers, -1: not there */
    int batch, feature; /* of a kernel: `o` and `i` */
    int spatial[10];
    int nspatial, rank;
};
/* The input, kernel and output labels; -1 if the text is no such thing. */
int hlo_dim_labels(struct str text, struct hlo_labels label[3]);

/* Pairs of an output and a kernel position that meet a real input element, neither padding nor a hole of
 * dilation, along one dimension of these sizes (spec: cost 5.2 convolution); -1: too large to count. */
int64_t hlo_window_pairs(const struct hlo_window_dim *w, int64_t input, int64_t kernel, int64_t output);

/* Size of the largest replica group as printed: "{{0,1},{2,3}}" 2, "[2,4]<=[8]" 4, mesh axes their product; 1
 * if there is none (spec: cost 5.4). */
int64_t hlo_group_size(struct str text);
#endif
