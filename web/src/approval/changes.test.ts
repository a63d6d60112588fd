import { expect, it } from "vitest";
import { linesOf } from "../markdown/colours";
import { filePlace } from "../markdown/fileLinks";
import { changedFiles } from "./changedFiles";
import { changedSpans, cut } from "./changedWords";

const line = (line_number: number, type: string, content: string) => ({ line_number, type, content });
const PREVIEW = {
  file_path: "a.py",
  change_type: "modify",
  original_content: null,
  new_content: null,
  diff_lines: [
    line(1, "context", "a"),
    line(2, "remove", "b"),
    line(2, "add", "c"),
    line(3, "add", "d"),
    line(20, "context", "e"),
  ],
  truncated: false,
  sha256: null,
  source_path: null,
};

it("numbers both sides of a preview and tells what is left out", () => {
  const [file] = changedFiles(PREVIEW) ?? [];
  expect(file?.lines.map(({ kind, before, after }) => `${kind} ${before} ${after}`)).toEqual([
    "same 1 1",
    "removed 2 null",
    "added null 2",
    "added null 3",
    "place null null",
    "same 19 20",
  ]);
});

it("takes only what is a change of files for one", () => {
  expect(changedFiles({ files: [PREVIEW, PREVIEW] })).toHaveLength(2);
  for (const odd of [null, "x", {}, { files: [] }, { files: [PREVIEW, 1] }, { ...PREVIEW, diff_lines: [1] }]) {
    expect(changedFiles(odd)).toBeNull();
  }
});

it("marks the words that changed, and none of lines that have little in common", () => {
  const [before, after] = changedSpans("return sum(items)", "return round(sum(items), 2)");
  expect(before).toEqual([]);
  const marked = cut([{ text: "return round(sum(items), 2)", className: "" }], after).filter((one) => one.marked);
  expect(marked.map((one) => one.text)).toEqual(["round(", ", 2)"]);
  expect(changedSpans("abc def", "xyz = 12")).toEqual([[], []]);
});

it("cuts colours where marks begin, and loses nothing", () => {
  const pieces = [
    { text: "ab", className: "x" },
    { text: "cd", className: "" },
  ];
  expect(cut(pieces, [[1, 3]])).toEqual([
    { text: "a", className: "x", marked: false },
    { text: "b", className: "x", marked: true },
    { text: "c", className: "", marked: true },
    { text: "d", className: "", marked: false },
  ]);
});

it("keeps the colour of what goes over several lines", () => {
  const text = { type: "text" as const, value: "one\ntwo" };
  const element = {
    type: "element" as const,
    tagName: "span",
    properties: { className: ["hljs-string"] },
    children: [text],
  };
  expect(linesOf({ type: "root", children: [element] })).toEqual([
    [{ text: "one", className: "hljs-string" }],
    [{ text: "two", className: "hljs-string" }],
  ]);
});

it("finds files in what is written as code, and nothing outside", () => {
  expect(filePlace("src/app.py:12")).toEqual({ path: "src/app.py", line: 12 });
  expect(filePlace("./app.ts#L3-L9")).toEqual({ path: "app.ts", line: 3 });
  expect(filePlace("src/Makefile:2")).toEqual({ path: "src/Makefile", line: 2 });
  for (const odd of ["np.array", "../a.py", "/etc/passwd", "https://a.py", "a b.py", "and/or", ""]) {
    expect(filePlace(odd), odd).toBeNull();
  }
});
