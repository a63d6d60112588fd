// Page parts of extensions: a folder for each, named after it, loaded where the server lists the extension. The files
// in it say where the part is shown: `Settings.tsx` is a section of the settings; `Page.tsx` is a page of its own at
// `#/NAME`, whose title in links is in `title.ts`; `drop.ts` takes files that are dropped on the chat.

import { lazy, type ComponentType } from "react";
import type { Me } from "../api/types";
import { folderOf } from "./names";

type Part = ComponentType<{ me: Me }>;
// `path`: what stands after the name in the address.
type PagePart = ComponentType<{ me: Me; path: readonly string[] }>;

const found = import.meta.glob<{ default: Part }>("./*/Settings.tsx");
const sections = new Map(Object.entries(found).map(([path, load]) => [folderOf(path), lazy(load)]));
const foundPages = import.meta.glob<{ default: PagePart }>("./*/Page.tsx");
const pages = new Map(Object.entries(foundPages).map(([path, load]) => [folderOf(path), lazy(load)]));
const foundTitles = import.meta.glob<string>("./*/title.ts", { eager: true, import: "title" });
const titles = new Map(Object.entries(foundTitles).map(([path, title]) => [folderOf(path), title]));

interface FileDrop {
  readonly takes: (file: File) => boolean;
  readonly take: (files: readonly File[]) => void;
}

const foundDrops = import.meta.glob<FileDrop>("./*/drop.ts", { eager: true, import: "drop" });
const drops = new Map(Object.entries(foundDrops).map(([path, drop]) => [folderOf(path), drop]));

/** The sections of the settings that the extensions in use bring, with the names of these. */
export function settingsSections(me: Me): readonly (readonly [string, Part])[] {
  return me.extensions.flatMap((name) => {
    const section = sections.get(name);
    return section ? [[name, section] as const] : [];
  });
}

/** The pages that the extensions in use bring: name and title. */
export function featurePages(me: Me): readonly (readonly [string, string])[] {
  return me.extensions.filter((name) => pages.has(name)).map((name) => [name, titles.get(name) ?? name] as const);
}

/** The page of an extension that is in use. */
export const featurePage = (me: Me, name: string): PagePart | null =>
  (me.extensions.includes(name) && pages.get(name)) || null;

/** The extension in use that takes all of these files, where there is one. */
export const dropFor = (me: Me, files: readonly File[]): FileDrop | null =>
  (files.length > 0 &&
    me.extensions.flatMap((name) => drops.get(name) ?? []).find((drop) => files.every(drop.takes))) ||
  null;
