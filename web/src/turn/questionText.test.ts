import { describe, expect, it } from "vitest";
import { folded, withFences } from "./questionText";

const PYTHON = "import os\n\ndef main():\n    print(os.getcwd())\n\n\nmain()";

describe("withFences", () => {
  it.each([
    ["one\ntwo\nthree", "one\ntwo\nthree"],
    ["- a\n- b\n- c", "- a\n- b\n- c"],
    ["1. one\n   more\n2. two\n   more", "1. one\n   more\n2. two\n   more"],
    ["```\nint x;\nint y;\nint z;\n```", "```\nint x;\nint y;\nint z;\n```"],
    ["Dear all,\nplease:\nnote this.\nThanks", "Dear all,\nplease:\nnote this.\nThanks"],
  ])("leaves what is no bare code as it is: %j", (text, wanted) => {
    expect(withFences(text)).toBe(wanted);
  });

  it("fences code that was pasted without", () => {
    expect(withFences(PYTHON)).toBe(`\`\`\`\n${PYTHON}\n\`\`\``);
    expect(withFences("int a;\nint b;\nint c;\n\nWhat is that?")).toBe(
      "```\nint a;\nint b;\nint c;\n```\n\nWhat is that?",
    );
    expect(withFences("Why does this fail:\nfoo(1);\nbar(2);\nbaz(3);")).toBe(
      "Why does this fail:\n```\nfoo(1);\nbar(2);\nbaz(3);\n```",
    );
  });

  it("takes another fence where the code has one", () => {
    expect(withFences("a = 1;\nb = '```';\nc = 3;")).toMatch(/^~~~~\n[^]*\n~~~~$/);
  });
});

describe("folded", () => {
  const lines = (number: number) => Array.from({ length: number }, (_, place) => `line ${place}`).join("\n");

  it("leaves a question whole that is hardly longer than its fold", () => {
    expect(folded("Hello?")).toBeNull();
    expect(folded(lines(12))).toBeNull();
    expect(folded("x".repeat(12 * 80))).toBeNull();
  });

  it("keeps the first eight lines of a longer one", () => {
    expect(folded(lines(240))).toBe(lines(8));
  });

  it("counts a long line as the lines it takes", () => {
    const found = folded("word ".repeat(1000)) ?? "";
    expect(found.length).toBeLessThanOrEqual(8 * 80 + 2);
    expect(found).toMatch(/word …$/);
  });

  it("closes the fence it cuts", () => {
    expect(folded(`\`\`\`py\n${lines(30)}\n\`\`\``)).toBe(`\`\`\`py\n${lines(7)}\n\`\`\``);
  });
});
