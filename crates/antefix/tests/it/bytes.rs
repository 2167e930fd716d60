//! Promised bytes: what the library says in everybody's prompts changes only on purpose.

use std::collections::BTreeMap;
use std::path::Path;

use antefix::compose::{Wording, WordingKey, builtin};
use antefix::text::Digest;

use crate::given::MemoryTemplates;

/// Every built-in file and its digest.
const PROMISED: &[(&str, &str)] = &[
    ("buzz/layout.toml", "13104b7b22deaa5c05e88bde8c97b4721a4b02cf7c691fcb16f1a39d101679bc"),
    ("coding-agent/here.md", "fd747f5c2a8e67dacc3a166ae5151cc8c657d019563a723dd85c2436d5bf37a2"),
    ("coding-agent/identity.md", "96e80599d524846e67cb8670258397d90f516d829e7158dd21243449b48337d6"),
    ("coding-agent/instructions.md", "9f4ab13c390b118677ed5f234c2a8539b2f0135d4e5b44a3d496e64ca1e5ac4c"),
    ("coding-agent/layout.toml", "cf52c35f19f1bcdd711e299a82ebf66819d6fe36f980e5c0fdff7aab09373745"),
    ("coding-agent/memory.md", "e2efb2deb0cb435dcb8823bca03b698d6a724fea23751ed73f84b55aeed02ec7"),
    ("coding-agent/now.md", "e300b7bb31e145f487e06328a539a54a3befb5b3751e2a4b95759c68b5cd061b"),
    ("coding-agent/operator.md", "cf285247f655352c36ae4812d72be54520d4478289fcc15f507a478737055638"),
    ("coding-agent/scope.md", "7f3002e4bcff60ded25859ecd382a2e37f048e62a9dfceea4dbf298cdeb32970"),
    ("coding-agent/servers.md", "dfeb7995ba92ff4c8b839ba35163992d1238917f9ddcd14d02889fc86aec2ea5"),
    ("coding-agent/skills.md", "89d76e2f1936baf095bbcfb21d5d7dbb1d73dc1a3f2bdbf6430f0657fa40ea50"),
    ("coding-agent/tools.md", "e02df68d3b567a7e3fd3b76b15ebc10798928819192ca4585970bdedb7a483f4"),
    ("deepseek/base-v1.md", "32cb7b2f73fc8189c925ee49aed7c24b316f2970aea944112037942ebdd17b3d"),
    ("deepseek/instructions.md", "0b73b9331862709bf2d503e054ca14fa19f23bbee317eaff73384676493c42da"),
    ("deepseek/layout.toml", "158cfaf4e7d995c09fc193cc3d5e539856c30f020dbbe7d2393f47b539c12758"),
    ("deepseek/project.md", "f2f3286aaede1942c6b3a49f57458fa762e4c8f57f77b383c91d9e1c0e2daa44"),
    ("deepseek/skills.md", "4137f86ba8fee3b129e231e2f703ba4b41fa1d159b62dbf062c6723ba0917d1a"),
    ("dispatch/layout.toml", "32eef25f68d57d4ed67c1caf5826a16eb91e68171c64562365367d4af5134a9e"),
    ("dispatch/template.md", "3c461d3642e57d63cac7f088dc741b55198a64d28e469a7018c561d573c8c731"),
    ("pi/base.md", "33458a9c343422aaf6c58ef99dd34616e15d10ce574ed2ecae5791e42602b6b3"),
    ("pi/context.md", "f62d77390ad1bebe7c97d422370c60d77122142c69dcd8878ba577ffce33a51b"),
    ("pi/layout.toml", "6ba2eae55fc433a0df9b46458b6ecf78147213dfa0a8ff928eded581b75cd759"),
    ("pi/now.md", "0ed4627b27780a98dddddbdd80857f955cf4c0c89b5677286c6ac889ed84938f"),
    ("pi/skills.md", "f6abe5ad700fae1ebb55f618dda7d85a85dd99979c5af62daa9e1d4541522122"),
    ("wording/agent_memory_section.md", "e0d54f14384bd83d7e26117b2e4f9997789641450a05ac95cdb80f1b3f719b64"),
    ("wording/agents_md_section.md", "4fd5c73a3e2916bfd0e3e119aceef8dcf79119510912a88a17b0d570ae065f0e"),
    ("wording/agents_md_truncation_notice.md", "7c879b2dcad108a9f393e35cbed29d56e3412a9db560831d5942b40b6d4c5976"),
    ("wording/amend_added.md", "fd2d5ba6fa7b67ec8704e29bd01dc12ebc851196b7939b0f899121f3dec68174"),
    ("wording/amend_changed.md", "435f6040ba78fe62927422a13b3dd6f605dd0ddcaf075d51f8979346c33868e1"),
    ("wording/amend_edited.md", "bab6d697f36fa3f01721b33bdd7df767dc87e2a217e2416fe755387c2cf53dd9"),
    ("wording/amend_removed.md", "62601dfb5edd020228fbcf72af5b67c675ec8d1442ed3d6029878c48eb9c7ad2"),
    ("wording/base_section.md", "2700647d49116905f21a5fa7b8d7600e93cb3b3ba6a20c8ee805c21540d46033"),
    ("wording/boundary.md", "6be7a2372b169fd5d78fc0e31d545e42e37866e274d3b08c85c5144636fa2a72"),
    ("wording/buzz_base.md", "62820538adb3abd96877fa705373761974dda4da64c18d552437bb8c727117bf"),
    ("wording/buzz_newcomer.md", "fc3dbd2763994f46e530507822919377ec9f38cbe566149539afd6264428d3d9"),
    ("wording/compact_system.md", "f24001efb36c2b207b653813740c6e3f392ee9c68c2400698893ae6f1445d882"),
    ("wording/cut_notice.md", "b5993d42bd957a295d57febf02582eb0a35d5e19378e2a47ac6a6b3d86db82db"),
    ("wording/deepseek_boundary.md", "c2c3a8bcba0c68b5926f728a410c8939e10869faaa19ddfdaff459cbfa8ad7ce"),
    ("wording/deepseek_cut.md", "c5ac4e7081694a6cab9209b63071b6392f26def82c5ce1899346020258e55f4e"),
    ("wording/frame_begin.md", "9a7159cb884e8dd1e8e76fa9300d054732c9972f4207cc6e095baf59daf073f7"),
    ("wording/frame_end.md", "1d1022e14065d0889776ab83dd487a778c96075d14ebb6d471beece27d21183a"),
    ("wording/guideline_bash_files.md", "cf6d9812a145fabfb097761239cf6d1f03ef56a8987c7fab04711f1a2ae298d9"),
    ("wording/guideline_brief.md", "e04ee276ba8a946a6aec13d9a3be66e7d74cb8f4fcc809098ef5ac838716b5fa"),
    ("wording/guideline_edit.md", "fbbf44ffe37b4aba943ab73871b725e816f2f458bc38667281527fec2b204db8"),
    ("wording/guideline_paths.md", "0c8de7cc995856915e31965a1e65b7cf7f713fec14fc444c8283c77593e88bb2"),
    ("wording/guideline_plain_text.md", "0db2622e5a89c63f916816779389110118bda6ff51c1b26ca0a96cfe539506de"),
    ("wording/guideline_read_first.md", "8ad85350fbd51fc85adba5639d2863e2b73d48eaf3c34c85f4c82239b71be08e"),
    ("wording/guideline_search_tools.md", "8cf98a2cd4406bd46cf4f143d7aea71175b0ae102764e4e6bb758f0501178b3e"),
    ("wording/guideline_write.md", "41ec7225ec6736195e866841cce346c10c2ecaec1599a7ea5440fd4c31959674"),
    ("wording/instructions_section.md", "aeda896e2055671264afce54706667ba765596cea8033986e265923fbbe8644d"),
    ("wording/interrupt_system_note.md", "979fb37c80eaa16df161cf90aab2b6a4d1bf6f20c933bb6fbc98c652130a9b61"),
    ("wording/interrupt_tool_result_summary.md", "2b41d8c7aa4d3f99fa4c2e7cbdb9926836bcfbf3b3324ef03708ad30fccb23fc"),
    ("wording/live_changed.md", "3b46b736ca81f3ccc5f0578edcb95c9dde8e6c64c060174499d5956455f85fcb"),
    ("wording/notify_wrapper.md", "34d2a5182f26973ba7af1590f9b77c47b0e8a3a8759c020b8b62f81b6d1055c3"),
    ("wording/operator_section.md", "a3e5e5ed717e32ea61b7fe4a63aea463e9da88072e1dbc01d0b98e98666733dd"),
    ("wording/session_renewed.md", "0b95fdb51f7dd91e8f48d30fe8a3cb5481796d802de624c08cd5e3393c33d49f"),
    ("wording/tool_bash.md", "54111566e25fed3aa8036bca50575390f94ab64dd75553d466d1ecd520b92d5e"),
    ("wording/tool_edit.md", "59521ab8d047cbe3a83f74f0c9a406934e8c3fee637e5e0ca760e689d13a2030"),
    ("wording/tool_find.md", "fd41db0e897f056b59700deb470242601788979ac9a6ed73e3c0b08afe87eb9a"),
    ("wording/tool_grep.md", "6a4600823fd55ef34edaacc285bb760f353ed3cbab23aee2890d4f04b1da126b"),
    ("wording/tool_ls.md", "ff7a5e7908724fc76010519210ac0c768b06c84d9bb2bb008dbfc380a2e3fd3a"),
    ("wording/tool_read.md", "189f185d5718af13a868448faf373dc308fffe02aaf6c7c713cb1f4fa5f69d98"),
    ("wording/tool_write.md", "0380c627cb76067277f46c962845a952e6cdfc0cf0ad6ea450c719b8c297ba95"),
    ("wording/touch_notice.md", "46ab3b1bb57d98d795f2ef7ebcec28b1d8f39d00c9f2791d962fbca0b43e9957"),
    ("wording/working_boundaries_section.md", "5c319a2aaba0dcd9b8d29a15efb6f4d0a326e155353ee90e5bfbbb16b0074cb2"),
    ("yoi/common/tool-usage.md", "26e18f32e5ba6d1d346ce847d832477d5ffeaebf1f96678993904ea969bfd837"),
    ("yoi/default.md", "8bf59ee691a24101b5a4eee4d11585ec1d68c828ac0edc6fa49d9b8071ff49a7"),
    ("yoi/layout.toml", "e4244278271712473db2b10a06a84802bcff26380d1a1ecbbafcff2d65bb9bba"),
];

