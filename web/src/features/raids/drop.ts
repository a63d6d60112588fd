// Combat logs dropped on another place of the page: they are imported, and one goes where that is seen.

import { go } from "../../route";
import { logs } from "./imports";
import { raidsLink } from "./words";

const LOG = /combat.?log/i;

export const drop = {
  takes: (file: File): boolean => LOG.test(file.name),
  take: (files: readonly File[]): void => {
    logs.begin(files);
    go(raidsLink);
  },
};
