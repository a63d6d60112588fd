// A unified diff as lines with their numbers, and as pairs for two columns.

export interface DiffLine {
  readonly kind: "added" | "removed" | "same" | "place" | "file";
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

export interface Pair {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

export const isDiff = (text: string): boolean => /^@@ /m.test(text) || (/^--- /m.test(text) && /^\+\+\+ /m.test(text));

export function readDiff(text: string): readonly DiffLine[] {
  let before = 1;
  let after = 1;
  // Only the head of a file's part has `---` and `+++` that are no lines of it.
  let head = true;
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line): DiffLine => {
      const place = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
      if (place) {
        head = false;
        before = Number(place[1]);
        after = Number(place[2]);
        return { kind: "place", before: null, after: null, text: line };
      }
      if (/^(?:diff |index |\\ )/.test(line)) {
        head = head || !line.startsWith("\\");
        return { kind: "file", before: null, after: null, text: line };
      }
      if (head && /^(?:---|\+\+\+) /.test(line)) return { kind: "file", before: null, after: null, text: line };
      if (line.startsWith("+")) return { kind: "added", before: null, after: after++, text: line.slice(1) };
      if (line.startsWith("-")) return { kind: "removed", before: before++, after: null, text: line.slice(1) };
      return { kind: "same", before: before++, after: after++, text: line.replace(/^ /, "") };
    });
}

// What was removed stands beside what came in its place.
export function paired(lines: readonly DiffLine[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      pairs.push({ left: removed[at] ?? null, right: added[at] ?? null });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      if (added.length) flush();
      removed.push(line);
    } else if (line.kind === "added") added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}

export function counted(lines: readonly DiffLine[]): { added: number; removed: number } {
  return {
    added: lines.filter((line) => line.kind === "added").length,
    removed: lines.filter((line) => line.kind === "removed").length,
  };
}
