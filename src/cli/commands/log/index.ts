import type { CommandSpec } from '../../framework/command/command.js'
import { app } from './app.js'
import { exportLog } from './export.js'
import { latency } from './latency.js'
import { analyzer, orders } from './requests.js'
import { traffic } from './traffic.js'

const verbs = [orders, analyzer, traffic, latency, app, exportLog]

export const log: CommandSpec = {
  name: 'log',
  summary: 'Logs: requests with their answers, their timings, and the log of the daemon.',
  examples: verbs.flatMap(({ examples }) => examples.slice(0, 1)),
  verbs,
}
