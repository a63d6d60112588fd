// An answer as a Word document: headings, paragraphs, lists, tables and code of what is shown of its Markdown.

import { escaped, zipOf } from "./zip";

const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const DEEPEST_LIST = 8;
const INDENT = 360;

interface Style {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly code?: boolean;
}

export function docxOf(root: Element): Blob {
  const styles = [1, 2, 3, 4]
    .map(
      (level) =>
        `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/><w:pPr><w:keepNext/><w:spacing w:before="240" w:after="80"/><w:outlineLvl w:val="${level - 1}"/></w:pPr><w:rPr><w:b/><w:sz w:val="${36 - 4 * level}"/></w:rPr></w:style>`,
    )
    .join("");
  const type = (part: string, kind: string) =>
    `<Override PartName="/word/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.${kind}+xml"/>`;
  return zipOf(
    {
      "[Content_Types].xml": `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${type("document", "document.main")}${type("styles", "styles")}</Types>`,
      "_rels/.rels": `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
      "word/_rels/document.xml.rels": `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="s" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
      "word/styles.xml": `${HEAD}<w:styles xmlns:w="${MAIN}"><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:pPr><w:spacing w:after="120"/></w:pPr><w:rPr><w:sz w:val="22"/></w:rPr></w:style>${styles}</w:styles>`,
      "word/document.xml": `${HEAD}<w:document xmlns:w="${MAIN}"><w:body>${blocks(root, 0)}<w:sectPr/></w:body></w:document>`,
    },
    DOCX,
  );
}

function blocks(parent: Element, depth: number): string {
  return [...parent.children].map((one) => block(one, depth)).join("");
}

function block(element: Element, depth: number): string {
  const name = element.tagName.toLowerCase();
  const heading = /^h([1-6])$/.exec(name)?.[1];
  if (heading) return paragraph(runs(element, {}), `<w:pStyle w:val="Heading${Math.min(4, Number(heading))}"/>`);
  if (name === "p" || name === "summary") return paragraph(runs(element, {}), indent(depth));
  if (name === "pre") return paragraph(runs(element, { code: true }), indent(depth));
  if (name === "ul" || name === "ol") return items(element, depth, name === "ol");
  if (name === "table") return table(element);
  if (name === "hr") return paragraph("", '<w:pBdr><w:bottom w:val="single" w:sz="4" w:space="1"/></w:pBdr>');
  if (name === "button" || name === "svg") return "";
  if (name === "blockquote") return blocks(element, Math.min(DEEPEST_LIST, depth + 1));
  return element.children.length && !isInline(element)
    ? blocks(element, depth)
    : paragraph(runs(element, {}), indent(depth));
}

const INLINE = new Set(["A", "B", "BR", "CODE", "DEL", "EM", "I", "IMG", "SPAN", "STRONG", "SUB", "SUP"]);
const isInline = (element: Element): boolean => [...element.children].every((one) => INLINE.has(one.tagName));

function items(list: Element, depth: number, numbered: boolean): string {
  const deeper = Math.min(DEEPEST_LIST, depth + 1);
  return [...list.children]
    .map((item, at) => {
      const own = [...item.childNodes].filter((one) => !(one instanceof Element && /^[OU]L$/.test(one.tagName)));
      const inner = [...item.children].filter((one) => /^[OU]L$/.test(one.tagName));
      const mark = run(numbered ? `${at + 1}. ` : "• ", {});
      const text = own.map((one) => node(one, {})).join("");
      const below = inner.map((one) => items(one, deeper, one.tagName === "OL")).join("");
      return paragraph(mark + text, indent(deeper)) + below;
    })
    .join("");
}

function table(element: Element): string {
  const border = (side: string) => `<w:${side} w:val="single" w:sz="4" w:space="0" w:color="BBBBBB"/>`;
  const borders = ["top", "left", "bottom", "right", "insideH", "insideV"].map(border).join("");
  const rows = [...element.querySelectorAll("tr")].map((row) => {
    const cells = [...row.children].map(
      (cell) => `<w:tc><w:tcPr/>${paragraph(runs(cell, { bold: cell.tagName === "TH" }), "")}</w:tc>`,
    );
    return `<w:tr>${cells.join("")}</w:tr>`;
  });
  const widest = Math.max(0, ...[...element.querySelectorAll("tr")].map((row) => row.children.length));
  const grid = `<w:tblGrid>${"<w:gridCol/>".repeat(widest)}</w:tblGrid>`;
  return `<w:tbl><w:tblPr><w:tblBorders>${borders}</w:tblBorders></w:tblPr>${grid}${rows.join("")}</w:tbl>${paragraph("", "")}`;
}

const indent = (depth: number): string => (depth ? `<w:ind w:left="${depth * INDENT}"/>` : "");
const paragraph = (text: string, about: string): string => `<w:p><w:pPr>${about}</w:pPr>${text}</w:p>`;
const runs = (element: Element, style: Style): string =>
  [...element.childNodes].map((one) => node(one, style)).join("");

function node(one: Node, style: Style): string {
  if (!(one instanceof Element)) return run(one.textContent ?? "", style);
  const name = one.tagName.toLowerCase();
  if (name === "br") return "<w:r><w:br/></w:r>";
  if (name === "button" || name === "svg") return "";
  // A formula stands twice: as it is drawn, and as it was written.
  const formula = one.querySelector("annotation");
  if (formula && one.classList.contains("katex")) return run(formula.textContent ?? "", { ...style, italic: true });
  return runs(one, {
    bold: style.bold || name === "strong" || name === "b",
    italic: style.italic || name === "em" || name === "i",
    code: style.code || name === "code",
  });
}

function run(text: string, { bold, italic, code }: Style): string {
  if (!text) return "";
  const font = code ? '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas" w:cs="Consolas"/>' : "";
  const about = `<w:rPr>${font}${bold ? "<w:b/>" : ""}${italic ? "<w:i/>" : ""}</w:rPr>`;
  return text
    .split("\n")
    .map((line, at) => {
      const before = at === 0 ? "" : code ? "<w:br/>" : "";
      const shown = at > 0 && !code ? ` ${line}` : line;
      return `<w:r>${about}${before}<w:t xml:space="preserve">${escaped(shown)}</w:t></w:r>`;
    })
    .join("");
}
