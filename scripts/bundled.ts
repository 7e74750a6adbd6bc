import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'
import type { ProgramName } from '../src/cli/programs.js'

/** The messages of zod in fifty languages are a third of it; the program uses English, which zod itself imports. */
const withoutLocales: Plugin = {
  name: 'without-locales',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export {}' }))
  },
}

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
  logLevel: 'warning',
  // Ink loads React's developer tools only with DEV=true; they are no part of the package.
  external: ['sqlite3', '@node-rs/argon2', 'jq-web', 'react-devtools-core'],
  // React's build for development is several times slower, and keeps a record of each render.
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  plugins: [withoutLocales],
  // The package's build for Node is CommonJS, and esbuild turns `import('yaml')` of it into a default export
  // only.
  alias: { yaml: fileURLToPath(new URL('../node_modules/yaml/browser/index.js', import.meta.url)) },
  // Packages written for `require` expect this function.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
}

/** The options that turn the sources into one script, which V8 can compile in advance; it cannot do so with modules. */
const oneScript: BuildOptions = {
  ...bundled,
  format: 'cjs',
  // A script that runs from stored code cannot import, only require.
  supported: { 'dynamic-import': false },
  entryPoints: ['src/cli/begin.ts'],
  define: { ...bundled.define, 'import.meta.url': 'fileUrl' },
  // The function around a CommonJS module is in the file, so that a start need not copy the text to put it there.
  banner: {
    js: "(function (exports, require, module, __filename, __dirname) { const fileUrl = require('node:url').pathToFileURL(__filename).href;",
  },
  footer: { js: '})' },
}

/** The nouns whose commands run the service in their own process: `svc up` and `svc flow test`. */
const SERVING_NOUNS = /^\.\/commands\/(daemon\/up|flow\/index)\./

/** The program of what runs the service: the other nouns stay out. */
const onlyServingNouns: Plugin = {
  name: 'only-serving-nouns',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/commands\// }, ({ importer, path }) =>
      importer.endsWith('nouns.ts') && !SERVING_NOUNS.test(path) ? { path, external: true } : undefined,
    )
  },
}

/** The folders of the nouns that the small program has. */
const QUICK_NOUNS = /^\.\/commands\/((order|trade|pnl|market)\/|log\/why\.)/

/** The program of the nouns that scripts call most. What it leaves out, none of them may load. */
const onlyQuickNouns: Plugin = {
  name: 'only-quick-nouns',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ importer, kind, path }) => {
      if (kind !== 'dynamic-import') return undefined
      if (importer.endsWith('nouns.ts')) return QUICK_NOUNS.test(path) ? undefined : { path, external: true }
      if (!/\/(tui|daemon)\//.test(path)) return undefined
      return { errors: [{ text: `${importer} loads ${path}, which the commands of this program must not` }] }
    })
  },
}

/** The options of each program that the build keeps in one file. */
export const PROGRAMS: Readonly<Record<ProgramName, BuildOptions>> = {
  program: { ...oneScript, plugins: [withoutLocales, onlyServingNouns] },
  commands: { ...oneScript, plugins: [withoutLocales, onlyQuickNouns] },
}
