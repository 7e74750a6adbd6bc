import type { CommandSpec } from '../../framework/command.js'
import { diagnostics } from './diagnostics.js'
import { errors } from './errors.js'
import { report } from './report.js'
import { system } from './system.js'

export const admin: CommandSpec = {
  name: 'admin',
  summary: 'The errors of the daemon, its state and its probes, and the tables it works with.',
  examples: [
    'admin errors',
    'admin errors groups',
    'admin system',
    'admin diagnostics',
    'admin report --file report.md',
  ],
  verbs: [errors, system, diagnostics, report],
}
