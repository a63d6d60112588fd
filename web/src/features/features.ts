// Page parts of extensions: a folder for each, named after it, loaded where the server lists the extension. The files
// in it say where the part is shown: `Settings.tsx` is a section of the settings; `Page.tsx` is a page of its own at
// `#/NAME`, whose title in links is in `title.ts`; `drop.ts` takes files that are dropped on the chat; `Bar.tsx` and
// `Panel.tsx` belong to the assistant of that name: over the field to ask in, and at the end of the conversation.

import { lazy, type ComponentType } from "react";
import type { Me, NewTurn } from "../api/types";
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

// What goes with the next question, beside the question itself.
export type TurnOptions = Pick<NewTurn, "workspace" | "context_name" | "mode" | "model" | "effort" | "collections">;

export interface OpenedFile {
  readonly path: string;
  readonly line: number | null;
}

interface BarPart {
  readonly session: string | null;
  readonly options: TurnOptions;
  readonly onOptions: (options: TurnOptions) => void;
}

interface PanelPart {
  readonly session: string;
  // Changes whenever a tool may have changed something.
  readonly version: string;
  readonly busy: boolean;
  // A file that is to be shown.
  readonly opened: OpenedFile | null;
  readonly onClose: () => void;
}

const foundBars = import.meta.glob<{ default: ComponentType<BarPart> }>("./*/Bar.tsx");
const bars = new Map(Object.entries(foundBars).map(([path, load]) => [folderOf(path), lazy(load)]));
const foundPanels = import.meta.glob<{ default: ComponentType<PanelPart> }>("./*/Panel.tsx");
const panels = new Map(Object.entries(foundPanels).map(([path, load]) => [folderOf(path), lazy(load)]));

/** What an assistant brings to the chat, where an extension of its name is in use. */
export const assistantParts = (me: Me, assistant: string) =>
  me.extensions.includes(assistant) ? { Bar: bars.get(assistant), Panel: panels.get(assistant) } : {};

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
