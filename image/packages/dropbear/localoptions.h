/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the box's SSH server can do: one key exchange, one cipher, Ed25519 host key and user keys, nothing forwarded.
 */
#define ED25519_PRIV_FILENAME "/run/dropbear_ed25519_host_key"
#define DROPBEAR_PIDFILE "/run/dropbear.pid"
#define INETD_MODE 0
#define DROPBEAR_REEXEC 0
#define DROPBEAR_SMALL_CODE 1
#define DROPBEAR_SVR_LOCALTCPFWD 0
#define DROPBEAR_SVR_REMOTETCPFWD 0
#define DROPBEAR_SVR_AGENTFWD 0
#define DROPBEAR_SVR_PASSWORD_AUTH 0
#define DROPBEAR_SVR_PUBKEY_OPTIONS 1
#define DROPBEAR_SVR_MULTIUSER 1
#define DROPBEAR_SFTPSERVER 0
#define DROPBEAR_USER_ALGO_LIST 0
#define DROPBEAR_AES128 0
#define DROPBEAR_AES256 0
#define DROPBEAR_CHACHA20POLY1305 1
#define DROPBEAR_ENABLE_CTR_MODE 0
#define DROPBEAR_SHA1_HMAC 0
#define DROPBEAR_SHA2_256_HMAC 1
#define DROPBEAR_RSA 0
#define DROPBEAR_RSA_SHA1 0
#define DROPBEAR_ECDSA 0
#define DROPBEAR_ED25519 1
#define DROPBEAR_SK_KEYS 0
#define DROPBEAR_DELAY_HOSTKEY 0
#define DROPBEAR_DH_GROUP14_SHA1 0
#define DROPBEAR_DH_GROUP14_SHA256 0
#define DROPBEAR_CURVE25519 1
#define DROPBEAR_ECDH 0
#define DO_MOTD 0
#define DEFAULT_PATH "/bin:/sbin:/kd"
#define DEFAULT_ROOT_PATH "/bin:/sbin:/kd"
