import { load } from "./language/t";
import "./styles/index.css";

void load().then(() => import("./page"));
