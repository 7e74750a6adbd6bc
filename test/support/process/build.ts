import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/**
 * The build writes this file last and renames the whole folder at once: after a failed build the file keeps
 * its old date.
 */
const BUILT_LAST = join(ROOT, 'dist/client/index.d.ts')
const SOURCES = ['src', 'scripts', 'tsconfig.json', 'tsconfig.build.json', 'package.json']

/** Builds the command when the sources are newer, because tests and benchmarks use the compiled command. */
export function buildWhenStale(): void {
  const newest = Math.max(...SOURCES.map((name) => newestChange(join(ROOT, name))))
  if (existsSync(BUILT_LAST) && newest <= statSync(BUILT_LAST).mtimeMs) return
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: ['ignore', 2, 2] })
}

function newestChange(path: string): number {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  return Math.max(0, ...readdirSync(path).map((name) => newestChange(join(path, name))))
}
