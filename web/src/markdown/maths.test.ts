import { describe, expect, it } from "vitest";
import { mask, restore, unmask } from "./maths";

const found = (source: string, open = false): string[] =>
  mask(source, open).formulas.map((one) => `${one.display ? "D" : "I"} ${one.source}`);

describe("mask", () => {
  it.each([
    ["\\(E = mc^2\\)", ["I E = mc^2"]],
    ["so \\(x\\) and \\(n+1\\).", ["I x", "I n+1"]],
    ["\\[ \\int_0^\\infty e^{-x^2}\\,dx \\]", ["D \\int_0^\\infty e^{-x^2}\\,dx"]],
    ["\\[\na\n+ b\n= c\n\\]", ["D a\n+ b\n= c"]],
    ["1. so\n   \\[\n   x^2\n   \\]\n2. next", ["D x^2"]],
    ["> \\[\n> x^2\n> \\]", ["D x^2"]],
    ["$$a_b$$", ["D a_b"]],
    ["$$\nx = 1\n$$", ["D x = 1"]],
    ["$a^2+b^2=c^2$", ["I a^2+b^2=c^2"]],
    ["Let $x$ be $2n$, $f(x)$ or $-1$; $\\alpha$.", ["I x", "I 2n", "I f(x)", "I -1", "I \\alpha"]],
    ["**$x^2$** ($y$)", ["I x^2", "I y"]],
    ["| $|a|$ | $b$ |", ["I |a|", "I b"]],
  ])("finds the formulas of %j", (source, wanted) => {
    expect(found(source)).toEqual(wanted);
  });

  it.each([
    "$5 and $10",
    "$5-$10, or $5/$10",
    "between $5 (was $7) and $10k",
    "It was $100 and is 50$ now",
    "US$5, A$6 and HK$7",
    "$HOME/$USER, $PATH and ${x}",
    "costs $20 per month and $200 a year = $x",
    "a restaurant of $$ - $$$",
    "\\$5 and \\$6",
    "\\\\(x^2\\\\)",
    "`$x$` and `` \\(y^2\\) ``",
    "```tex\n\\[ x^2 \\]\n$y^2$\n```",
    "~~~\n$$x^2$$\n~~~",
    "see \\[1\\] and \\(sic\\) and \\(see above\\)",
    "https://a.test/$x$ and [a](b$x$c)",
    "\\( never closed, x^2",
    "\\[ x^2 \n\n across a paragraph \\]",
  ])("leaves alone what is none: %j", (source) => {
    expect(found(source)).toEqual([]);
  });

  it("goes on after code that is never closed", () => {
    expect(found("a ` tick, then $x^2$")).toEqual(["I x^2"]);
    expect(found("```\n$x^2$")).toEqual([]);
    expect(found("```\ncode\n```\nand $x^2$")).toEqual(["I x^2"]);
  });

  it("takes what is still being written for a formula only where it is certainly one", () => {
    expect(found("so \\[ x^2 + ", true)).toEqual(["D x^2 +"]);
    expect(found("so $$ x = ", true)).toEqual(["D x ="]);
    expect(found("so \\[ 1", true)).toEqual([]);
    expect(found("so $x^2", true)).toEqual([]);
  });

  it("keeps every place, and gives back what was written", () => {
    const source = "🙂 a \\(x^2\\) b $$\ny\n+ 1$$ c \ue000 $z$";
    const { source: masked, formulas } = mask(source);
    expect(masked).toHaveLength(source.length);
    expect(masked.indexOf("b")).toBe(source.indexOf("b"));
    expect(masked).not.toContain("\n");
    expect(restore(masked, formulas)).toBe(source.replace("\ue000", "\ufffd"));
    expect(unmask(masked).filter((one) => typeof one === "number")).toEqual([0, 1, 2]);
  });

  it("stays quick whatever is written", () => {
    const began = performance.now();
    for (const sign of ["$", "$a ", "\\(", "\\[", "`", "$$ ", "\\[x^2 ", "``` ", "](", "$x$ "])
      mask(sign.repeat(20_000));
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
