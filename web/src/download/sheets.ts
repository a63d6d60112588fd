// Tables to take away: as CSV, and as an Excel file with a sheet for each. Text stays text: no cell is ever a formula.

import { escaped, zipOf } from "./zip";
import { t } from "../language/t";

export type Cell = string | number | boolean | null;

export interface Sheet {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

const MOST_SHEETS = 50;
const MOST_ROWS = 100_000;
const MOST_CHARS = 32_767;
const NAME_CHARS = 31;
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";

// What a text begins with that a spreadsheet would take for a formula; a plain number is none.
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?[\d.,  ]+\s?%?$/;

const guarded = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

function csvCell(cell: Cell): string {
  const text = typeof cell === "string" ? guarded(cell) : cell === null ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csvOf({ columns, rows }: Sheet): string {
  const lines = [columns, ...rows.slice(0, MOST_ROWS)].map((row) => row.map(csvCell).join(","));
  // Excel takes a file for UTF-8 only where it says so.
  return `\ufeff${lines.join("\r\n")}\r\n`;
}

export function csvZipOf(sheets: readonly Sheet[]): Blob {
  const names = sheetNames(sheets);
  return zipOf(Object.fromEntries(sheets.map((one, at) => [`${names[at]}.csv`, csvOf(one)])), "application/zip");
}

export function xlsxOf(given: readonly Sheet[]): Blob {
  const sheets = given.slice(0, MOST_SHEETS);
  const names = sheetNames(sheets);
  const part = (at: number) => `xl/worksheets/sheet${at + 1}.xml`;
  const types = sheets.map((_, at) => override(part(at), "worksheet")).join("");
  const links = sheets.map((_, at) => relation(`s${at}`, "worksheet", part(at).slice(3))).join("");
  const listed = names.map((name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="s${at}"/>`).join("");
  return zipOf(
    {
      "[Content_Types].xml": `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${override("xl/workbook.xml", "sheet.main")}${types}</Types>`,
      "_rels/.rels": `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relation("r", "officeDocument", "xl/workbook.xml")}</Relationships>`,
      "xl/workbook.xml": `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${listed}</sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${links}</Relationships>`,
      ...Object.fromEntries(sheets.map((one, at) => [part(at), sheetXml(one)])),
    },
    XLSX,
  );
}

const override = (part: string, kind: string): string =>
  `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;

const relation = (name: string, kind: string, target: string): string =>
  `<Relationship Id="${name}" Type="${OFFICE}/${kind}" Target="${target}"/>`;

function sheetXml({ columns, rows }: Sheet): string {
  const lines = [columns, ...rows.slice(0, MOST_ROWS)].map((row) => `<row>${row.map(xlsxCell).join("")}</row>`);
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${lines.join("")}</sheetData></worksheet>`;
}

function xlsxCell(cell: Cell): string {
  if (cell === null) return "<c/>";
  if (typeof cell === "number" && Number.isFinite(cell)) return `<c><v>${cell}</v></c>`;
  if (typeof cell === "boolean") return `<c t="b"><v>${cell ? 1 : 0}</v></c>`;
  return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(String(cell).slice(0, MOST_CHARS))}</t></is></c>`;
}

// Names that Excel takes and files can have, each once.
function sheetNames(sheets: readonly Sheet[]): readonly string[] {
  const names: string[] = [];
  for (const { name } of sheets) {
    const clean = name.replace(/[\\/?*[\]:'<>|"\u0000-\u001f]/g, " ").trim() || t("Table");
    let made = clean.slice(0, NAME_CHARS);
    for (let more = 2; names.some((one) => one.toLowerCase() === made.toLowerCase()); more++) {
      made = `${clean.slice(0, NAME_CHARS - 4)} ${more}`;
    }
    names.push(made);
  }
  return names;
}
