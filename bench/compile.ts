import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundled } from '../scripts/bundled.js'
import { FOLDER, MODULES, nameOf } from './compiled.js'

const SOURCES = new URL('../src/', import.meta.url)

/** Builds the modules that benchmarks run in their own process. */
export async function compileModules(): Promise<void> {
  await build({
    ...bundled,
    entryPoints: Object.fromEntries(
      MODULES.map((path) => [nameOf(path), fileURLToPath(new URL(`${path}.ts`, SOURCES))]),
    ),
    outdir: fileURLToPath(FOLDER),
    splitting: true,
  })
  cpSync(new URL('core/storage/migrations', SOURCES), new URL('migrations', FOLDER), { recursive: true })
}
