import type { CommandSpec } from '../../framework/command/command.js'
import { exportTrail } from './export.js'
import { list } from './list.js'
import { verify } from './verify.js'

export const audit: CommandSpec = {
  name: 'audit',
  summary: 'The audit trail: every act that changed state, each sealed to the one before.',
  examples: ['audit list --since today', 'audit verify', 'audit export --file audit.csv'],
  verbs: [list, exportTrail, verify],
}
