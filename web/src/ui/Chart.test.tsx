import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Chart } from "./Chart";

it("breaks a line where a value is not known", () => {
  const points = [1, 2, null, 3].map((value, place) => ({ label: String(place), value }));
  const shown = renderToStaticMarkup(<Chart title="Visits" series={[{ name: "a", kind: "act", points }]} />);
  const [path] = /class="stroke" d="[^"]*"/.exec(shown) ?? [];
  expect(path?.replace(/[^ML]/g, "")).toBe("MLM");
});
