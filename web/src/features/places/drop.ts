// Files of places dropped on another place of the page: they are imported, and one goes where that is seen. Other CSV
// files are for the question.

import { go } from "../../route";
import { files, placesLink } from "./imports";

const FILES =
  /\.(geojson|geojsonl|parquet)$|(poi|places|visits|patterns|footfall|foot.?traffic).*\.(csv|tsv|txt|json)$/i;

export const drop = {
  takes: (file: File): boolean => FILES.test(file.name),
  take: (dropped: readonly File[]): void => {
    files.begin(dropped);
    go(placesLink);
  },
};
