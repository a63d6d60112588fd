import { expect, it } from "vitest";
import { imagesIn } from "./images";

const PNG = "data:image/png;base64,iVBORw0KGgo=";

it("finds the pictures of a result", () => {
  expect(imagesIn({ image: PNG })).toEqual([{ src: PNG, alt: "" }]);
  expect(
    imagesIn({
      images: [
        { src: PNG, alt: "A map" },
        { data: "iVBORw0KGgo=", mimeType: "image/png" },
      ],
    }),
  ).toEqual([
    { src: PNG, alt: "A map" },
    { src: PNG, alt: "" },
  ]);
  expect(imagesIn({ image: "/api/uploads/1" })).toHaveLength(1);
  expect(imagesIn({ images: Array.from({ length: 20 }, () => PNG) })).toHaveLength(8);
});

it.each([
  "data:image/svg+xml;base64,PHN2Zz4=",
  "data:text/html;base64,PHN2Zz4=",
  "https://elsewhere.test/a.png",
  "//elsewhere.test/a.png",
  "/api/../admin",
  "javascript:alert(1)",
  { data: "<svg>", mimeType: "image/png" },
  { data: "AAAA", mimeType: "image/svg+xml" },
  7,
  null,
])("leaves alone what is none, or may do something: %j", (image) => {
  const found = imagesIn({ image });
  expect(found).toEqual([]);
});
