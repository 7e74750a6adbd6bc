import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { istDate } from '../../../src/core/time/index.js'

/** The environment variable with the folder that has the template of each day. */
export const TEMPLATES_VARIABLE = 'SVC_E2E_TEMPLATES'

const SCRIPT = fileURLToPath(new URL('make-template.ts', import.meta.url))

/** Returns the folder of the template of a day. */
export const templateOf = (templates: string, now: number): string => join(templates, istDate(now))

/**
 * Returns the folder of today's template. A run that crosses midnight in India makes another one: the contracts of the
 * day before are replaced at the start of a daemon, beside the test.
 */
export function todaysTemplate(): string {
  const templates = process.env[TEMPLATES_VARIABLE]
  if (!templates) throw new Error('the e2e tests run under their global setup')
  const folder = templateOf(templates, Date.now())
  if (!existsSync(folder)) execFileSync(process.execPath, ['--import', 'tsx', SCRIPT, folder])
  return folder
}
