// Page parts of extensions: a folder for each, named after it, loaded where the server lists the extension. The file
// in it says where the part is shown: `Settings.tsx` is a section of the settings.

import { lazy, type ComponentType } from "react";
import type { Me } from "../api/types";

type Part = ComponentType<{ me: Me }>;

const found = import.meta.glob<{ default: Part }>("./*/Settings.tsx");
const sections = new Map(Object.entries(found).map(([path, load]) => [path.split("/")[1] ?? "", lazy(load)]));

/** The sections of the settings that the extensions in use bring, with the names of these. */
export function settingsSections(me: Me): readonly (readonly [string, Part])[] {
  return me.extensions.flatMap((name) => {
    const section = sections.get(name);
    return section ? [[name, section] as const] : [];
  });
}
