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
        ("gitlab-token", format!("gldt-{}", url64(20))),
        ("gitlab-token", format!("glrt-{}", url64(20))),
        ("gitlab-token", format!("glptt-{}", hex(40))),
        ("atlassian-token", format!("ATATT3xFfGF0{}", url64(180))),
        ("rubygems-token", format!("rubygems_{}", hex(48))),
        ("docker-token", format!("dckr_pat_{}", url64(27))),
        ("docker-token", format!("dckr_oat_{}", url64(32))),
        ("aws-bedrock-key", format!("ABSK{}", body(&format!("{BASE62}+/"), 128))),
        ("google-oauth-secret", format!("GOCSPX-{}", url64(28))),
        ("google-oauth-token", format!("ya29.{}", url64(200))),
        ("digitalocean-token", format!("dop_v1_{}", hex(64))),
        ("digitalocean-token", format!("doo_v1_{}", hex(64))),
        ("digitalocean-token", format!("dor_v1_{}", hex(64))),
        ("heroku-key", format!("HRKU-AA{}", url64(58))),
        ("databricks-token", format!("dapi{}", hex(32))),
        ("pulumi-token", format!("pul-{}", hex(40))),
        ("fly-token", format!("fm2_{}", base62(300))),
        ("supabase-token", format!("sbp_{}", hex(40))),
        ("planetscale-token", format!("pscale_tkn_{}", url64(43))),
        ("vault-token", format!("hvs.{}", url64(24))),
        ("vault-token", format!("hvs.CAESI{}", url64(90))),
        ("vault-token", format!("hvb.AAAAAQ{}", url64(140))),
        ("doppler-token", format!("dp.pt.{}", base62(43))),
        ("onepassword-token", format!("ops_eyJ{}", base62(400))),
        ("openrouter-key", format!("sk-or-v1-{}", hex(64))),
        ("sk-key", format!("sk-{}", base62(48))),
        ("sk-key", format!("sk-{}", hex(32))),
        ("groq-key", format!("gsk_{}", base62(52))),
        ("xai-key", format!("xai-{}", base62(80))),
        ("perplexity-key", format!("pplx-{}", base62(48))),
        ("replicate-token", format!("r8_{}", base62(37))),
        ("cerebras-key", format!("csk-{}", base62(48))),
        ("nvidia-key", format!("nvapi-{}", url64(64))),
        ("slack-token", format!("xoxe-1-{}", base62(146))),
        ("slack-webhook", format!("hooks.slack.com/services/T{}/B{}/{}", base62(8), base62(10), base62(24))),
        ("brevo-key", format!("xkeysib-{}-{}", hex(64), base62(16))),
        ("twilio-key", format!("SK{}", hex(32))),
        ("shopify-token", format!("shpat_{}", hex(32))),
        ("shopify-token", format!("shpca_{}", hex(32))),
        ("shopify-token", format!("shppa_{}", hex(32))),
        ("shopify-token", format!("shpss_{}", hex(32))),
        ("square-token", format!("sq0atp-{}", url64(22))),
        ("square-token", format!("sq0csp-{}", url64(43))),
        ("grafana-token", format!("glsa_{}_{}", base62(32), hex(8))),
        ("grafana-token", format!("glc_{}", base62(120))),
        ("newrelic-key", format!("NRAK-{}", body(&BASE62.to_uppercase()[..26], 13) + &body("0123456789", 14))),
        ("sentry-token", format!("sntryu_{}", hex(64))),
        ("postman-key", format!("PMAK-{}-{}", hex(24), hex(34))),
        ("linear-key", format!("lin_api_{}", base62(40))),
        ("notion-token", format!("ntn_{}{}", body("0123456789", 11), base62(35))),
        ("terraform-token", format!("{}.atlasv1.{}", base62(14), url64(67))),
    ]
}

