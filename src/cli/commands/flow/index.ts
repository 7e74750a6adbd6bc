import { isObject, textMember } from '../../../client/answers/json.js'
import type { RouteAnswer } from '../../../client/endpoints.js'
import { WORKFLOW_COLUMNS, WORKFLOW_FIELDS } from '../../../views/flows/workflow.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import { called, declared, either } from '../../framework/command/declared.js'
import { noSuch, usageError } from '../../framework/errors.js'
import { WATCH_OPTIONS } from '../../output/watch.js'
import { diff } from './files/diff.js'
import { exportFlows } from './files/export.js'
import { graph } from './files/graph.js'
import { importFlow } from './files/import.js'
import { init } from './files/init.js'
import { apply, drift, plan } from './files/plan.js'
import { test } from './files/test.js'
import { schema, validate } from './files/validate.js'
import { EXPECT_VERSION, expectedVersion, WORKFLOW, workflowOf } from './find.js'
import { executions, logs } from './log.js'
import { indicators } from './reference/indicators.js'
import { nodes } from './reference/nodes.js'
import { run } from './run.js'
import { activate, deactivate, remove } from './state.js'
import { webhook } from './webhook.js'

const list = declared({
  name: 'list',
  summary: 'Lists the workflows of the daemon.',
  examples: ['flow list', 'flow list --watch', 'flow list --columns id,name,next_run_at', 'flow list --json'],
  columns: WORKFLOW_COLUMNS,
  isWatchable: true,
  calls: 'GET /flow/api/workflows',
  list: (workflows) => ({
    rows: workflows,
    columns: WORKFLOW_COLUMNS,
    id: 'id',
    record: 'workflow',
    empty: 'There are no workflows. Apply some: svc flow apply flows',
  }),
})

const show = declared({
  name: 'show',
  summary: 'Shows one workflow and its nodes; never the secrets of its webhook.',
  examples: ['flow show 3', 'flow show opening-range-breakout', 'flow show 3 --json'],
  arguments: [WORKFLOW],
  columns: WORKFLOW_FIELDS,
  calls: 'GET /flow/api/workflows/:id',
  request: workflowOf,
  record: ({ webhook_token: _token, webhook_secret: _secret, ...record }) => ({
    record,
    fields: WORKFLOW_FIELDS,
    id: 'id',
  }),
  parts: (workflow) => ({
    rows: nodeRows(workflow),
    columns: [{ key: 'node' }, { key: 'type' }, { key: 'label' }, { key: 'leads_to', title: 'LEADS TO' }],
    id: 'node',
    empty: 'The workflow has no nodes.',
  }),
})

/** Returns each node with its successors; `yes:` and `no:` mark the branches of a condition. */
function nodeRows({ nodes, edges }: RouteAnswer<'GET /flow/api/workflows/:id'>) {
  return nodes.map((node) => ({
    node: node.id,
    type: node.type,
    label: isObject(node.data) ? (textMember(node.data, 'label') ?? '') : '',
    leads_to: edges
      .filter((edge) => edge.source === node.id)
      .map((edge) => [textMember(edge, 'sourceHandle') ?? [], String(edge.target)].flat().join(':')),
  }))
}

const history = declared({
  name: 'history',
  summary: 'Lists the versions of a workflow, with time, author, file and commit.',
  examples: ['flow history 3', 'flow history opening-range-breakout --json'],
  arguments: [WORKFLOW],
  calls: 'GET /flow/api/workflows/:id/versions',
  request: workflowOf,
  list: ({ data }) => ({
    rows: data,
    columns: [
      { key: 'version', kind: 'quantity' },
      { key: 'current' },
      { key: 'at', kind: 'time' },
      { key: 'by', leaves: 3 },
      { key: 'origin', leaves: 2 },
      { key: 'file', leaves: 4 },
      { key: 'commit', leaves: 5 },
      { key: 'name', leaves: 1 },
    ],
    id: 'version',
    empty: 'There are no versions.',
  }),
})

const rollback = declared({
  name: 'rollback',
  summary: 'Restores an earlier version of a workflow as a new version.',
  examples: [
    'flow rollback 3 5',
    'flow rollback opening-range-breakout 5',
    'flow rollback opening-range-breakout 5 --expect 7',
  ],
  details: 'A workflow that was applied from a file then differs from it: see svc flow drift.',
  arguments: [
    WORKFLOW,
    { syntax: '<version>', summary: 'number from svc flow history', complete: 'versions' },
  ],
  options: [EXPECT_VERSION],
  calls: 'POST /flow/api/workflows/:id/rollback',
  async request(input, context) {
    const version = input.argument(1) ?? ''
    if (!/^\d+$/.test(version))
      throw usageError(`"${version}" is not a version number.`, 'List them: svc flow history')
    return {
      ...(await workflowOf(input, context)),
      body: { version: Number(version), ...expectedVersion(input) },
    }
  },
  followUp: ({ request }) => `See the current version: svc flow history ${request.params.id}`,
  record: (record) => ({
    record,
    fields: [{ key: 'workflow_id', title: 'ID' }, { key: 'version' }, { key: 'message' }],
    id: 'version',
  }),
  warning: ({ needs_reactivate }, { request }) =>
    needs_reactivate
      ? `its trigger could not be activated; retry: svc flow activate ${request.params.id}`
      : undefined,
})

