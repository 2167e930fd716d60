//! Secrets that nobody was ever issued, for tests.
//!
//! No token is complete here: a scanner that guards this repository would be right to complain.

use super::{find, marker};

/// One of each kind, with its rule.
pub(super) fn one_of_each() -> Vec<(&'static str, String)> {
    let bech32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
    let base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let pem = |label: &str| {
        let line = body(&format!("{BASE62}+/"), 64);
        format!("-----BEGIN {label}-----\n{line}\n{line}\n{}==\n-----END {label}-----", base62(30))
    };
    vec![
        ("github-pat", format!("ghp_{}", base62(36))),
        ("github-pat", format!("gho_{}", base62(36))),
        ("github-pat", format!("ghu_{}", base62(36))),
        ("github-pat", format!("ghs_{}", base62(36))),
        ("github-pat", format!("ghr_{}", base62(36))),
        ("github-pat", format!("ghr_{}", base62(76))),
        ("github-pat", format!("github_pat_{}_{}", base62(22), base62(59))),
        ("gitlab-pat", format!("glpat-{}", url64(20))),
        ("gitlab-pat", format!("glpat-{}", url64(300))),
        ("aws-access-key", format!("AKIA{}", body(base32, 16))),
        ("aws-access-key", format!("ASIA{}", body(base32, 16))),
        ("aws-access-key", format!("ABIA{}", body(base32, 16))),
        ("aws-access-key", format!("ACCA{}", body(base32, 16))),
        ("private-key", pem("PRIVATE KEY")),
        ("private-key", pem("RSA PRIVATE KEY")),
        ("private-key", pem("OPENSSH PRIVATE KEY")),
        ("private-key", pem("PGP PRIVATE KEY BLOCK")),
        ("slack-token", format!("xoxb-{}-{}", body("7390215864", 12), base62(24))),
        ("slack-token", format!("xoxp-{}-{}", body("7390215864", 12), base62(32))),
        ("slack-token", format!("xoxb-{}-{}-{}", body("7390215864", 12), body("8264910375", 12), base62(24))),
        ("slack-token", format!("xoxp-{0}-{0}-{0}-{1}", body("7390215864", 12), base62(32))),
        ("slack-token", format!("xoxa-2-{}", base62(40))),
        ("slack-token", format!("xoxr-{}-{}", body("7390215864", 12), base62(24))),
        ("slack-token", format!("xoxs-{}-{}", body("7390215864", 12), base62(24))),
        ("slack-token", format!("xapp-1-A{}-{}", base62(10), base62(64))),
        ("openai-key", format!("sk-{}T3BlbkFJ{}", base62(20), base62(20))),
        ("openai-key", format!("sk-proj-{}T3BlbkFJ{}", url64(74), url64(74))),
        ("openai-key", format!("sk-proj-{}", base62(48))),
        ("openai-key", format!("sk-svcacct-{}T3BlbkFJ{}", url64(58), url64(58))),
        ("openai-key", format!("sk-admin-{}T3BlbkFJ{}", url64(58), url64(58))),
        ("anthropic-key", format!("sk-ant-api03-{}AA", url64(93))),
        ("anthropic-key", format!("sk-ant-admin01-{}AA", url64(93))),
        ("anthropic-key", format!("sk-ant-oat01-{}AA", url64(93))),
        ("google-api-key", format!("AIza{}", url64(35))),
        ("stripe-key", format!("sk_live_{}", base62(24))),
        ("stripe-key", format!("rk_live_{}", base62(99))),
        ("npm-token", format!("npm_{}", base62(36))),
        ("pypi-token", format!("pypi-AgEIcHlwaS5vcmc{}", url64(150))),
        ("jwt", format!("eyJ{}.eyJ{}.{}", base62(33), base62(60), url64(43))),
        ("huggingface-token", format!("hf_{}", base62(34))),
        ("sendgrid", format!("SG.{}.{}", url64(22), url64(43))),
        ("telegram-bot-token", format!("7301948526:AA{}", url64(33))),
        ("age-secret-key", format!("AGE-SECRET-KEY-1{}", body(bech32, 58))),
    ]
}

/// The text with each secret replaced by its marker.
pub(super) fn redacted(text: &str) -> String {
    let mut rest = 0;
    let mut result = String::new();
    for secret in find(text) {
        result += &text[rest..secret.range.start];
        result += &marker(secret.rule);
        rest = secret.range.end;
    }
    result + &text[rest..]
}

/// Letters and digits.
pub(super) const BASE62: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Characters of an alphabet in an order that looks random and is always the same.
pub(super) fn body(alphabet: &str, length: usize) -> String {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(alphabet.as_bytes()[(state >> 33) as usize % alphabet.len()])
    };
    (0..length).map(|_| next()).collect()
}

/// Letters and digits.
pub(super) fn base62(length: usize) -> String {
    body(BASE62, length)
}

/// Base64 for URLs.
pub(super) fn url64(length: usize) -> String {
    body(&format!("{BASE62}-_"), length)
}
