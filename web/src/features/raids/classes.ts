// The nine classes with their specs, and a colour for each in both themes: the game's own, darker where the page is light.

export interface PlayerClass {
  readonly name: string;
  readonly specs: readonly string[];
  readonly light: string;
  readonly dark: string;
}

export const CLASSES: readonly PlayerClass[] = [
  { name: "Druid", specs: ["Balance", "Feral", "Restoration"], light: "#c25700", dark: "#ff7d0a" },
  { name: "Hunter", specs: ["Beast Mastery", "Marksmanship", "Survival"], light: "#5f8a1d", dark: "#abd473" },
  { name: "Mage", specs: ["Arcane", "Fire", "Frost"], light: "#1484a8", dark: "#69ccf0" },
  { name: "Paladin", specs: ["Holy", "Protection", "Retribution"], light: "#d0508b", dark: "#f58cba" },
  { name: "Priest", specs: ["Discipline", "Holy", "Shadow"], light: "#70767d", dark: "#f4f4f4" },
  { name: "Rogue", specs: ["Assassination", "Combat", "Subtlety"], light: "#917f00", dark: "#fff569" },
  { name: "Shaman", specs: ["Elemental", "Enhancement", "Restoration"], light: "#0062c4", dark: "#3d93f5" },
  { name: "Warlock", specs: ["Affliction", "Demonology", "Destruction"], light: "#7a66b8", dark: "#9482c9" },
  { name: "Warrior", specs: ["Arms", "Fury", "Protection"], light: "#96703f", dark: "#c79c6e" },
];

// Null for a class that the log does not tell.
export function classColour(name: string): string | null {
  const found = CLASSES.find((one) => one.name === name);
  return found ? `light-dark(${found.light}, ${found.dark})` : null;
}
