# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compiler, flags and prefix. Each can be given on the command line (make PREFIX=/usr BUILD=/tmp/b) or in local.mk,
# which is not kept. Trap: nothing here may add -ffast-math; the statistics depend on IEEE arithmetic.
BUILD ?= build
ARCH ?= x86_64
# Whose images are built; image/arch/ has a file for each that there is.
ARCHES ?= x86_64 i486 aarch64
PREFIX ?= /usr/local
DESTDIR ?=

CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
PKG_CONFIG ?= pkg-config
PACKAGES = libarchive jansson libmicrohttpd inih

CSTD = -std=c11 -D_GNU_SOURCE
WARN = -Wall -Wextra -Wshadow -Wvla -Werror
# common/ is read by everything, and runs where nobody watches.
WARN_COMMON = -Wconversion
HOST_CFLAGS ?= -O2 -g
BOX_CFLAGS ?= -Os -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables
BOX_LDFLAGS ?= -Wl,--gc-sections
# Under the sanitisers gcc takes every bounded snprintf for an accident.
TEST_CFLAGS ?= -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined -Wno-format-truncation
TEST_LDFLAGS ?= -fsanitize=address,undefined

-include local.mk
