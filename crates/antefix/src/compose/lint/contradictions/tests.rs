use super::pairs;
use crate::stop::Stop;

/// The sentences that contradict each other, in two files.
fn found(first: &str, second: &str) -> Vec<(String, String)> {
    let texts = [("AGENTS.md", first), ("web/AGENTS.md", second)];
    let said = |said: &super::Said| texts[said.text].1[said.sentence.range.clone()].to_owned();
    pairs(&texts, &Stop::default()).iter().map(|pair| (said(&pair.first), said(&pair.second))).collect()
}

#[test]
fn rules_that_nobody_can_keep_together_are_found() {
    let rows = [
        ("Use tabs.", "Use spaces."),
        ("- Indent with tabs.", "* Use 4 spaces for indentation"),
        ("Use tabs, not spaces.", "Prefer spaces over tabs."),
        ("**Indentation:** use tabs", "Always use 2-space indentation."),
        ("Use 2 spaces.", "Use four spaces."),
        ("Use npm.", "Use pnpm, not npm."),
        ("We use `yarn`.", "The package manager is bun."),
        ("Use pip to install dependencies.", "Use uv to manage dependencies."),
        ("Use single quotes.", "Use double quotes for strings."),
        ("Always use semicolons.", "No semicolons."),
        ("Do not use semicolons.", "Use semicolons."),
        ("Use jest for tests.", "Write tests with vitest."),
        ("Keep lines under 80 characters.", "Limit lines to 100 characters."),
        ("Answer in German.", "Always respond in English."),
        ("Always run the tests before committing.", "Never run the tests before committing."),
        ("Commit generated files.", "Do not commit generated files."),
        ("You must sign off\nyour commits.", "Don't sign off your commits!"),
        ("Don’t edit the changelog.", "Make sure to edit the changelog."),
        ("## Style\n- Use tabs.", "## Conventions\n- Use spaces."),
        ("## Python\n- Use tabs.", "# Rules\n## Python\n- Use spaces."),
        ("# Shop\n\n- Use tabs.", "# Web\n\n- Use spaces."),
        ("Follow these rules:\n- Use tabs.", "Use spaces."),
    ];
    for (first, second) in rows {
        assert_eq!(found(first, second).len(), 1, "{first:?} / {second:?}: {:?}", found(first, second));
    }
}

#[test]
fn rules_that_go_together_are_left_alone() {
    let rows = [
        ("Use tabs.", "Use tabs for indentation."),
        ("Use tabs in Makefiles.", "Use spaces."),
        ("## Go\nUse tabs.", "## Python\nUse spaces."),
        ("## Makefiles\nUse tabs.", "Use spaces."),
        ("# Go\nUse tabs.\n# Python\nUse spaces.", "# Web\nUse spaces."),
        ("For Go code:\n- Use tabs.", "- Use spaces."),
        ("Go: use tabs.", "Python: use spaces."),
        ("Use npm.", "Do not use npm in CI."),
        ("Use npm for the website.", "Use pnpm for the packages."),
        ("```\nUse tabs.\n```", "Use spaces."),
        ("> Use tabs.", "Use spaces."),
        ("Use tabs?", "Use spaces."),
        ("## Don't\n- Commit generated files.", "Never commit generated files."),
        ("Never:\n- commit generated files", "Do not commit generated files."),
        ("Avoid the following:\n\n- Use tabs.", "Use spaces."),
        ("Bad: use tabs.", "Use spaces."),
        ("Always run the tests.", "Never run the tests twice."),
        ("Never force-push.", "Always push."),
        ("Stop.", "Never stop."),
        ("Use single quotes.", "Use double quotes in JSX."),
        ("Use uv.", "Use npm."),
        ("Respond in JSON.", "Respond in English."),
        ("Keep functions under 80 lines.", "Keep lines under 100 characters."),
        ("Do not add comments. Always add tests.", "Add tests. Never add comments."),
        ("Run `npm test`.", "Run `pnpm test`."),
    ];
    for (first, second) in rows {
        assert_eq!(found(first, second), [], "{first:?} / {second:?}");
    }
}

#[test]
fn one_file_may_have_two_answers_but_no_order_and_its_opposite() {
    let pairs = |text: &str| pairs(&[("AGENTS.md", text)], &Stop::default()).len();
    assert_eq!(pairs("Use tabs.\n\nUse spaces.\n"), 0);
    assert_eq!(pairs("Always write a changelog entry.\n\nNever write a changelog entry.\n"), 1);
}
