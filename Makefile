# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the kdyno command (build/kdyno), the programs of the box (build/<arch>/), the image, and runs the tests.
# Contract: objects lie under $(BUILD); nothing changed means nothing done; `make check` ends on `N passed, N failed`.
# Trap: sources are found by wildcard, so a new file needs no line here, and a removed one needs `make clean` only when
# an object of the same name lives on in an archive (archives are made anew from their list, so it does not).
include config.mk

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

B = $(BUILD)
A = $(BUILD)/$(ARCH)
KD_CC = $(A)/bin/kd-cc
# What the file of the architecture says, by name.
arch_says = $(shell . ./image/arch/$(ARCH) && echo "$$$(1)")
tools := $(call arch_says,arch_tools)
# Those whose images are built beside that of ARCH, which is the one that the tests use.
others := $(filter-out $(ARCH),$(ARCHES))
INCLUDE = -Irunner

common_c := $(sort $(wildcard runner/common/*.c))
host_c := $(sort $(wildcard runner/host/*.c))
init_c := $(sort $(wildcard runner/init/*.c))
box_c := $(sort $(wildcard runner/box/*.c))
suite_c := $(sort $(wildcard tests/suite/*.c))
unit_c := $(sort $(foreach d,common host box init suite,$(wildcard tests/unit/$(d)/test_*.c)))
lib_c := $(sort $(wildcard tests/lib/*.c))

# A part whose main.c has not been written yet is left out.
host = $(if $(wildcard runner/host/main.c),$(B)/kdyno)
init = $(if $(wildcard runner/init/main.c),$(A)/init)
runner = $(if $(wildcard runner/box/main.c),$(A)/runner)
suite = $(if $(suite_c),$(A)/suite)
units := $(unit_c:tests/unit/%.c=$(B)/unit/%)
helpers := $(lib_c:tests/lib/%.c=$(B)/tests/%)

.PHONY: all host box toolchain image check check-long check-build check-unit bench bench-reference lint format install clean
all: host box image $(others:%=image-%)
host: $(host)
box: $(init) $(runner) $(suite)
toolchain: $(KD_CC)

# ---- the station's command

libs_cflags = $(shell $(PKG_CONFIG) --cflags $(PACKAGES))
libs_ldflags = $(shell $(PKG_CONFIG) --libs $(PACKAGES)) -lm
host_o := $(host_c:%.c=$(B)/obj/host/%.o)
host_common_o := $(common_c:%.c=$(B)/obj/host/%.o)

$(B)/kdyno: $(host_o) $(B)/obj/host/common.a
	$(CC) $(HOST_CFLAGS) -o $@ $^ $(libs_ldflags)

$(B)/obj/host/common.a: $(host_common_o)
	@rm -f $@
	ar rcsD $@ $^

$(B)/obj/host/runner/common/%.o: runner/common/%.c Makefile config.mk
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(HOST_CFLAGS) $(WARN) $(WARN_COMMON) $(INCLUDE) -MMD -MP -c -o $@ $<

$(B)/obj/host/%.o: %.c Makefile config.mk
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(HOST_CFLAGS) $(WARN) $(INCLUDE) $(libs_cflags) -MMD -MP -c -o $@ $<

# ---- the programs of the box: static musl, nothing else

box_common_o := $(common_c:%.c=$(A)/obj/%.o)

$(KD_CC): image/toolchain image/package image/int64.c image/arch/$(ARCH) $(wildcard image/packages/musl/*)
	image/toolchain $(ARCH) $(A)

$(A)/obj/common.a: $(box_common_o)
	@rm -f $@
	ar rcsD $@ $^

# Stripped; the names of its functions in a list beside it.
define link_box
$(KD_CC) $(BOX_CFLAGS) $(BOX_LDFLAGS) -o $@.elf $^ $(1)
$(tools)nm -n $@.elf >$@.map
$(tools)strip -s -o $@ $@.elf
@rm -f $@.elf
endef

$(A)/init: $(init_c:%.c=$(A)/obj/%.o) $(A)/obj/common.a
	$(call link_box)

$(A)/runner: $(box_c:%.c=$(A)/obj/%.o) $(A)/obj/common.a
	$(call link_box)

$(A)/suite: $(suite_c:%.c=$(A)/obj/%.o) $(A)/obj/common.a
	$(call link_box,-lm)

$(A)/obj/runner/common/%.o: runner/common/%.c Makefile config.mk | $(KD_CC)
	@mkdir -p $(@D)
	$(KD_CC) $(CSTD) $(BOX_CFLAGS) $(WARN) $(WARN_COMMON) $(INCLUDE) -MMD -MP -c -o $@ $<

$(A)/obj/%.o: %.c Makefile config.mk | $(KD_CC)
	@mkdir -p $(@D)
	$(KD_CC) $(CSTD) $(BOX_CFLAGS) $(WARN) $(INCLUDE) -MMD -MP -c -o $@ $<

# ---- the image

include image/image.mk

# Another architecture's, by a make of its own.
$(others:%=image-%): image-%: $(B)/mkcpio
	+$(MAKE) ARCH=$* image
.PHONY: $(others:%=image-%)

# ---- tests

unit_common_o := $(common_c:%.c=$(B)/obj/test/%.o)
unit_host_o := $(filter-out %/main.o,$(host_c:%.c=$(B)/obj/test/%.o))
unit_box_o := $(filter-out %/main.o,$(box_c:%.c=$(B)/obj/test/%.o))
unit_init_o := $(filter-out %/main.o,$(init_c:%.c=$(B)/obj/test/%.o))
unit_suite_o := $(filter-out %/main.o,$(suite_c:%.c=$(B)/obj/test/%.o))

$(B)/obj/test/runner/common/%.o: runner/common/%.c Makefile config.mk
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(WARN) $(WARN_COMMON) $(TEST_CFLAGS) $(INCLUDE) -MMD -MP -c -o $@ $<

$(B)/obj/test/%.o: %.c Makefile config.mk
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(WARN) $(TEST_CFLAGS) $(INCLUDE) $(libs_cflags) -MMD -MP -c -o $@ $<

$(B)/obj/test/common.a: $(unit_common_o)
$(B)/obj/test/host.a: $(unit_host_o)
$(B)/obj/test/box.a: $(unit_box_o)
$(B)/obj/test/init.a: $(unit_init_o)
$(B)/obj/test/suite.a: $(unit_suite_o)
$(B)/obj/test/%.a:
	@mkdir -p $(@D)
	@rm -f $@
	ar rcsD $@ $^

$(B)/unit/common/%: $(B)/obj/test/tests/unit/common/%.o $(B)/obj/test/common.a
	@mkdir -p $(@D)
	$(CC) $(TEST_LDFLAGS) -o $@ $^ -lcmocka -lm

$(B)/unit/host/%: $(B)/obj/test/tests/unit/host/%.o $(B)/obj/test/host.a $(B)/obj/test/common.a
	@mkdir -p $(@D)
	$(CC) $(TEST_LDFLAGS) -o $@ $^ -lcmocka $(libs_ldflags)

$(B)/unit/box/%: $(B)/obj/test/tests/unit/box/%.o $(B)/obj/test/box.a $(B)/obj/test/common.a
	@mkdir -p $(@D)
	$(CC) $(TEST_LDFLAGS) -o $@ $^ -lcmocka -lm

$(B)/unit/init/%: $(B)/obj/test/tests/unit/init/%.o $(B)/obj/test/init.a $(B)/obj/test/common.a
	@mkdir -p $(@D)
	$(CC) $(TEST_LDFLAGS) -o $@ $^ -lcmocka

$(B)/unit/suite/%: $(B)/obj/test/tests/unit/suite/%.o $(B)/obj/test/suite.a $(B)/obj/test/common.a
	@mkdir -p $(@D)
	$(CC) $(TEST_LDFLAGS) -o $@ $^ -lcmocka

$(B)/tests/%: tests/lib/%.c $(B)/obj/host/common.a Makefile config.mk
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(HOST_CFLAGS) $(WARN) $(INCLUDE) -MMD -MP -MF $@.d -o $@ $< $(B)/obj/host/common.a -lm

# They are the box's own code, under the sanitisers.
$(B)/tests/fake-box $(B)/tests/scratch-find: $(B)/tests/%: $(B)/obj/test/tests/lib/%.o $(B)/obj/test/box.a $(B)/obj/test/common.a
	@mkdir -p $(@D)
	$(CC) $(TEST_LDFLAGS) -o $@ $^ -lm

check-build: all $(units) $(helpers)

# T='tests/build/*.t build/unit/host/*' names the files to run.
T ?= $(units) $(foreach d,build station init qemu,$(sort $(wildcard tests/$(d)/*.t)))
check: check-build
	BUILD=$(B) ARCH=$(ARCH) ARCHES='$(ARCHES)' perl tests/lib/run-tests $(T)
check-unit: $(units)
	BUILD=$(B) ARCH=$(ARCH) ARCHES='$(ARCHES)' perl tests/lib/run-tests $(units)
check-long: check-build
	BUILD=$(B) ARCH=$(ARCH) ARCHES='$(ARCHES)' perl tests/lib/run-tests $(sort $(wildcard tests/long/*.t))
	perl tests/lib/long-report $(B)/test-logs > docs/LONG-TESTS.md

# The bare init that the figures are measured against, and a maker of jobs.
$(A)/bare: bench/bare.c Makefile config.mk | $(KD_CC)
	$(KD_CC) $(CSTD) $(BOX_CFLAGS) $(WARN) $(BOX_LDFLAGS) -s -o $@ $<

$(A)/bare_loop: bench/bare_loop.c Makefile config.mk | $(KD_CC)
	$(KD_CC) $(CSTD) $(BOX_CFLAGS) $(WARN) $(BOX_LDFLAGS) -s -o $@ $<

$(B)/bench/%: bench/%.c $(B)/obj/host/common.a Makefile config.mk
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(HOST_CFLAGS) $(WARN) $(INCLUDE) -o $@ $< $(B)/obj/host/common.a

bench: all $(helpers) $(A)/bare $(A)/bare_loop $(B)/bench/mkjob
	set -e; for f in $(sort $(wildcard bench/*.sh)); do BUILD=$(B) ARCH=$(ARCH) sh $$f; done

# Against fio, bonnie++, hackbench and cyclictest, which it names where they are missing; minutes, and only worth anything on a quiet machine.
bench-reference: all
	BUILD=$(B) ARCH=$(ARCH) perl -Ibench bench/reference.pl

lint:
	tests/lib/lint
format:
	clang-format -i $(shell find runner tests image bench -name '*.[ch]')

# ---- install and clean

share = $(DESTDIR)$(PREFIX)/share/kdyno
install: all
	install -D -m 755 $(B)/kdyno $(DESTDIR)$(PREFIX)/bin/kdyno
	install -d $(share)/image $(share)/board-configs $(share)/tests/suite
	install -m 755 image/apt-root $(share)/image/
	install -m 644 image/apt-root-list.awk image/apt-root-deb822.awk $(share)/image/
	install -m 644 $(wildcard board-configs/*) $(share)/board-configs/
	install -m 644 $(wildcard tests/suite/*.test tests/suite/*.profile) $(share)/tests/suite/
	for a in $(ARCH) $(others); do install -d $(share)/$$a && install -m 644 $(B)/$$a/image.cpio* $(share)/$$a/ || exit 1; done

clean:
	rm -rf $(B)

-include $(shell find $(B)/obj $(A)/obj $(B)/tests -name "*.d" 2>/dev/null)
