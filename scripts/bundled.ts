import type { BuildOptions } from 'esbuild'

/**
 * How sources become what runs. Names and lines stay readable, because the error log shows them. Native addons
 * find their binary beside themselves, so they stay where npm put them.
 */
export const bundled: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'warning',
  external: ['sqlite3', '@node-rs/argon2'],
  // Packages written for `require` expect to find one.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
}
