# SPDX-License-Identifier: GPL-2.0-or-later
#
# Included by the Makefile: the packages, and the image from rootfs.list.
# Contract: $(A)/image.cpio and its compressed forms, bit for bit the same from the same sources; too large an image is
# an error. Trap: `kdyno` chooses among the forms by the kernel's config, so all are built, and none has a name in it.
image_xz_max := $(call arch_says,arch_xz_max)
image_gz_max := $(call arch_says,arch_gz_max)
image_max := $(call arch_says,arch_max)

arch_without := $(call arch_says,arch_without)
packages := $(filter-out $(arch_without),busybox dropbear e2fsprogs kexec-tools)
external = fio
package_keys = $(packages:%=$(A)/packages/%/.key)
image = $(if $(and $(init),$(runner),$(suite)),$(A)/image.cpio)
zstd := $(shell command -v zstd 2>/dev/null)
image_compressed = $(if $(image),$(image).xz $(image).gz $(if $(zstd),$(image).zst))

packages: $(package_keys)
.PHONY: packages

# A package is made whole in the cache or not at all; the key file is last.
$(A)/packages/%/.key: image/package $(KD_CC)
	@mkdir -p $(A)/packages
	image/package build $* $(ARCH) $(A)/packages/$*
	@touch $@
$(foreach p,$(packages) $(external),$(eval $(A)/packages/$(p)/.key: $(wildcard image/packages/$(p)/*)))

$(B)/mkcpio: image/mkcpio.c $(B)/obj/host/common.a Makefile config.mk
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(HOST_CFLAGS) $(WARN) $(WARN_COMMON) $(INCLUDE) -o $@ $< $(B)/obj/host/common.a

# Overlays with programs from elsewhere (docs/external-tests.md), only when asked for.
$(external:%=external-%): external-%: $(A)/external/%.cpio
	@echo "external: $<: $$(wc -c <$<) bytes"
.PHONY: $(external:%=external-%)
$(A)/external/%.cpio: $(A)/packages/%/.key $(B)/mkcpio
	@mkdir -p $(@D)
	$(B)/mkcpio tests/external/$*/overlay.list . $(A) >$@
$(foreach p,$(external),$(eval $(A)/external/$(p).cpio: $(wildcard tests/external/$(p)/*)))

# at_most BYTES: what was just made is no larger.
define at_most
@size=$$(wc -c <$@); [ $$size -le $(1) ] || { \
	echo "image: $@ is $$size bytes, more than $(1) (image/arch/$(ARCH)); take something out of image/rootfs.list or a package" >&2; \
	exit 1; }
endef

$(A)/image.cpio: $(B)/mkcpio image/rootfs.list $(wildcard image/etc/*) $(wildcard tests/suite/*.test) $(init) $(runner) \
		$(suite) $(package_keys)
	$(B)/mkcpio $(arch_without:%=-w %) image/rootfs.list . $(A) >$@
	$(call at_most,$(image_max))

$(A)/image.cpio.xz: $(A)/image.cpio
	xz --check=crc32 -9e -T1 -c $< >$@
	$(call at_most,$(image_xz_max))

$(A)/image.cpio.gz: $(A)/image.cpio
	gzip -9nc $< >$@
	$(call at_most,$(image_gz_max))

$(A)/image.cpio.zst: $(A)/image.cpio
	zstd -q -19 -c $< >$@

image: $(image_compressed)
	@$(if $(image),echo "image $(ARCH): xz $$(wc -c <$(image).xz) bytes of at most $(image_xz_max)$(,) gzip $$(wc -c <$(image).gz) of at most \
	$(image_gz_max)$(,) unpacked $$(wc -c <$(image)) of at most $(image_max)",echo "image: init$(,) runner or suite has no source yet")
, := ,

# Kernels of our own make, only when asked for: they take minutes.
kernels := $(patsubst image/kernels/%.config,%,$(wildcard image/kernels/*.config))
$(kernels:%=kernel-%): kernel-%:
	image/kernels/build $* $(B)/kernels/$*
.PHONY: $(kernels:%=kernel-%)
