import type { CommandSpec } from '../../framework/command.js'
import { app } from './app.js'

const verbs = [app]

export const log: CommandSpec = {
  name: 'log',
  summary: 'What was done: the logs of the daemon.',
  examples: verbs.flatMap(({ examples }) => examples.slice(0, 1)),
  verbs,
}
