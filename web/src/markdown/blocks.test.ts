import { describe, expect, it } from "vitest";
import { blocksOf, definitionsIn } from "./blocks";

const split = (source: string): string[] => blocksOf(source).map((one) => one.text);

describe("blocksOf", () => {
  it.each([
    ["a\nb\n\nc", ["a\nb\n\n", "c"]],
    ["# T\n\n| a |\n| - |\n| 1 |\n\nafter", ["# T\n\n", "| a |\n| - |\n| 1 |\n\n", "after"]],
    ["- a\n\n- b\n\n  more\n\nafter", ["- a\n\n- b\n\n  more\n\n", "after"]],
    ["1. a\n\n   ```\n   x\n\n   y\n   ```\n\n2. b", ["1. a\n\n   ```\n   x\n\n   y\n   ```\n\n2. b"]],
    ["```\na\n\nb\n```\n\nc", ["```\na\n\nb\n```\n\n", "c"]],
    ["```\na\n\nb", ["```\na\n\nb"]],
    ["> a\n\n> b\n\nc", ["> a\n\n> b\n\n", "c"]],
    [
      "<details>\n<summary>s</summary>\n\nx\n\n</details>\n\nc",
      ["<details>\n<summary>s</summary>\n\nx\n\n</details>\n\n", "c"],
    ],
    ["`<details>` is a tag\n\nc", ["`<details>` is a tag\n\n", "c"]],
    ["    code\n\n    more\n\nc", ["    code\n\n    more\n\n", "c"]],
    ["a [^1]\n\n[^1]: note", ["a [^1]\n\n[^1]: note"]],
  ])("splits %j between its parts only", (source, wanted) => {
    expect(split(source)).toEqual(wanted);
  });

  it("loses nothing, and keeps its first blocks while the text grows", () => {
    const source = "# A\n\ntext\n\n- a\n- b\n\n```py\nx\n\ny\n```\n\n\\[\nx\n\\]\n\n| a |\n| - |\n| 1 |\n\nend\n";
    let before: readonly string[] = [];
    for (let length = 1; length <= source.length; length += 1) {
      const now = split(source.slice(0, length));
      expect(now.join("")).toBe(source.slice(0, length));
      expect(now.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      before = now;
    }
    expect(before).toHaveLength(7);
    blocksOf(source).forEach(({ text, from }) => expect(source.slice(from, from + text.length)).toBe(text));
  });

  it("finds the addresses that links of any block may name", () => {
    expect(definitionsIn("see [a][x]\n\n[x]: https://a.test 'T'\n[^1]: note")).toBe("[x]: https://a.test 'T'");
    expect(definitionsIn("none")).toBe("");
  });
});
