import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'

/**
 * The options that turn the sources into the program. Names and lines stay readable, because the error log
 * shows them. Native addons and WebAssembly find their binary beside themselves, so they stay where npm put
 * them.
 */
export const bundled: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'warning',
  external: ['sqlite3', '@node-rs/argon2', 'jq-web'],
  // The package's build for Node is CommonJS, and esbuild turns `import('yaml')` of it into a default export
  // only.
  alias: { yaml: fileURLToPath(new URL('../node_modules/yaml/browser/index.js', import.meta.url)) },
  // Packages written for `require` expect this function.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
}
