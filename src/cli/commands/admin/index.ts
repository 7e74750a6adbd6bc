import type { CommandSpec } from '../../framework/command.js'
import { freeze } from './freeze.js'
import { holiday } from './holiday.js'
import { stats } from './stats.js'
import { timing } from './timing.js'

/** The verbs of the administration, in the order of the help. */
const VERBS: readonly CommandSpec[] = [freeze, holiday, timing, stats]

export const admin: CommandSpec = {
  name: 'admin',
  summary: 'Administration: freeze quantities, holidays and trading hours.',
  examples: ['admin freeze list', 'admin holiday list --year 2027', 'admin timing list'],
  verbs: VERBS,
}
