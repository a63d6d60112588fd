export const title = "Raids";
