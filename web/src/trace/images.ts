// Pictures that a tool returned: kinds in which nothing runs, inside the result or on this server. Pure.

import { isRecord } from "./cells";

export interface ToolImage {
  readonly src: string;
  readonly alt: string;
}

const MOST_IMAGES = 8;
const MOST_CHARS = 4_000_000;
const KIND = /^image\/(?:png|jpeg|gif|webp)$/;
const INLINE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/;
const OWN = /^\/api(?:\/[\w-][\w.-]*)+$/;
const BASE64 = /^[A-Za-z0-9+/]+=*$/;

export function imagesIn(data: unknown): readonly ToolImage[] {
  if (!isRecord(data)) return [];
  const given = Array.isArray(data["images"]) ? (data["images"] as readonly unknown[]) : [data["image"]];
  return given.slice(0, MOST_IMAGES).flatMap((one) => imageOf(one) ?? []);
}

function imageOf(given: unknown): ToolImage | null {
  if (typeof given === "string") return isShown(given) ? { src: given, alt: "" } : null;
  if (!isRecord(given)) return null;
  const { src, data, alt } = given;
  const kind = given["media_type"] ?? given["mimeType"];
  const made =
    typeof src === "string"
      ? src
      : typeof data === "string" && typeof kind === "string" && KIND.test(kind) && BASE64.test(data)
        ? `data:${kind};base64,${data}`
        : "";
  return isShown(made) ? { src: made, alt: typeof alt === "string" ? alt.slice(0, 300) : "" } : null;
}

const isShown = (src: string): boolean => src.length <= MOST_CHARS && (INLINE.test(src) || OWN.test(src));
