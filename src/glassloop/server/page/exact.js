// What a person decides about, shown so that nothing in it is hidden.

import { h } from "./dom.js";

// Characters that cannot be seen, or turn the order of what is read, are written out.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;
export const exact = (text) => text.replace(HIDDEN, (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`);

// What would change, as the tool shows it; a diff in its colours.
export function preview(given) {
  if (given === null || given === undefined) return null;
  const only =
    typeof given === "object" && Object.keys(given).length === 1 && typeof given.diff === "string" ? given.diff : given;
  const text = exact(typeof only === "string" ? only : JSON.stringify(only, null, 2));
  if (!/^@@ /m.test(text) && !(/^--- /m.test(text) && /^\+\+\+ /m.test(text))) return h("pre", { tabindex: "0" }, text);
  const kinds = { "+": "added", "-": "removed", "@": "place" };
  const kind = (line) => (/^(\+\+\+|---)/.test(line) ? "file" : kinds[line[0]]);
  return h(
    "pre",
    { class: "diff", tabindex: "0" },
    text.split("\n").map((line) => h("span", { class: kind(line) }, `${line}\n`)),
  );
}
