// Page parts of extensions: a folder for each, named after it, loaded where the server lists the extension. The files
// in it say where the part is shown: `Settings.tsx` is a section of the settings; `Page.tsx` is a page of its own at
// `#/NAME`, whose title in links is in `title.ts`.

import { lazy, type ComponentType } from "react";
import type { Me } from "../api/types";

type Part = ComponentType<{ me: Me }>;
// `path`: what stands after the name in the address.
type PagePart = ComponentType<{ me: Me; path: readonly string[] }>;

const folderOf = (path: string): string => path.split("/")[1] ?? "";

const found = import.meta.glob<{ default: Part }>("./*/Settings.tsx");
const sections = new Map(Object.entries(found).map(([path, load]) => [folderOf(path), lazy(load)]));
const foundPages = import.meta.glob<{ default: PagePart }>("./*/Page.tsx");
const pages = new Map(Object.entries(foundPages).map(([path, load]) => [folderOf(path), lazy(load)]));
const foundTitles = import.meta.glob<string>("./*/title.ts", { eager: true, import: "title" });
const titles = new Map(Object.entries(foundTitles).map(([path, title]) => [folderOf(path), title]));

/** The sections of the settings that the extensions in use bring, with the names of these. */
export function settingsSections(me: Me): readonly (readonly [string, Part])[] {
  return me.extensions.flatMap((name) => {
    const section = sections.get(name);
    return section ? [[name, section] as const] : [];
  });
}

/** The names of extensions that have a page, in use or not. */
export const PAGE_NAMES: ReadonlySet<string> = new Set(pages.keys());

/** The pages that the extensions in use bring: name and title. */
export function featurePages(me: Me): readonly (readonly [string, string])[] {
  return me.extensions.filter((name) => pages.has(name)).map((name) => [name, titles.get(name) ?? name] as const);
}

/** The page of an extension that is in use. */
export const featurePage = (me: Me, name: string): PagePart | null =>
  (me.extensions.includes(name) && pages.get(name)) || null;
