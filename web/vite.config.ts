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

// The page waits for its texts and is wanted at once all the same: what it needs is fetched from the beginning.
const preload = {
  name: "preload-page",
  transformIndexHtml: {
    order: "post" as const,
    handler(html: string, { bundle = {} }: { bundle?: Record<string, { type: string }> }) {
      const chunks = Object.values(bundle).filter((one): one is Chunk => one.type === "chunk");
      const page = chunks.find((one) => one.moduleIds.some((id) => id.endsWith("/src/page.tsx")));
      const names = page ? [page.fileName, ...page.imports].filter((name) => !html.includes(name)) : [];
      return names.map((name) => ({ tag: "link", attrs: { rel: "modulepreload", href: `./${name}` } }));
    },
  },
};

interface Chunk {
  readonly type: "chunk";
  readonly fileName: string;
  readonly moduleIds: readonly string[];
  readonly imports: readonly string[];
}

export default defineConfig({
  plugins: [onlyWoff2, preload, react(), tailwindcss()],
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
    // What the page needs at once is one script, as what is packed together packs better.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "first", test: /\/(src\/(language\/t|preferences)\.ts|node_modules\/react\/)/, priority: 2 },
            { name: "page", test: /\/src\/page\.tsx$/, priority: 1, includeDependenciesRecursively: true },
          ],
        },
      },
    },
  },
  // They run beside all other tests: a busy machine is no failure.
  test: { testTimeout: 60_000 },
  server: { proxy: { "/api": "http://127.0.0.1:8000", "/admin/": "http://127.0.0.1:8000" } },
});
