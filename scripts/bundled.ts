import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'

/**
 * How sources become the program that runs. Names and lines stay readable, because the error log shows them. Native
 * addons find their binary beside themselves, so they stay where npm put them.
 */
export const bundled: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'warning',
  external: ['sqlite3', '@node-rs/argon2'],
  // The package's build for Node is CommonJS, and esbuild gives `import('yaml')` of that a default export only.
  alias: { yaml: fileURLToPath(new URL('../node_modules/yaml/browser/index.js', import.meta.url)) },
  // Packages written for `require` expect to find one.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
}
