#pragma once
#include <stdbool.h>
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/bio.h>
#include <openssl/x509v3.h>
#include <openssl/x509_vfy.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <openssl/pem.h>

static const int postern_openssl_version_string = OPENSSL_VERSION_STRING;

// Macros of OpenSSL that Swift cannot call.

static inline int postern_ctx_set_min_version(SSL_CTX *ctx, int version) {
    return SSL_CTX_set_min_proto_version(ctx, version);
}
static inline void postern_ctx_session_cache_off(SSL_CTX *ctx) {
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
}
static inline int postern_ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}
static inline int postern_ssl_has_extended_master_secret(SSL *ssl) {
    return SSL_get_extms_support(ssl) == 1;
}
static inline void postern_ssl_release_buffers(SSL *ssl) {
    SSL_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
}
static inline size_t postern_bio_pending(BIO *bio) {
    return BIO_ctrl_pending(bio);
}
static inline void postern_bio_retry_when_empty(BIO *bio) {
    BIO_set_mem_eof_return(bio, -1);
}
static inline int postern_general_names_count(const GENERAL_NAMES *names) {
    return sk_GENERAL_NAME_num(names);
}
static inline const GENERAL_NAME *postern_general_name(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}
static inline uint64_t postern_option_no_renegotiation(void) {
    return SSL_OP_NO_RENEGOTIATION;
}
static inline uint64_t postern_option_no_compression(void) {
    return SSL_OP_NO_COMPRESSION;
}
static inline uint64_t postern_option_no_ticket(void) {
    return SSL_OP_NO_TICKET;
}
static inline bool postern_is_pem_end(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}
