// The names of extensions that have a page, in use or not. Apart from the pages, which lead to addresses themselves.

export const folderOf = (path: string): string => path.split("/")[1] ?? "";

export const PAGE_NAMES: ReadonlySet<string> = new Set(Object.keys(import.meta.glob("./*/Page.tsx")).map(folderOf));
