//! What is a secret, and what only looks like one.

use super::samples::{BASE62, OPEN, base62, body, hex, named, one_of_each, redacted, url64};
use super::*;

/// The findings as text and rule.
fn found(text: &str) -> Vec<(&str, &'static str)> {
    find(text).into_iter().map(|secret| (&text[secret.range], secret.rule)).collect()
}

#[track_caller]
fn assert_ordinary(text: &str) {
    assert_eq!(found(text), [], "{text}");
}

#[test]
fn one_of_each_kind_is_found_as_a_whole_wherever_words_stand() {
    for (rule, secret) in one_of_each() {
        for (before, after) in [
            ("", ""),
            ("TOKEN=", "\n"),
            ("\"", "\""),
            ("(", ")"),
            ("+", "\r\n"),
            ("-", "\n"),
            ("`", "`"),
            ("Bearer ", "."),
            ("\\n", "\\n"),
            ("é", "é"),
            ("<b>", "</b>"),
            ("https://x/?key=", "&y=1"),
            ("a: ", ", b"),
        ] {
            let text = format!("{before}{secret}{after}");
            assert_eq!(found(&text), [(secret.as_str(), rule)], "{text}");
            assert_eq!(redacted(&text), format!("{before}[redacted:{rule}]{after}"));
        }
    }
}

#[test]
fn tokens_within_longer_words_or_of_another_length_are_none() {
    for (rule, secret) in one_of_each().into_iter().filter(|(rule, _)| *rule != "private-key") {
        assert_ordinary(&format!("x{secret}"));
        assert_ordinary(&format!("_{secret}"));
        // Of Vault there are both kinds; of Grafana, too.
        if OPEN.contains(&rule) || secret.starts_with("hv") || secret.starts_with("glc_") {
            continue;
        }
        assert_ordinary(&format!("{secret}A"));
        assert_ordinary(&format!("{secret}_"));
        assert_ordinary(&secret[..secret.len() - 1]);
    }
}

