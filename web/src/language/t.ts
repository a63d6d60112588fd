// Texts of the page in the language that was chosen in Settings. The source has them in English; each other language has
// one catalogue, loaded before the first text is made: what changes the language loads the page anew.

import { preferences } from "../preferences";

export const LANGUAGES = { en: "English", zh: "简体中文" } as const;
export type Language = keyof typeof LANGUAGES;
export type Catalogue = Readonly<Record<string, string>>;

const isLanguage = (name: string): name is Language => Object.hasOwn(LANGUAGES, name);

// The first of the browser's languages that there is.
function systemLanguage(): Language {
  const all = typeof navigator === "undefined" ? [] : navigator.languages;
  return all.map((one) => one.slice(0, 2).toLowerCase()).find(isLanguage) ?? "en";
}

const chosen = preferences().language;
export const language: Language = isLanguage(chosen) ? chosen : systemLanguage();
export const locale = language === "zh" ? "zh-CN" : "en-GB";

let catalogue: Catalogue = {};

// Before anything is made that has a text.
export async function load(): Promise<void> {
  if (language === "zh") catalogue = (await import("./zh.json")).default;
  document.documentElement.lang = language;
}

// `{0}` in the text stands for the first value.
export function t(text: string, ...values: readonly unknown[]): string {
  const found = catalogue[text] ?? text;
  return values.length ? found.replace(/\{(\d)\}/g, (_, place: string) => String(values[Number(place)])) : found;
}

// Whether the language has words of its own for it.
export const isTranslated = (text: string): boolean => Object.hasOwn(catalogue, text);
