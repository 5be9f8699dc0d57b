//! Whom an encrypted connection trusts: anyone, or those that an authority knows.

use std::sync::Arc;

use relay_baton::store::Fault;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::{Address, Encryption, unfit};

/// What opens encrypted connections to `address`.
pub(crate) fn connector(address: &Address) -> Result<MakeRustlsConnect, Fault> {
    let provider = Arc::new(ring::default_provider());
    let verifier = match address.encryption {
        Encryption::VerifyAuthority | Encryption::VerifyFull => {
            let roots = Arc::new(authorities(address)?);
            let known = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build();
            let known = known.map_err(|_| unfit("there is no authority to trust: name a file in `sslrootcert`"))?;
            Verifier {
                provider: Arc::clone(&provider),
                known: Some(known),
                by_name: address.encryption == Encryption::VerifyFull,
            }
        }
        _ => Verifier { provider: Arc::clone(&provider), known: None, by_name: false },
    };
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let versions = versions.map_err(|_| unfit("this build knows no version of TLS"))?;
    let config = versions.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn authorities(address: &Address) -> Result<RootCertStore, Fault> {
    let mut roots = RootCertStore::empty();
    let Some(path) = &address.authorities else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        return Ok(roots);
    };
    let unreadable = || unfit("the file that `sslrootcert` names holds no certificates that can be read");
    for certificate in CertificateDer::pem_file_iter(path).map_err(|_| unreadable())? {
        roots.add(certificate.map_err(|_| unreadable())?).map_err(|_| unreadable())?;
    }
    Ok(roots)
}

/// Verifies as much as the address asks for.
#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    /// Knows who is known to the authorities; `None` trusts anyone.
    known: Option<Arc<WebPkiServerVerifier>>,
    /// Whether the name counts.
    by_name: bool,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(known) = &self.known else { return Ok(ServerCertVerified::assertion()) };
        match known.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is looked at last: everything else holds.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.by_name => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
