import { t } from "../../language/t";

export const title = t("Places");
