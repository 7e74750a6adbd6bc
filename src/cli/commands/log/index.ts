import type { CommandSpec } from '../../framework/command.js'
import { app } from './app.js'
import { latency } from './latency.js'
import { traffic } from './traffic.js'

const verbs = [app, traffic, latency]

export const log: CommandSpec = {
  name: 'log',
  summary: 'What was done: the logs of the daemon.',
  examples: verbs.flatMap(({ examples }) => examples.slice(0, 1)),
  verbs,
}
