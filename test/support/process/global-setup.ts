import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildWhenStale } from './build.js'
import { processesOfRun, RUN_MARKER } from './children.js'
import { TEMPLATE_VARIABLE } from './daemon-process.js'
import { makeTemplate } from './template.js'

let template = ''

/**
 * Builds, and prepares one home (instruments, one user). Tests copy it instead of repeating the first start.
 */
export async function setup(): Promise<void> {
  buildWhenStale()
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
