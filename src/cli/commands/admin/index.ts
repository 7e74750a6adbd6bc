import type { CommandSpec } from '../../framework/command/command.js'
import { diagnostics } from './diagnostics.js'
import { errors } from './errors.js'
import { freeze } from './freeze.js'
import { health } from './health.js'
import { holiday } from './holiday.js'
import { mcp } from './mcp/index.js'
import { report } from './report.js'
import { stats } from './stats.js'
import { system } from './system.js'
import { timing } from './timing.js'

/** The verbs of the administration, in the order of the help. */
const VERBS: readonly CommandSpec[] = [
  freeze,
  holiday,
  timing,
  stats,
  errors,
  system,
  diagnostics,
  report,
  health,
  mcp,
]

export const admin: CommandSpec = {
  name: 'admin',
  summary:
    'Administration: the tables that orders are checked with, errors, the state of the daemon and its probes.',
  examples: [
    'admin freeze list',
    'admin holiday list --year 2027',
    'admin timing list',
    'admin errors',
    'admin errors groups',
    'admin system',
    'admin diagnostics',
    'admin report --file report.md',
    'admin health',
    'admin mcp status',
  ],
  verbs: VERBS,
}
