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
  // Ink loads React's developer tools only with DEV=true; they are no part of the package.
  external: ['sqlite3', '@node-rs/argon2', 'jq-web', 'react-devtools-core'],
  // React's build for development is several times slower, and keeps a record of each render.
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  // The package's build for Node is CommonJS, and esbuild turns `import('yaml')` of it into a default export
  // only.
  alias: { yaml: fileURLToPath(new URL('../node_modules/yaml/browser/index.js', import.meta.url)) },
  // Packages written for `require` expect this function.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
}
