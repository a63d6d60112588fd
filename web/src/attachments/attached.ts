// Images and files for a question: read in the browser, images made no larger than models look at, all within bounds.

import { ApiError, address, id, messageOf, send } from "../api/client";
import type { Attachment } from "../api/events";
import type { NewAttachment, Upload } from "../api/types";
import type { Turn } from "../turn/model";
import { t } from "../language/t";

export interface Attached {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  // A data: URL; images are shown from it.
  readonly data: string;
  readonly image: boolean;
  // Of a file that is too large for the question itself: it was sent before.
  readonly upload?: string;
}

export const MAX_FILES = 10;
const MAX_BYTES = 5_500_000;
const MAX_UPLOAD_BYTES = 20_000_000;
const MAX_SIDE = 2048;
const KEPT_BYTES = 1_500_000;
const IMAGES = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

let made = 0;

// What can be attached of these, with what is there already; the second is why the rest cannot.
export async function attach(there: readonly Attached[], files: readonly File[]): Promise<[Attached[], string]> {
  const all = [...there];
  let problem = "";
  for (const file of files) {
    if (all.length >= MAX_FILES) {
      problem = t(
        "You can attach at most {0} images and files to a question. Remove one, or put them into a collection under Knowledge.",
        MAX_FILES,
      );
      break;
    }
    try {
      const read = await toAttached(file);
      const size = all.reduce((sum, one) => sum + (one.upload ? 0 : one.size), 0);
      if (!read.upload && size + read.size > MAX_BYTES)
        problem = t(
          "{0} is too large: the images and files of a question can have at most 5.5 MB together.",
          file.name,
        );
      else all.push(read);
    } catch (error) {
      problem =
        error instanceof ApiError
          ? messageOf(error)
          : t("{0} cannot be read. Save it again, images as PNG or JPEG, and attach it.", file.name);
    }
  }
  return [all, problem];
}

export const asSent = (attached: readonly Attached[]): NewAttachment[] =>
  attached.map(({ name, data, upload }) => (upload ? { name, upload_id: upload } : { name, data }));

// What was given with an earlier question, to be given again.
export async function attachedOf(turn: Turn): Promise<Attached[]> {
  const [all] = await attach([], await Promise.all(turn.attachments.map((one) => fileOf(turn.id, one))));
  return all;
}

export const attachmentLink = (turn: string, attachment: Attachment): string =>
  address(`api/turns/${id(turn)}/attachments/${attachment.sha256}`);

async function fileOf(turn: string, attachment: Attachment): Promise<File> {
  if (!attachment.sha256) return new File([attachment.text], attachment.name, { type: "text/plain" });
  const response = await fetch(attachmentLink(turn, attachment));
  if (!response.ok)
    throw new ApiError(response.status, t("{0} is no longer available. Attach it again.", attachment.name));
  return new File([await response.arrayBuffer()], attachment.name, { type: attachment.media_type });
}

async function toAttached(file: File): Promise<Attached> {
  const image = IMAGES.has(file.type);
  const blob = image ? await smaller(file) : file;
  made += 1;
  if (!image && blob.size > KEPT_BYTES) return { key: `a${made}`, ...(await uploaded(file)), data: "", image };
  const name = blob === file || !file.name ? file.name || "image.png" : file.name.replace(/\.[^.]*$/, ".jpg");
  return { key: `a${made}`, name, size: blob.size, data: await dataUrl(blob), image };
}

async function uploaded(file: File): Promise<{ name: string; size: number; upload: string }> {
  if (file.size > MAX_UPLOAD_BYTES)
    throw new ApiError(
      413,
      t("{0} is larger than 20 MB. Put it into a collection under Knowledge instead.", file.name),
    );
  const path = `api/uploads?name=${id(file.name || "file")}`;
  const { id: upload } = await send<Upload>(path, file, () => undefined).done;
  return { name: file.name, size: file.size, upload };
}

// Models look at no more than this, and photographs of telephones are several times as large.
async function smaller(file: File): Promise<Blob> {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, MAX_SIDE / Math.max(picture.width, picture.height));
  if (scale === 1 && file.size <= KEPT_BYTES) return file;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  const context = canvas.getContext("2d");
  if (!context) return file;
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const drawn = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/jpeg", 0.9));
  return drawn ?? file;
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => fail(new Error(t("unreadable")));
    reader.readAsDataURL(blob);
  });
}

export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? t("{0} kB", Math.round(bytes / 1_000)) : t("{0} MB", (bytes / 1_000_000).toFixed(1));
}
