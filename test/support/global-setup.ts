import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { processesOfRun, RUN_MARKER } from './children.js'
import { makeTemplate, TEMPLATE_VARIABLE } from './daemon-process.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const COMPILED = join(ROOT, 'dist/cli/main.js')
const SOURCES = ['src', 'tsconfig.json', 'tsconfig.build.json', 'package.json']

let template = ''

/**
 * What is tested is the compiled command, so it is built when the sources are newer. Then one home is prepared
 * (instruments, one user) that tests copy instead of going through the first start each time.
 */
export async function setup(): Promise<void> {
  const newest = Math.max(...SOURCES.map((name) => newestChange(join(ROOT, name))))
  if (!existsSync(COMPILED) || newest > statSync(COMPILED).mtimeMs) {
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' })
  }
  process.env[RUN_MARKER] = randomBytes(8).toString('hex')
  template = mkdtempSync(join(tmpdir(), 'svc-e2e-template-'))
  await makeTemplate(template)
  process.env[TEMPLATE_VARIABLE] = template
}

export function teardown(): void {
  rmSync(template, { recursive: true, force: true })
  const left = processesOfRun(process.env[RUN_MARKER] ?? '')
  for (const pid of left) process.kill(pid, 'SIGKILL')
  if (left.length > 0) throw new Error(`processes were left running: ${left.join(', ')}`)
}

function newestChange(path: string): number {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  return Math.max(0, ...readdirSync(path).map((name) => newestChange(join(path, name))))
}
