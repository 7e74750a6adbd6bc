import type { CommandSpec } from '../../framework/command/command.js'
import { apply } from './files/apply.js'
import { exportFlows } from './files/export.js'
import { graph } from './files/graph.js'
import { importFlow } from './files/import.js'
import { init } from './files/init.js'
import { drift, plan } from './files/plan.js'
import { test } from './files/test.js'
import { schema, validate } from './files/validate.js'
import { cancel, executions, logs } from './log.js'
import { monitor } from './monitor.js'
import { indicators } from './reference/indicators.js'
import { nodes } from './reference/nodes.js'
import { run } from './run.js'
import { secret } from './secret.js'
import { list, show } from './show.js'
import { activate, deactivate, remove } from './state.js'
import { history, rollback } from './versions.js'
import { webhook } from './webhook.js'

const GROUPS: Readonly<Record<string, readonly CommandSpec[]>> = {
  'Files, without a daemon': [init, validate, test, graph, schema, nodes, indicators],
  'Files and the daemon': [plan, apply, drift, exportFlows, importFlow],
  'Workflows of the daemon': [list, show, activate, deactivate, remove, history, rollback],
  Runs: [run, executions, logs, cancel],
  'Webhooks, alerts and secrets': [webhook, monitor, secret],
}

export const flow: CommandSpec = {
  name: 'flow',
  summary: 'Workflows, as files and in the daemon.',
  examples: [
    'flow validate flows',
    'flow test flows',
    'flow plan flows',
    'flow apply flows --activate',
    'flow run flows/opening-range-breakout.yaml --dry-run',
    'flow list',
    'flow logs opening-range-breakout --follow',
    'flow nodes placeOrder',
  ],
  verbs: Object.entries(GROUPS).flatMap(([group, verbs]) => verbs.map((verb) => ({ ...verb, group }))),
}