/// Every built-in text, by its file's name.
fn embedded() -> BTreeMap<String, &'static str> {
    let layouts = builtin::LAYOUTS.iter().map(|layout| (format!("{}/layout.toml", layout.name), layout.text));
    let prompts = builtin::PROMPTS.iter().map(|(path, text)| (format!("{path}.md"), *text));
    let wordings = WordingKey::all().map(|key| (format!("wording/{}.md", key.name()), key.built_in()));
    layouts.chain(prompts).chain(wordings).collect()
}

#[test]
fn built_in_texts_have_their_promised_bytes() {
    let digests: Vec<(String, String)> =
        embedded().into_iter().map(|(name, text)| (name, Digest::of(text).to_string())).collect();
    let promised: Vec<(String, String)> =
        PROMISED.iter().map(|(name, digest)| ((*name).to_owned(), format!("sha256:{digest}"))).collect();
    assert_eq!(
        digests, promised,
        "changing promised bytes needs the new digest here and a **Bytes** line in CHANGELOG.md"
    );
}

#[test]
fn every_file_under_layouts_is_embedded_as_it_lies_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("layouts");
    let (mut files, mut open) = (BTreeMap::new(), vec![root.clone()]);
    while let Some(folder) = open.pop() {
        for file in std::fs::read_dir(&folder).unwrap() {
            let file = file.unwrap().path();
            if file.is_dir() {
                open.push(file);
                continue;
            }
            let name = file.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
            files.insert(name, std::fs::read_to_string(&file).unwrap());
        }
    }
    let embedded: BTreeMap<String, String> =
        embedded().into_iter().map(|(name, text)| (name, text.to_owned())).collect();
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&files), names(&embedded));
    assert!(files == embedded, "a file differs from what was compiled in");
}

