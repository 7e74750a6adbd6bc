import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
/** A build that fails leaves the whole folder as it was, with its old date. */
const BUILT = join(ROOT, 'dist/client/index.js')
const SOURCES = ['src', 'scripts', 'tsconfig.json', 'package.json']

/** Returns whether dist/ is newer than everything that it is made of. */
export function isFresh(): boolean {
  return existsSync(BUILT) && newestChange(SOURCES.map((name) => join(ROOT, name))) <= statSync(BUILT).mtimeMs
}

function newestChange(paths: readonly string[]): number {
  const changes = paths.map((path) => {
    const stats = statSync(path)
    return stats.isDirectory()
      ? newestChange(readdirSync(path).map((name) => join(path, name)))
      : stats.mtimeMs
  })
  return Math.max(0, ...changes)
}
