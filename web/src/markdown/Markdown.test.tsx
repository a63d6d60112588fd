import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Markdown, Underlining, type Underline } from "./Markdown";

const render = (source: string): string =>
  renderToStaticMarkup(<Markdown source={source} />).replace(/^<div class="prose">|<\/div>$/g, "");

const CASES: Record<string, string> = {
  "plain *soft* **hard** `code`": "<p>plain <em>soft</em> <strong>hard</strong> <code>code</code></p>",
  "snake_case_name and 2 * 3 * 4": "<p>snake_case_name and 2 * 3 * 4</p>",
  "**half and *half": "<p>**half and *half</p>",
  "# T\ntext": "<h3>T</h3>\n<p>text</p>",
  "$5 and $10": "<p>$5 and $10</p>",
  $$a_b$$: '<p><code class="maths display">a_b</code></p>',
  "\\(E = mc^2\\) is": '<p><code class="maths">E = mc^2</code> is</p>',
  "\\[\na\n+ b\n\\]": '<p><code class="maths display">a\n+ b</code></p>',
  "1. so\n   \\[\n   x^2\n   \\]": '<ol>\n<li>so\n<code class="maths display">x^2</code></li>\n</ol>',
  "`\\(x^2\\)` and $x^2$": '<p><code>\\(x^2\\)</code> and <code class="maths">x^2</code></p>',
  "    $x^2$":
    '<div class="code"><div class="code-head"><span>text</span><button type="button" class="more">Copy code</button></div><pre tabindex="0"><code>$x^2$</code></pre></div>',
  "H<sub>2</sub>O, x<sup>2</sup><br>y": "<p>H<sub>2</sub>O, x<sup>2</sup><br/>y</p>",
  "<sub>never closed": "<p>&lt;sub&gt;never closed</p>",
  '<sub onclick="x">a</sub>': "<p>&lt;sub onclick=&quot;x&quot;&gt;a&lt;/sub&gt;</p>",
  "<details>\n<summary>S</summary>\n\n**b**\n\n</details>":
    "<details>\n<summary>S</summary>\n<p><strong>b</strong></p>\n</details>",
  "<details><script>x</script></details>": "<details>&lt;script&gt;x&lt;/script&gt;</details>",
  "</details> a": "&lt;/details&gt; a",
  "3. a\n4. b": '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>',
  "[x](ftp://nowhere)": "<p><span>x</span></p>",
  "[x](/api/me)": "<p><span>x</span></p>",
  "<b>bold</b>": "<p>&lt;b&gt;bold&lt;/b&gt;</p>",
  "![a](/api/uploads/1)": '<p><img src="/api/uploads/1" alt="a" loading="lazy"/></p>',
  "![a](//evil.invalid/1)": "<p><span>a</span></p>",
  "![a](/\\evil.invalid/1)": '<p><img src="/%5Cevil.invalid/1" alt="a" loading="lazy"/></p>',
  "![a](data:image/png;base64,AA)": "<p><span>a</span></p>",
  "": "",
};
const ODD = [
  "*".repeat(1500),
  "[".repeat(1500),
  "`".repeat(1499),
  "> ".repeat(500),
  "- ".repeat(500),
  "_a".repeat(1500),
  "![".repeat(1000),
];

const told = (found: string[]): Underline => ({
  figure: (index, { text, last, tagged }) => {
    found.push(`${index} ${text}${last ? " ." : ""}${tagged ? " #" : ""}`);
    return text;
  },
  table: (index, all) => {
    found.push(`table ${index}${all ? " all" : ""}`);
    return null;
  },
});

describe("Markdown", () => {
  it.each(Object.entries(CASES))("%j becomes the elements it means", (source, wanted) => {
    expect(render(source)).toBe(wanted);
  });

  it("reads links whose addresses stand in another block", () => {
    expect(render("see [a][x]\n\n[x]: https://example.org")).toContain('href="https://example.org"');
  });

  it("reads each block once while the text grows", () => {
    const text = Array.from({ length: 50 }, (_, place) => `Paragraph **${place}**.`).join("\n\n");
    expect(render(text).match(/<strong>/g)).toHaveLength(50);
  });

  it("links lead outwards, and say so", () => {
    expect(render("see https://example.org/a")).toBe(
      '<p>see <a href="https://example.org/a" rel="noopener noreferrer nofollow" target="_blank">https://example.org/a</a></p>',
    );
  });

  it("stands whatever is written", () => {
    for (const source of ODD) expect(render(source)).toBeTypeOf("string");
  });

  it("puts columns of numbers on their side", () => {
    const made = render("| a | b |\n| - | - |\n| x | 1,270 |\n| y | 77 % |");
    expect(made.match(/class="figure-cell"/g)).toHaveLength(3);
  });

  it("marks figures where they stand, through markup and after characters that count as two", () => {
    const source = "🙂 It is **1,270** m, `BRG-6204` and **4**2.\n\n| a | b |\n| - | - |\n| x | 77 |";
    const marks = ["1,270", "BRG-6204", "4**2", "77"].map((text) => ({
      from: source.indexOf(text),
      to: source.indexOf(text) + text.length,
    }));
    const found: string[] = [];
    renderToStaticMarkup(
      <Underlining value={told(found)}>
        <Markdown source={source} marks={marks} />
      </Underlining>,
    );
    expect(found.sort()).toEqual(["0 1,270 . #", "1 BRG-6204 . #", "2 2 . #", "2 4 #", "3 77 . #"]);
  });

  it.each([
    [
      ["1", "1", "1"],
      ["0 5 . #", "1 6 .", "2 7 .", "table 1 all"],
    ],
    [
      ["1", "1", null],
      ["0 5 . #", "1 6 . #", "2 7 . #"],
    ],
    [
      ["1", "1", "2"],
      ["0 5 . #", "1 6 . #", "2 7 . #"],
    ],
  ])("marks a table once whose figures are all of one step: %j", (steps, wanted) => {
    const source = "All 5:\n\n| a | b |\n| - | - |\n| 6 | 7 |";
    const marks = ["5", "6", "7"].map((text, at) => ({
      from: source.indexOf(text),
      to: source.indexOf(text) + 1,
      step: steps[at] ?? null,
    }));
    const found: string[] = [];
    renderToStaticMarkup(
      <Underlining value={told(found)}>
        <Markdown source={source} marks={marks} />
      </Underlining>,
    );
    expect(found.sort()).toEqual(wanted);
  });
});