/// Rules whose secrets may be longer than the shortest of them.
pub(super) const OPEN: &[&str] = &[
    "gitlab-pat",
    "gitlab-token",
    "atlassian-token",
    "slack-token",
    "slack-webhook",
    "openai-key",
    "anthropic-key",
    "nvidia-key",
    "pypi-token",
    "docker-token",
    "aws-bedrock-key",
    "google-oauth-token",
    "heroku-key",
    "fly-token",
    "planetscale-token",
    "onepassword-token",
    "brevo-key",
    "postman-key",
    "terraform-token",
    "jwt",
    "stripe-key",
];

/// What is written before a secret that has no prefix, the secret, its rule, and what is written behind it.
pub(super) fn named() -> Vec<(&'static str, String, &'static str, &'static str)> {
    let base64 = |length| body(&format!("{BASE62}+/"), length);
    let (aws, storage, shared) = (base64(40), base64(86) + "==", base64(43) + "=");
    let azure = format!("aB~8Q~{}", body(&format!("{BASE62}-_~."), 33) + "z");
    vec![
        ("aws_secret_access_key = ", aws.clone(), "aws-secret-key", "\n"),
        ("aws_secret_access_key=", aws.clone(), "aws-secret-key", ""),
        ("export AWS_SECRET_ACCESS_KEY=\"", aws.clone(), "aws-secret-key", "\""),
        ("AWS_SECRET_ACCESS_KEY: ", aws.clone(), "aws-secret-key", " # of the pipeline"),
        ("{\"SecretAccessKey\": \"", aws.clone(), "aws-secret-key", "\", \"SessionToken\": \"\"}"),
        ("{\\\"secretAccessKey\\\":\\\"", aws.clone(), "aws-secret-key", "\\\"}"),
        ("<SecretAccessKey>", aws.clone(), "aws-secret-key", "</SecretAccessKey>"),
        ("aws configure set aws_secret_access_key ", aws.clone(), "aws-secret-key", ""),
        ("secret_key = \"", aws.clone(), "aws-secret-key", "\""),
        ("--secret-key ", aws.clone(), "aws-secret-key", " --region eu"),
        ("| `AWS_SECRET_ACCESS_KEY` | `", aws.clone(), "aws-secret-key", "` |"),
        ("new BasicAWSCredentials(id, secretKey: '", aws, "aws-secret-key", "')"),
        (
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=",
            storage.clone(),
            "azure-storage-key",
            ";EndpointSuffix=x",
        ),
        ("AZURE_STORAGE_ACCOUNT_KEY=", storage.clone(), "azure-storage-key", "\n"),
        ("az storage blob list --account-key ", storage, "azure-storage-key", " -c a"),
        ("Endpoint=sb://a.example/;SharedAccessKeyName=Root;SharedAccessKey=", shared.clone(), "azure-shared-key", ""),
        ("SHARED_ACCESS_KEY: '", shared, "azure-shared-key", "'"),
        ("TWILIO_AUTH_TOKEN=", hex(32), "twilio-token", "\n"),
        ("twilioAuthToken: \"", hex(32), "twilio-token", "\""),
        ("VAULT_TOKEN=", format!("s.{}", base62(24)), "vault-token", "\n"),
        ("curl -H 'X-Vault-Token: ", format!("s.{}", base62(24)), "vault-token", "' $VAULT_ADDR"),
        ("vault login ", format!("s.{}", base62(24)), "vault-token", ""),
        ("{\"client_token\":\"", format!("s.{}", base62(24)), "vault-token", "\"}"),
        ("AZURE_CLIENT_SECRET=", azure.clone(), "azure-client-secret", "\n"),
        ("password: '", azure.clone(), "azure-client-secret", "'"),
        ("The secret is ", azure, "azure-client-secret", ". Rotate it."),
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

/// Hexadecimal digits.
pub(super) fn hex(length: usize) -> String {
    body("0123456789abcdef", length)
}

/// Base64 for URLs.
pub(super) fn url64(length: usize) -> String {
    body(&format!("{BASE62}-_"), length)
}
