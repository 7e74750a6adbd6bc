import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isFresh } from '../../../scripts/fresh.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Builds the command when the sources are newer, because tests and benchmarks use the compiled command. */
export function buildWhenStale(): void {
  if (isFresh()) return
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: ['ignore', 2, 2] })
}
