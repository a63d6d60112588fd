import { describe, expect, it } from "vitest";
import { csvOf, xlsxOf, type Sheet } from "./sheets";
import { zipOf } from "./zip";

const sheet: Sheet = {
  name: "Stock: [all]",
  columns: ["item", "on_hand"],
  rows: [
    ["=HYPERLINK(1)", -5],
    ['a "b", c', 1.5],
    ["-12.5 %", null],
    ["@cmd", true],
  ],
};

describe("tables to take away", () => {
  it("guards what a spreadsheet would run, and leaves numbers", () => {
    expect(csvOf(sheet)).toBe(
      '\ufeffitem,on_hand\r\n\'=HYPERLINK(1),-5\r\n"a ""b"", c",1.5\r\n-12.5 %,\r\n\'@cmd,true\r\n',
    );
  });

  it("writes text as text into Excel files, and gives each sheet a name that Excel takes", async () => {
    const text = await xlsxOf([sheet, { ...sheet, name: "stock: [all]" }, { ...sheet, name: "x\u0001<&" }]).text();
    expect(text).not.toContain("<f>");
    expect(text).toContain('<c t="inlineStr"><is><t xml:space="preserve">=HYPERLINK(1)</t></is></c><c><v>-5</v></c>');
    expect(text).toContain('<sheet name="Stock   all" sheetId="1"');
    expect(text).toContain('<sheet name="stock   all 2" sheetId="2"');
    expect(text).toContain('<sheet name="x  &amp;" sheetId="3"');
  });

  it("packs files with their sums", async () => {
    const bytes = new Uint8Array(await zipOf({ "a.txt": "123456789" }, "application/zip").arrayBuffer());
    // The check value of CRC-32.
    expect([...bytes.slice(14, 18)]).toEqual([0x26, 0x39, 0xf4, 0xcb]);
  });
});
