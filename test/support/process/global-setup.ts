import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundled } from '../../../scripts/bundled.js'
import { buildWhenStale } from './build.js'
import { processesOfRun, RUN_MARKER } from './children.js'
import { FAKE_BROKERS_VARIABLE } from './fake-broker-process.js'
import { EVERY_FAKE_BROKER } from './fake-brokers.js'
import { makeTemplate } from './template.js'
import { TEMPLATES_VARIABLE, templateOf } from './todays-template.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

let programs = ''
let templates = ''

/**
 * Builds the command and the fake brokers, and prepares one home (instruments, one user). Tests copy it instead of
 * repeating the first start.
 */
export async function setup(): Promise<void> {
  buildWhenStale()
  programs = mkdtempSync(join(tmpdir(), 'svc-e2e-programs-'))
  for (const { id, program } of EVERY_FAKE_BROKER) {
    await build({ ...bundled, entryPoints: [join(ROOT, program)], outfile: join(programs, `${id}.mjs`) })
  }
  process.env[FAKE_BROKERS_VARIABLE] = programs
  process.env[RUN_MARKER] = randomBytes(8).toString('hex')
  templates = mkdtempSync(join(tmpdir(), 'svc-e2e-templates-'))
  const template = templateOf(templates, Date.now())
  mkdirSync(template)
  await makeTemplate(template)
  process.env[TEMPLATES_VARIABLE] = templates
}

export function teardown(): void {
  for (const folder of [programs, templates]) rmSync(folder, { recursive: true, force: true })
  const left = processesOfRun(process.env[RUN_MARKER] ?? '')
  for (const pid of left) process.kill(pid, 'SIGKILL')
  if (left.length > 0) throw new Error(`processes were left running: ${left.join(', ')}`)
}
