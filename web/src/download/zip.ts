// A zip of small files, stored as they are: what office documents are packed in.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

// Values with their sizes in bytes, as they lie in the file.
function packed(...fields: readonly (readonly [number, number])[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

const UTF8_NAMES = 0x0800;
// 1 January 1980, the first day that a zip can name: the same content is the same file.
const NO_DATE = 0x0021;

export function zipOf(files: Readonly<Record<string, string>>, type: string): Blob {
  const encoder = new TextEncoder();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [path, data] = [encoder.encode(name), encoder.encode(text)];
    const about: [number, number][] = [
      [2, 20],
      [2, UTF8_NAMES],
      [2, 0],
      [2, 0],
      [2, NO_DATE],
      [4, crcOf(data)],
      [4, data.length],
      [4, data.length],
      [2, path.length],
      [2, 0],
    ];
    const head = packed([4, 0x04034b50], ...about);
    parts.push(head, path, data);
    const rest: [number, number][] = [
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, offset],
    ];
    directory.push(packed([4, 0x02014b50], [2, 20], ...about, ...rest), path);
    offset += head.length + path.length + data.length;
  }
  const size = directory.reduce((sum, one) => sum + one.length, 0);
  const number = Object.keys(files).length;
  const end = packed([4, 0x06054b50], [2, 0], [2, 0], [2, number], [2, number], [4, size], [4, offset], [2, 0]);
  return new Blob([...parts, ...directory, end], { type });
}

// Text in XML, without what XML cannot hold.
export const escaped = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])/g, "")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
