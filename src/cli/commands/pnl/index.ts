import type { CommandSpec } from '../../framework/command/command.js'
import { exported } from './export.js'
import { show } from './show.js'

export const pnl: CommandSpec = {
  name: 'pnl',
  summary: 'The profit and loss of the day, by the minute.',
  examples: ['pnl show', 'pnl export > today.csv'],
  verbs: [show, exported],
}
