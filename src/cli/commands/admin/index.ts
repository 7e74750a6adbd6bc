import { PROBE_COLUMNS } from '../../../views/system/probe.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { EXIT } from '../../framework/exit-codes.js'
import { errors } from './errors.js'
import { freeze } from './freeze.js'
import { health } from './health.js'
import { holiday } from './holiday.js'
import { mcp } from './mcp.js'
import { system } from './system.js'
import { timing } from './timing.js'

const stats = declared({
  name: 'stats',
  summary: 'Shows the number of freeze quantities and of holidays.',
  examples: ['admin stats', 'admin stats --json'],
  calls: 'GET /admin/api/stats',
  record: (record) => ({
    record,
    id: 'freeze_count',
    fields: [
      { key: 'freeze_count', title: 'FREEZE QUANTITIES', kind: 'quantity' },
      { key: 'holiday_count', title: 'HOLIDAYS', kind: 'quantity' },
    ],
  }),
})

const report = declared({
  name: 'report',
  summary: 'Writes a report for support: the state of the installation and its newest errors.',
  details:
    'It contains no secret, but names of this machine and texts of errors: read it before you publish it.',
  examples: ['admin report', 'admin report --file report.md', 'admin report --format txt > report.txt'],
  options: [
    { flags: '--format <format>', summary: 'md or txt (default: md)', choices: ['md', 'txt'] },
    { flags: '--file <path>', summary: 'write to a new file (0600) instead of standard output' },
  ],
  calls: 'GET /admin/api/system/report',
  request: (input) => ({ query: { format: input.text('format') } }),
  saves: true,
})

const diagnostics = declared({
  name: 'diagnostics',
  summary: 'Runs the probes of the daemon: database, HTTP, market stream, broker. Exit 1 when one fails.',
  details:
    'Each probe has a limit of 2 to 3 seconds. svc doctor runs the same probes, and checks this machine.',
  examples: ['admin diagnostics', "admin diagnostics --jq '.[] | select(.ok | not) | .name'"],
  calls: 'POST /admin/api/system/diagnostics',
  reads: true,
  list: ({ checks }) => ({ rows: checks, id: 'id', empty: '', columns: PROBE_COLUMNS }),
  exit: ({ checks }) => (checks.every(({ ok }) => ok) ? EXIT.done : EXIT.failed),
})

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

export const admin: NounSpec = {
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
