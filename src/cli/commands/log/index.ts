import type { CommandSpec } from '../../framework/command.js'
import { app } from './app.js'
import { exportLog } from './export.js'
import { latency } from './latency.js'
import { analyzer, orders } from './requests.js'
import { traffic } from './traffic.js'

const verbs = [orders, analyzer, traffic, latency, app, exportLog]

export const log: CommandSpec = {
  name: 'log',
  summary: 'What was done: requests with their answers, and the log of the daemon.',
  examples: verbs.flatMap(({ examples }) => examples.slice(0, 1)),
  verbs,
}
