// Debian's libmicrohttpd.a can also speak TLS and refers to GnuTLS, which cannot be linked statically. lt's server
// never starts TLS. These functions stand in for GnuTLS: all that is ever called is gnutls_global_init() and
// gnutls_global_deinit(), and zero means success.
#define LT_NO_TLS(name)             \
    extern "C" int gnutls_##name(); \
    extern "C" int gnutls_##name() { return 0; }

LT_NO_TLS(alpn_set_protocols)
LT_NO_TLS(bye)
LT_NO_TLS(certificate_allocate_credentials)
LT_NO_TLS(certificate_free_credentials)
LT_NO_TLS(certificate_server_set_request)
LT_NO_TLS(certificate_set_dh_params)
LT_NO_TLS(certificate_set_retrieve_function2)
LT_NO_TLS(certificate_set_retrieve_function3)
LT_NO_TLS(certificate_set_x509_key_mem)
LT_NO_TLS(certificate_set_x509_key_mem2)
LT_NO_TLS(certificate_set_x509_trust_mem)
LT_NO_TLS(cipher_get)
LT_NO_TLS(credentials_set)
LT_NO_TLS(deinit)
LT_NO_TLS(dh_params_deinit)
LT_NO_TLS(dh_params_import_pkcs3)
LT_NO_TLS(dh_params_init)
LT_NO_TLS(global_deinit)
LT_NO_TLS(global_init)
LT_NO_TLS(handshake)
LT_NO_TLS(init)
LT_NO_TLS(priority_deinit)
LT_NO_TLS(priority_init)
LT_NO_TLS(priority_set)
LT_NO_TLS(protocol_get_version)
LT_NO_TLS(psk_allocate_server_credentials)
LT_NO_TLS(psk_free_server_credentials)
LT_NO_TLS(psk_set_server_credentials_function)
LT_NO_TLS(record_check_pending)
LT_NO_TLS(record_get_direction)
LT_NO_TLS(record_recv)
LT_NO_TLS(record_send)
LT_NO_TLS(session_get_ptr)
LT_NO_TLS(session_set_ptr)
LT_NO_TLS(strerror)
LT_NO_TLS(transport_set_int2)

// A pointer to a function in the library, which only TLS calls.
extern "C" {
extern void* (*gnutls_malloc)(unsigned long);
void* (*gnutls_malloc)(unsigned long) = nullptr;
}