const cancel = declared({
  name: 'cancel',
  summary: 'Cancels a running workflow run: it sends nothing more.',
  examples: ['flow cancel 42'],
  arguments: [{ syntax: '<execution-id>', summary: 'id from svc flow executions', complete: 'runningRuns' }],
  calls: 'POST /flow/api/executions/:id/cancel',
  request: (input) => ({ params: { id: input.required(0) } }),
  acted: ({ message }) => message,
})

const monitor: CommandSpec = {
  name: 'monitor',
  summary: 'Lists the active price alerts and order watches.',
  examples: ['flow monitor', 'flow monitor --watch', 'flow monitor --json'],
  options: WATCH_OPTIONS,
  run: either(
    (input, { format }) => format === 'json' && !input.flag('watch'),
    called({
      calls: 'GET /flow/api/monitor/status',
      record: (record) => ({ record, fields: [], id: 'alerts_count' }),
    }),
    called({
      calls: 'GET /flow/api/monitor/status',
      isWatchable: true,
      list: (answer) => ({
        rows: watches(answer),
        columns: [
          { key: 'workflow_id', title: 'WORKFLOW', kind: 'quantity' },
          { key: 'kind' },
          { key: 'symbol' },
          { key: 'exchange', title: 'EXCH', leaves: 4 },
          { key: 'order_id', title: 'ORDER', leaves: 2 },
          { key: 'condition' },
          { key: 'target_price', title: 'TARGET', kind: 'price', leaves: 1 },
          { key: 'last_price', title: 'LAST', kind: 'price', leaves: 3 },
          { key: 'triggered', leaves: 1 },
        ],
        id: 'workflow_id',
        empty: 'No price alert or order watch is active.',
      }),
    }),
  ),
}

/** Returns alerts and watches as rows of one table. */
function watches({ alerts, order_updates: updates }: RouteAnswer<'GET /flow/api/monitor/status'>) {
  return [
    ...alerts.map((alert) => ({ kind: 'price', ...alert })),
    ...updates.watches.map((watch) => ({
      kind: 'order',
      condition: watch.status,
      ...watch,
    })),
  ]
}

/** Returns the reference that workflows use for a secret. */
const reference = (name: string) => `\${secret:${name}}`
const NAME = { syntax: '<name>', summary: `what stands in ${reference('name')}` } as const

const listSecrets = declared({
  name: 'list',
  summary: 'Lists the names of secrets, never their values.',
  examples: ['flow secret list'],
  calls: 'GET /flow/api/secrets',
  list: ({ data }) => ({
    rows: data,
    columns: [
      { key: 'name' },
      { key: 'updated_at', title: 'SET', kind: 'time' },
      { key: 'updated_by', title: 'BY' },
    ],
    id: 'name',
    empty: 'There are no secrets. Set one: svc flow secret set NAME',
  }),
})

const setSecret = declared({
  name: 'set',
  summary: 'Stores a secret, encrypted. Reads the value from stdin or a hidden prompt.',
  examples: ['flow secret set telegram', 'pass show telegram | svc flow secret set telegram'],
  arguments: [NAME],
  calls: 'PUT /flow/api/secrets/:name',
  async request(input, { io, prompts }) {
    const name = input.required(0)
    const options = { twice: false, hint: 'Pass it on stdin.', manyLines: true } as const
    const value = await prompts.secret(!io.stdin.isTty, `The value of ${name}`, options)
    return { params: { name }, body: { value } }
  },
  acted: (_, { request: { params } }) => `Secret ${params.name} is stored. Use it: ${reference(params.name)}`,
})

const removeSecret = declared({
  name: 'remove',
  summary: 'Deletes a secret; nodes that use it fail from then on.',
  examples: ['flow secret remove telegram', 'flow secret remove telegram --yes'],
  arguments: [NAME],
  calls: 'DELETE /flow/api/secrets/:name',
  request: (input) => ({ params: { name: input.required(0) } }),
  asks: ({ request }) => `Remove secret ${request.params.name}`,
  async requireKnown({ context, request }) {
    const { name } = request.params
    const { data } = (await context.read('GET /flow/api/secrets')).body
    if (!data.some((secret) => secret.name === name)) throw noSuch('secret', name, 'svc flow secret list')
  },
  acted: (_, { request }) => `Secret ${request.params.name} is removed.`,
})

const secret: CommandSpec = {
  name: 'secret',
  summary: `Secrets for workflows. A workflow refers to one as ${reference('name')}.`,
  examples: ['flow secret list', 'flow secret set telegram', 'flow secret remove telegram'],
  verbs: [listSecrets, setSecret, removeSecret],
}

const GROUPS: Readonly<Record<string, readonly CommandSpec[]>> = {
  'Files, without a daemon': [init, validate, test, graph, schema, nodes, indicators],
  'Files and the daemon': [plan, apply, drift, diff, exportFlows, importFlow],
  'Workflows of the daemon': [list, show, activate, deactivate, remove, history, rollback],
  Runs: [run, executions, logs, cancel],
  'Webhooks, alerts and secrets': [webhook, monitor, secret],
}

export const flow: NounSpec = {
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
