# The main pipeline on a real capture: `make demo` in the top folder, or make -C examples -f demo.mk BIN=../build/bin.
# The capture is a training step that XLA really compiled for H100s, replayed with CUDA graphs (kernels without names).
BIN = ../build/bin
CAP = gpt.xplane.pb.gz

demo:
	@echo '$(CAP): two H100s, one training step; names, order and graphs are the compiler'"'"'s, times are drawn'
	@echo
	@echo '$$ xplane2tsv $(CAP) | attrib --hlo $(CAP) | roofline        (the ten longest)'
	@$(BIN)/xplane2tsv $(CAP) | $(BIN)/attrib --hlo $(CAP) | $(BIN)/roofline | \
	    bin/withheader sort -t"$$(printf '\t')" -k9,9nr | cut -f3,4,6-9,15,16 | head -11
	@echo
	@echo '$$ xplane2tsv $(CAP) | attrib -t how --hlo $(CAP)            (how sure each attribution is)'
	@$(BIN)/xplane2tsv $(CAP) | $(BIN)/attrib -t how --hlo $(CAP)
	@echo
	@echo '$$ xplane2tsv $(CAP) | skipstats                             (where the device time went)'
	@$(BIN)/xplane2tsv $(CAP) | $(BIN)/skipstats | \
	    awk -F'\t' 'NR == 1 || $$2 == "-"' | cut -f1,6-10
.PHONY: demo
