import type { CommandSpec } from '../command.js'
import { apply } from './flow/apply.js'
import { exportFlows } from './flow/export.js'
import { importFlow } from './flow/import.js'
import { cancel, executions, logs } from './flow/log.js'
import { monitor } from './flow/monitor.js'
import { nodes } from './flow/nodes.js'
import { drift, plan } from './flow/plan.js'
import { run } from './flow/run.js'
import { schema } from './flow/schema.js'
import { secret } from './flow/secret.js'
import { list, show } from './flow/show.js'
import { activate, deactivate, remove } from './flow/state.js'
import { test } from './flow/test.js'
import { validate } from './flow/validate.js'
import { history, rollback } from './flow/versions.js'
import { webhook } from './flow/webhook.js'

const GROUPS: Readonly<Record<string, readonly CommandSpec[]>> = {
  'Files, without a daemon': [validate, test, schema, nodes],
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
