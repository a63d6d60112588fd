import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// Browsers that can show this page read woff2: the other forms of the same letters would only make the wheel bigger.
const onlyWoff2 = {
  name: "only-woff2",
  enforce: "pre" as const,
  transform(code: string, id: string) {
    return id.includes("katex") && id.includes(".css")
      ? code.replace(/,url\([^)]*\)\s*format\("(?:woff|truetype)"\)/g, "")
      : null;
  },
};

export default defineConfig({
  plugins: [onlyWoff2, react(), tailwindcss()],
  // The page may be served under any path: everything it names is beside it.
  base: "./",
  build: {
    outDir: "../src/glassloop/server/page",
    emptyOutDir: true,
    // The policy of the server allows no data: fonts or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    target: "es2023",
  },
  // They run beside all other tests: a busy machine is no failure.
  test: { testTimeout: 60_000 },
  server: { proxy: { "/api": "http://127.0.0.1:8000", "/admin/": "http://127.0.0.1:8000" } },
});
