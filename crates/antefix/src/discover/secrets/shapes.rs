//! The table of tokens of one piece: who issues them, how they begin, what they are written in and how long they are.
//!
//! The more special prefix is first. Prefixes that begin many ordinary words have a body that is looked at besides.

use super::token::{Alphabet, Shape, at_least, exactly, kinds};

/// Every token of one piece.
pub(super) const SHAPES: &[Shape] = &[
    // Where code is kept.
    exactly("github-pat", "ghp_", Alphabet::Base62, 36),
    exactly("github-pat", "gho_", Alphabet::Base62, 36),
    exactly("github-pat", "ghu_", Alphabet::Base62, 36),
    exactly("github-pat", "ghs_", Alphabet::Base62, 36),
    exactly("github-pat", "ghr_", Alphabet::Base62, 36),
    exactly("github-pat", "ghr_", Alphabet::Base62, 76),
    exactly("github-pat", "github_pat_", Alphabet::Word, 82),
    at_least("gitlab-pat", "glpat-", Alphabet::Url, 20),
    at_least("gitlab-token", "gldt-", Alphabet::Url, 20),
    at_least("gitlab-token", "glrt-", Alphabet::Url, 20),
    at_least("gitlab-token", "glft-", Alphabet::Url, 20),
    at_least("gitlab-token", "glcbt-", Alphabet::Url, 20),
    at_least("gitlab-token", "glptt-", Alphabet::Url, 40),
    at_least("gitlab-token", "glimt-", Alphabet::Url, 25),
    at_least("gitlab-token", "glsoat-", Alphabet::Url, 20),
    at_least("gitlab-token", "glagent-", Alphabet::Url, 50),
    at_least("gitlab-token", "gloas-", Alphabet::Url, 64),
    at_least("atlassian-token", "ATATT3", Alphabet::Url, 100),
    at_least("atlassian-token", "ATCTT3", Alphabet::Url, 100),
    // Where packages are kept.
    exactly("npm-token", "npm_", Alphabet::Base62, 36),
    at_least("pypi-token", "pypi-AgE", Alphabet::Url, 50),
    exactly("rubygems-token", "rubygems_", Alphabet::Hex, 48),
    at_least("docker-token", "dckr_pat_", Alphabet::Url, 27),
    at_least("docker-token", "dckr_oat_", Alphabet::Url, 27),
    // Clouds, and where their secrets are kept.
    exactly("aws-access-key", "AKIA", Alphabet::Base32, 16),
    exactly("aws-access-key", "ASIA", Alphabet::Base32, 16),
    exactly("aws-access-key", "ABIA", Alphabet::Base32, 16),
    exactly("aws-access-key", "ACCA", Alphabet::Base32, 16),
    at_least("aws-bedrock-key", "ABSK", Alphabet::Base64, 109),
    exactly("google-api-key", "AIza", Alphabet::Url, 35),
    exactly("google-oauth-secret", "GOCSPX-", Alphabet::Url, 28),
    at_least("google-oauth-token", "ya29.", Alphabet::Url, 60),
    exactly("digitalocean-token", "dop_v1_", Alphabet::Hex, 64),
    exactly("digitalocean-token", "doo_v1_", Alphabet::Hex, 64),
    exactly("digitalocean-token", "dor_v1_", Alphabet::Hex, 64),
    at_least("heroku-key", "HRKU-AA", Alphabet::Url, 58),
    exactly("databricks-token", "dapi", Alphabet::Hex, 32),
    exactly("pulumi-token", "pul-", Alphabet::Hex, 40),
    at_least("fly-token", "fm2_", Alphabet::Base64, 100),
    at_least("fly-token", "fo1_", Alphabet::Url, 43),
    exactly("supabase-token", "sbp_", Alphabet::Hex, 40),
    at_least("planetscale-token", "pscale_tkn_", Alphabet::Url, 32),
    at_least("planetscale-token", "pscale_pw_", Alphabet::Url, 32),
    // Code writes `hvs.` for a field; a real token has more than words.
    at_least("vault-token", "hvs.", Alphabet::Url, 24).with(is_mixed),
    at_least("vault-token", "hvb.", Alphabet::Url, 24).with(is_mixed),
    at_least("vault-token", "hvr.", Alphabet::Url, 24).with(is_mixed),
    exactly("doppler-token", "dp.pt.", Alphabet::Base62, 43),
    exactly("doppler-token", "dp.st.", Alphabet::Base62, 43),
    at_least("onepassword-token", "ops_eyJ", Alphabet::Base64, 250),
    exactly("age-secret-key", "AGE-SECRET-KEY-1", Alphabet::Bech32, 58),
    // Models.
    at_least("anthropic-key", "sk-ant-api03-", Alphabet::Url, 80),
    at_least("anthropic-key", "sk-ant-admin01-", Alphabet::Url, 80),
    at_least("anthropic-key", "sk-ant-oat01-", Alphabet::Url, 80),
    at_least("anthropic-key", "sk-ant-ort01-", Alphabet::Url, 80),
    at_least("anthropic-key", "sk-ant-sid01-", Alphabet::Url, 80),
    exactly("openrouter-key", "sk-or-v1-", Alphabet::Hex, 64),
    at_least("openai-key", "sk-proj-", Alphabet::Url, 40),
    at_least("openai-key", "sk-svcacct-", Alphabet::Url, 40),
    at_least("openai-key", "sk-admin-", Alphabet::Url, 40),
    // `sk-` begins many names. The letters in the middle are "OpenAI" in base64.
    at_least("openai-key", "sk-", Alphabet::Url, 40).with(names_openai),
    // Several issuers write these two. What has no dash in it for so long is not a name.
    exactly("sk-key", "sk-", Alphabet::Base62, 48),
    exactly("sk-key", "sk-", Alphabet::Hex, 32),
    exactly("huggingface-token", "hf_", Alphabet::Base62, 34),
    exactly("groq-key", "gsk_", Alphabet::Base62, 52),
    exactly("xai-key", "xai-", Alphabet::Base62, 80),
    exactly("perplexity-key", "pplx-", Alphabet::Base62, 48),
    exactly("replicate-token", "r8_", Alphabet::Base62, 37),
    exactly("cerebras-key", "csk-", Alphabet::Base62, 48),
    at_least("nvidia-key", "nvapi-", Alphabet::Url, 60),
    // Messages and mail.
    // Documentation writes `xoxb-your-token`; the real ones go on with a number.
    at_least("slack-token", "xoxb-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("slack-token", "xoxp-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("slack-token", "xoxa-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("slack-token", "xoxr-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("slack-token", "xoxs-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("slack-token", "xoxe-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("slack-token", "xapp-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("slack-webhook", "hooks.slack.com/services/", Alphabet::Base64, 43),
    at_least("brevo-key", "xkeysib-", Alphabet::Url, 81),
    exactly("twilio-key", "SK", Alphabet::Hex, 32).with(is_small_hex),
    // Shops and payment.
    at_least("stripe-key", "sk_live_", Alphabet::Base62, 24),
    at_least("stripe-key", "rk_live_", Alphabet::Base62, 24),
    exactly("shopify-token", "shpat_", Alphabet::Hex, 32),
    exactly("shopify-token", "shpca_", Alphabet::Hex, 32),
    exactly("shopify-token", "shppa_", Alphabet::Hex, 32),
    exactly("shopify-token", "shpss_", Alphabet::Hex, 32),
    exactly("shopify-token", "shpua_", Alphabet::Hex, 32),
    exactly("square-token", "sq0atp-", Alphabet::Url, 22),
    exactly("square-token", "sq0csp-", Alphabet::Url, 43),
    // Watching and planning.
    exactly("grafana-token", "glsa_", Alphabet::Word, 41),
    at_least("grafana-token", "glc_", Alphabet::Base64, 32),
    exactly("newrelic-key", "NRAK-", Alphabet::Base62, 27),
    exactly("sentry-token", "sntryu_", Alphabet::Hex, 64),
    at_least("postman-key", "PMAK-", Alphabet::Url, 59),
    exactly("linear-key", "lin_api_", Alphabet::Base62, 40),
    exactly("notion-token", "ntn_", Alphabet::Base62, 46).with(begins_with_digit),
];

/// Numbers come first in tokens of Slack, up to three of them, and what follows them decides whether it is a placeholder.
const SLACK: usize = 64;

fn begins_with_digit(body: &[u8]) -> bool {
    body.first().is_some_and(u8::is_ascii_digit)
}

fn names_openai(body: &[u8]) -> bool {
    body.windows(8).any(|window| window == b"T3BlbkFJ")
}

/// Small letters, capitals and digits.
fn is_mixed(body: &[u8]) -> bool {
    kinds(body) == 3
}

fn is_small_hex(body: &[u8]) -> bool {
    !body.iter().any(u8::is_ascii_uppercase)
}
