// The build gives three files with fixed names, which the program embeds. The page asks for the other two by their digest,
// so that a browser may keep them forever and still never shows an old one.

import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";

const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Appends digests to the addresses in the page, and writes each file compressed beside itself. */
function sealed() {
  return {
    name: "sealed",
    enforce: "post",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const text = (file) => (file.type === "chunk" ? file.code : String(file.source));
        const page = bundle["index.html"];
        for (const [name, file] of Object.entries(bundle)) {
          if (file === page) continue;
          const line = text(file).endsWith("\n") ? text(file) : `${text(file)}\n`;
          if (file.type === "chunk") file.code = line;
          else file.source = line;
          page.source = String(page.source).replaceAll(`"/${name}"`, `"/${name}?v=${digest(line)}"`);
        }
        for (const [name, file] of Object.entries(bundle)) {
          this.emitFile({ type: "asset", fileName: `${name}.gz`, source: gzipSync(text(file), { level: 9 }) });
        }
      },
    },
  };
}

export default defineConfig({
  plugins: [sealed()],
  build: {
    target: ["chrome123", "firefox128", "safari17.5"],
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rollupOptions: {
      output: { entryFileNames: "page.js", assetFileNames: "page[extname]", codeSplitting: false },
    },
  },
});
