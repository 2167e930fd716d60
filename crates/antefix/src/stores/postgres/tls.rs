//! TLS, where the address asks for it.
//!
//! A certificate is always checked against the server's name: a connection that is encrypted to nobody knows whom protects
//! from nobody. `sslrootcert` names the authority of a server whose certificate is not a public one.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::Fault;
use crate::freeze::store::{StoreError, StoreResult};

/// What makes TLS connections that trust the authority in a file, or those that the machine trusts.
pub(super) fn connector(sslrootcert: Option<&Path>) -> StoreResult<MakeRustlsConnect> {
    let roots = match sslrootcert {
        Some(path) => in_file(path)?,
        None => of_machine()?,
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::new(Fault::Failed, "TLS cannot be set up").because(error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn in_file(path: &Path) -> StoreResult<RootCertStore> {
    let refuse = |why: String| StoreError::new(Fault::Failed, format!("sslrootcert {}: {why}", path.display()));
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(path).map_err(|error| refuse(error.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| refuse(error.to_string()))?;
        roots.add(certificate).map_err(|error| refuse(error.to_string()))?;
    }
    if roots.is_empty() { Err(refuse("there is no certificate in it".to_owned())) } else { Ok(roots) }
}

fn of_machine() -> StoreResult<RootCertStore> {
    let mut roots = RootCertStore::empty();
    // Some of a machine's certificates are often unreadable or odd; the ones that are left decide.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        let why = "this machine trusts no certificate authority: install ca-certificates, or name one with sslrootcert";
        return Err(StoreError::new(Fault::Failed, why));
    }
    Ok(roots)
}