/// Line endings, tabs and trailing spaces are bytes too, and nobody sees them in a diff.
#[test]
fn built_in_texts_are_clean() {
    for (name, text) in embedded() {
        assert!(!text.contains('\r'), "{name} has a carriage return");
        assert!(!text.contains('\u{feff}'), "{name} has a byte order mark");
        assert!(text.ends_with('\n'), "{name} does not end its last line");
        assert!(text.lines().all(|line| line.trim_end() == line), "{name} has white space at a line's end");
    }
}

/// Y31: every wording of the built-in layer prints, with its variables if it has some.
#[test]
fn every_built_in_wording_prints() {
    for key in WordingKey::all() {
        let built_in = key.built_in();
        let printed = match key.variables() {
            // Notices have two; `keeper` prints them.
            _ if key.name().starts_with("amend_") => continue,
            [] => Wording::built_in().phrases().get(key.name()).as_str().to_owned(),
            variables => framed(key, variables),
        };
        let expected = key.variables().iter().fold(built_in.to_owned(), |text, variable| {
            assert_eq!(text.matches(&format!("{{{{ {variable} }}}}")).count(), 1, "{}", key.name());
            text.replace(&format!("{{{{ {variable} }}}}"), "<the {{ value }}>")
        });
        assert_eq!(printed, expected.strip_suffix('\n').unwrap(), "{}", key.name());
    }
}

/// A wording with one variable, around a section.
fn framed(key: WordingKey, variables: &[&str]) -> String {
    use antefix::compose::{Layout, compose};
    assert_eq!(variables.len(), 1, "{}: a frame has one variable", key.name());
    let text = format!(
        "[[section]]\nid = 'a'\nstability = 'frozen'\ndialect = 'plain'\ntext = '<the {{{{ value }}}}>'\nwrap = '{}'\n",
        key.name()
    );
    let source = antefix::text::Source::new(antefix::text::SourceKind::Layout, "framed", text);
    let layout = Layout::parse(&source.into(), &Wording::built_in(), &MemoryTemplates::default()).unwrap();
    compose(&layout, &antefix::discover::Facts::default()).unwrap().text().to_owned()
}
