//! The tutorial's example is the one that the crate's first page runs.

/// The first block of code with this fence.
fn block(text: &str, fence: &str) -> String {
    let (_, behind) = text.split_once(fence).unwrap();
    behind.split_once("```").unwrap().0.to_owned()
}

/// The first page as it is shown: without the lines that only the test needs.
fn first_page() -> String {
    let page = include_str!("../../src/lib.rs").lines().map_while(|line| line.strip_prefix("//!"));
    let page = page.map(|line| line.strip_prefix(' ').unwrap_or(line));
    page.filter(|line| !line.starts_with("# ")).flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn the_example_of_the_tutorial_is_the_one_that_runs() {
    let tutorial = block(include_str!("../../../../docs/tutorials/build.md"), "```rust\n");
    assert_eq!(tutorial, block(&first_page(), "```\n"));
    assert!(tutorial.lines().count() <= 12, "{tutorial}");
}