#[test]
fn near_misses_of_each_shape_are_none() {
    let pem = "-----BEGIN PUBLIC KEY-----";
    for text in [
        format!("ghx_{}", base62(36)),
        format!("GHP_{}", base62(36)),
        format!("ghp_{}-{}", base62(18), base62(17)),
        format!("github_pat_{}", base62(40)),
        format!("glpat-{}", url64(19)),
        format!("AKIA{}", body("abcdefgh", 16)),
        format!("AKIB{}", body("ABCDEFGHIJKL", 16)),
        format!("AKIA{}0189", body("QRSTUVWXYZ234567", 12)),
        format!("{pem}\n{}\n-----END PUBLIC KEY-----", base62(64)),
        format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----", base62(64)),
        format!("xoxb-{}", url64(6)),
        "xoxb-your-slack-bot-token-goes-here".to_owned(),
        format!("xoxz-1{}", base62(40)),
        format!("sk-{}", base62(47)),
        format!("sk-{}", base62(32)),
        format!("sk-{}-{}", base62(24), base62(23)),
        format!("sk-proj-{}", base62(20)),
        "sk-learn sk-icon-button-with-a-very-long-class-name-2024-Final".to_owned(),
        format!("sk-ant-api03-{}", base62(20)),
        format!("AIzb{}", url64(35)),
        format!("sk_test_{}", base62(24)),
        format!("sk_live_{}", base62(20)),
        format!("npm_{}", base62(35)),
        "npm_config_registry npm_package_version npm_lifecycle_event".to_owned(),
        format!("pypi-AgE{}", base62(20)),
        format!("eyJ{}.{}.{}", base62(33), base62(60), base62(43)),
        format!("eyJ{}.eyJ{}", base62(33), base62(60)),
        format!("eyJ{}", base62(400)),
        format!("hf_{}", base62(33)),
        "hf_hub_download hf_transfer".to_owned(),
        format!("SG.{}.{}", base62(21), base62(43)),
        format!("SG.{}{}", base62(22), base62(43)),
        format!("7301948526:{}", body("BCDEFGH0123", 35)),
        format!("730:AA{}", base62(33)),
        format!("AGE-SECRET-KEY-1{}", body("BIO1", 58)),
        format!("age1{}", body("qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58)),
        format!("gldt-{}", url64(19)),
        "gldt-deploy-token-of-the-pipeline glrt-runner-token-in-the-vault".to_owned(),
        format!("ATATT{}", url64(40)),
        format!("rubygems_{}", hex(40)),
        "rubygems_api_key rubygems_mfa_required".to_owned(),
        format!("dckr_pat_{}", url64(20)),
        "dckr_pat_ begins a token".to_owned(),
        format!("ABSK{}", base62(60)),
        format!("GOCSPX-{}", url64(20)),
        format!("ya29.{}", url64(20)),
        format!("dop_v1_{}", hex(63)),
        format!("dop_v1_{}", body("ghijklmnop0123", 64)),
        format!("dop_v2_{}", hex(64)),
        format!("dapi{}", hex(31)),
        "dapi.Request dapi_version dapian".to_owned(),
        format!("pul-{}", hex(39)),
        format!("hvs.{}", url64(23)),
        "hvs.secretsEngineTokenAccessor hvs.token_policy_of_the_engine".to_owned(),
        format!("s.{}", base62(24)),
        "s.assertContainsWithTimeou s.readUint32LittleEndianA1() s.getElementsByClassNameNS".to_owned(),
        format!("dp.pt.{}", base62(42)),
        format!("sk-or-v1-{}", hex(63)),
        format!("gsk_{}", base62(51)),
        "gsk_score gsk_model_registry_of_the_team".to_owned(),
        format!("xai-{}", base62(79)),
        format!("pplx-{}", base62(47)),
        format!("r8_{}", base62(36)),
        format!("SK{}", hex(31)),
        format!("SK{}", hex(32).to_uppercase()),
        format!("TASK{}", hex(32)),
        format!("AC{}", hex(32)),
        format!("shpat_{}", hex(31)),
        format!("shpxx_{}", hex(32)),
        format!("hooks.slack.com/services/{}", base62(20)),
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX".to_owned(),
        format!("ntn_{}", base62(46).replace(|c: char| c.is_ascii_digit(), "x")),
        format!("{}.atlasv1.{}", base62(13), url64(67)),
        format!("{}.atlasv1.{}", base62(14), url64(50)),
        format!("{}.atlasv2.{}", base62(14), url64(67)),
    ] {
        assert_ordinary(&text);
    }
}

#[test]
fn a_secret_without_a_prefix_is_found_behind_its_name() {
    for (before, secret, rule, after) in named() {
        let text = format!("a\n{before}{secret}{after}");
        assert_eq!(found(&text), [(secret.as_str(), rule)], "{text}");
        assert_eq!(redacted(&text), format!("a\n{before}[redacted:{rule}]{after}"));
    }
}

#[test]
fn a_name_alone_or_another_value_behind_it_is_ordinary() {
    let base64 = |length| body(&format!("{BASE62}+/"), length);
    for text in [
        "aws_secret_access_key = os.environ[\"AWS_SECRET_ACCESS_KEY\"]".to_owned(),
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
        "AWS_SECRET_ACCESS_KEY=${{ secrets.AWS_SECRET_ACCESS_KEY }}".to_owned(),
        "AWS_SECRET_ACCESS_KEY=<your secret key of forty characters or so>".to_owned(),
        format!("AWS_SECRET_ACCESS_KEY={}", "x".repeat(40)),
        format!("aws_secret_access_key = {}", base64(39)),
        format!("aws_secret_access_key = {}", base64(41)),
        format!("aws_secret_access_key_id = {}", base64(40)),
        format!("aws_secret_access_key is {}", base64(40)),
        format!("secret_key{}", base64(40)),
        // A commit.
        format!("secret_key: {}", hex(40)),
        format!("secretKey={}", "SomeVeryLongNameOfAFieldWithoutAnyDigits"),
        format!("commit {}", base64(40)),
        format!("AccountKey={}", base64(86)),
        format!("AccountKey={}==", base64(84)),
        "AccountName=a;AccountKey=<key>;EndpointSuffix=core.windows.net".to_owned(),
        format!("AccountKeys={}==", base64(86)),
        format!("integrity: sha512-{}==", base64(86)),
        format!("SharedAccessKeyName={}=", base64(43)),
        format!("SharedAccessKey={}", base64(43)),
        format!("TWILIO_AUTH_TOKEN={}", hex(31)),
        format!("TWILIO_ACCOUNT_SID=AC{}", hex(32)),
        "TWILIO_AUTH_TOKEN=your_auth_token".to_owned(),
        format!("VAULT_TOKEN=s.{}", base62(23)),
        format!("VAULT_TOKEN=s.{}", base62(25)),
        "VAULT_TOKEN=s.xxxxxxxxxxxxxxxxxxxxxxxx vault login -method=oidc".to_owned(),
        format!("md5: {}", hex(32)),
        format!("aBcQ~{}", base62(34)),
        format!("aBc8Q~{}", base62(20)),
        format!("aBc8Q~{}", base62(60)),
        format!("longer-aBc8Q~{}", base62(34)),
    ] {
        assert_ordinary(&text);
    }
}

#[test]
fn placeholders_are_no_secrets() {
    for text in [
        format!("ghp_{}", "x".repeat(36)),
        format!("ghp_{}", "X".repeat(36)),
        format!("ghp_{}", "0".repeat(36)),
        format!("ghp_{}", "ab".repeat(18)),
        format!("ghp_{}", "abcdefghijklmnopqrstuvwxyz0123456789"),
        format!("ghp_{}1234", "x".repeat(32)),
        format!("AKIA{}EXAMPLE", "IOSFODNN7"),
        format!("AKIA{}", "X".repeat(16)),
        "glpat-your-access-token-goes-here".to_owned(),
        "glpat-YOUR_ACCESS_TOKEN_GOES_HERE".to_owned(),
        format!("sk-ant-api03-{}", "x".repeat(95)),
        format!("sk-proj-{}", "*".repeat(48)),
        format!("sk-proj-Example{}", base62(48)),
        format!("AIza{}", "-".repeat(35)),
        format!("eyJ{}.eyJ{}.{}", base62(33), base62(60), "x".repeat(43)),
        format!("SG.{}.{}", "x".repeat(22), "x".repeat(43)),
    ] {
        assert_ordinary(&text);
    }
}

#[test]
fn a_private_key_is_found_in_every_dress_and_a_mention_is_none() {
    let line = body(&format!("{BASE62}+/"), 64);
    let header = "-----BEGIN EC PRIVATE KEY-----";
    let footer = "-----END EC PRIVATE KEY-----";
    for key in [
        format!("{header}\n{line}\n{footer}"),
        format!("{header}\r\n  {line}\r\n  {footer}"),
        format!("{header}\\n{line}\\n{footer}"),
        format!("{header}\n+{line}\n+{footer}"),
        format!("{header}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n{line}\n{footer}"),
    ] {
        assert_eq!(found(&format!("a {key} b")), [(key.as_str(), "private-key")]);
    }
    for cut in [
        format!("{header}\n{line}\n{line}\n"),
        format!("{header}\n\n  {line}"),
        format!("{header}\\n{line}"),
        format!("{header}\n{line}\n-----END EC PRIV"),
        format!("{header}\nProc-Type: 4,ENCRYPTED\n\n{line}"),
    ] {
        assert_eq!(found(&format!("a {cut}")), [(cut.as_str(), "private-key")]);
        let second = format!("{header}\n{line}\n{footer}");
        let both = format!("{cut}{second}\nrest");
        assert_eq!(found(&both), [(cut.as_str(), "private-key"), (second.as_str(), "private-key")]);
    }
    for mention in [
        header.to_owned(),
        format!("between `{header}` and `{footer}`"),
        format!("{header}\n...\n{footer}"),
        format!("{header}\nyour key\n{footer}"),
        format!("a file with {header} in it, and the digest {} behind", body("0123456789abcdef", 64)),
        format!("-----BEGIN PRIVATE KEY\n{line}"),
        format!("-----BEGIN private key-----\n{line}"),
    ] {
        assert_ordinary(&mention);
    }
}

#[test]
fn of_a_url_only_the_password_is_a_secret() {
    for (text, password) in [
        ("postgres://app:tr0ub4dor@db.internal:5432/app", "tr0ub4dor"),
        ("redis://:hunter2hunter2@cache", "hunter2hunter2"),
        ("mongodb+srv://root:p%40ssw0rd!@a.example,b.example/?x=1", "p%40ssw0rd!"),
        ("https://me:c0rrect@horse@host/a@b", "c0rrect@horse"),
        ("x='amqp://u:größe123@[::1]:5672'", "größe123"),
    ] {
        assert_eq!(found(text), [(password, "url-credentials")], "{text}");
    }
    let token = format!("ghp_{}", base62(36));
    assert_eq!(found(&format!("https://x:{token}@github.com/a")), [(token.as_str(), "github-pat")]);
    assert_eq!(found(&format!("https://{token}@github.com/a")), [(token.as_str(), "github-pat")]);
    let longer = format!("{token}.more");
    assert_eq!(found(&format!("https://x:{longer}@github.com/a")), [(longer.as_str(), "url-credentials")]);
    let both = format!("https://{token}:tr0ub4dor@github.com/a");
    assert_eq!(found(&both), [(token.as_str(), "github-pat"), ("tr0ub4dor", "url-credentials")]);
}

#[test]
fn urls_without_a_real_password_are_ordinary() {
    for text in [
        "https://user:password@host",
        "https://user:PASSWORD@host",
        "https://user:********@host",
        "https://u:xxxxxxxx@host",
        "https://u:${DB_PASSWORD}@host",
        "https://u:$DB_PASSWORD@host",
        "https://u:<password>@host",
        "https://{u}:{password}@{host}",
        "https://u:{{ db.password }}@host",
        "https://u:%PASSWORD%@host",
        "https://u:[password]@host",
        "https://u:your-password@host",
        "https://u:changeme@host",
        "https://u:••••••••@host",
        "https://u:12345678@host",
        "https://u:DB_PASSWORD@host",
        "https://u:short@host",
        "postgres://postgres:postgres@localhost/x",
        "https://host:8080/a@b",
        "https://host:8080?q=a@b",
        "git+ssh://git@github.com:owner/repository.git",
        "docker://alpine:3.20.1-r0@sha256:0a4eaa0eecf5f8c050e5bba433f58c05",
        "https://u:tr0ub4dor host@x",
        "https://u:tr0ub4dor@",
        "//u:tr0ub4dor@host",
        "://u:tr0ub4dor@host",
        "u:tr0ub4dor@host",
        "https://u:[redacted:url-credentials]@host",
        "https://[redacted:github-pat]:[redacted:url-credentials]@host",
    ] {
        assert_ordinary(text);
    }
}

#[test]
fn a_marker_names_its_rule_and_is_no_secret() {
    assert_eq!(marker("github-pat"), "[redacted:github-pat]");
    for (rule, secret) in one_of_each() {
        assert_ordinary(&marker(rule));
        assert_eq!(redacted(&redacted(&secret)), marker(rule));
    }
}

/// Redacting one secret must not make another out of what was beside it. Random texts came upon each of these.
#[test]
fn secrets_that_touch_are_redacted_in_one_go() {
    let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----", base62(64));
    let token = format!("ghp_{}", base62(36));
    let slack = format!("xoxb-{}-{}", body("7390215864", 12), base62(24));
    for text in [
        format!("-----BEGIN PRIVATE KEY-----{token}-----END EXAMPLE{token}"),
        format!("sk-proj-{}-{key}", base62(38)),
        format!("sk-proj-{}--{key}", base62(38)),
        format!("AIza{}-{token}", url64(34)),
        format!("-----BEGIN PRIVATE KEY-----{}-{slack}K: v\n", base62(23)),
        format!("-----BEGIN PRIVATE KEY----- {key} {} -----END PRIVATE KEY-----", base62(64)),
        format!("https://{token}:{token}@host"),
    ] {
        assert!(!find(&text).is_empty());
        assert_ordinary(&redacted(&text));
    }
}

/// The stated budget of false alarms is none.
#[test]
fn ordinary_text_has_no_secrets() {
    for text in [
        include_str!("ordinary/code.txt"),
        include_str!("ordinary/prose.md"),
        include_str!("ordinary/change.diff"),
        include_str!("ordinary/locks.txt"),
        include_str!("ordinary/digests.txt"),
    ] {
        assert!(text.len() > 1500, "an empty fixture proves nothing");
        assert_ordinary(text);
    }
}
