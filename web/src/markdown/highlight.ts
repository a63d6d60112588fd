// Loaded when the first code is shown.

import { common, createLowlight } from "lowlight";

export const lowlight = createLowlight(common);
