import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Column } from '../../../views/table/column.js'
import { asksAgain } from '../../framework/asks-again.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import { called, declared, either } from '../../framework/command/declared.js'
import { noSuch } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

const SCOPES = ['read:market', 'read:account', 'write:orders'] as const
const OUTCOMES = [
  'success',
  'error',
  'bad_arguments',
  'denied',
  'unknown_tool',
  'rate_limited',
  'unauthorized',
] as const

const MOST = 500

const CALL_COLUMNS = [
  { key: 'at', title: 'TIME', kind: 'time' },
  { key: 'tool' },
  { key: 'outcome' },
  { key: 'scope', leaves: 3 },
  { key: 'duration_ms', title: 'MS', kind: 'quantity', leaves: 4 },
  { key: 'client_id', title: 'CLIENT', leaves: 1 },
  { key: 'request_ip', title: 'FROM', leaves: 2 },
] as const satisfies readonly Column[]

const audit = declared({
  name: 'audit',
  summary: 'Lists what assistants called, also what was denied; the newest last.',
  examples: [
    'admin mcp audit',
    'admin mcp audit --outcome denied',
    'admin mcp audit --tool order --limit 20',
  ],
  options: [
    { flags: '--tool <text>', summary: 'a part of the name of the tool' },
    { flags: '--scope <scope>', summary: 'the scope that the tool needs', choices: SCOPES },
    { flags: '--outcome <outcome>', summary: 'how the call ended', choices: OUTCOMES },
    { flags: '--client <client-id>', field: 'client_id', summary: 'the calls of one assistant' },
    { flags: '--limit <n>', summary: 'how many of the newest (default: 100, at most 500)' },
  ],
  calls: 'GET /admin/api/mcp/audit',
  request: (input) => ({
    query: {
      tool: input.text('tool'),
      scope: SCOPES.find((one) => one === input.text('scope')),
      outcome: OUTCOMES.find((one) => one === input.text('outcome')),
      client_id: input.text('client'),
      limit: input.whole('limit', MOST),
    },
  }),
  list: ({ data }) => ({ rows: data, columns: CALL_COLUMNS, id: 'at', empty: 'No calls.' }),
})

type Client = RouteAnswer<'GET /admin/api/oauth/clients'>['clients'][number]

const CLIENT_COLUMNS = [
  { key: 'client_id' },
  { key: 'client_name', title: 'NAME' },
  { key: 'state' },
  { key: 'grants', kind: 'quantity' },
  { key: 'scopes', leaves: 2 },
  { key: 'redirect_hosts', title: 'ANSWERS TO', leaves: 1 },
  { key: 'last_used_at', title: 'LAST USED', kind: 'time', leaves: 3 },
  { key: 'created_at', title: 'REGISTERED', kind: 'time', leaves: 4 },
] as const satisfies readonly Column[]

function clientState({ approved, revoked_at }: Client): string {
  if (revoked_at !== null) return 'revoked'
  return approved ? 'approved' : 'pending'
}

/** Returns the host of an address. One with the scheme of an installed program keeps it: its "host" is a name of that program's choice. */
function placeOf(uri: string): string {
  const { host, origin, protocol } = new URL(uri)
  return origin === 'null' ? `${protocol}//${host}` : host
}

export function clientRows(clients: readonly Client[]) {
  return clients.map((client) => ({
    ...client,
    state: clientState(client),
    scopes: client.scopes_requested.join(' '),
    redirect_hosts: [...new Set(client.redirect_uris.map(placeOf))].join(' '),
  }))
}

const clients = declared({
  name: 'clients',
  summary: 'Lists the assistants that have registered. Their names are their own words: nobody checks them.',
  examples: ['admin mcp clients', 'admin mcp clients --json'],
  calls: 'GET /admin/api/oauth/clients',
  list: (answer) => ({
    rows: clientRows(answer.clients),
    columns: CLIENT_COLUMNS,
    id: 'client_id',
    empty: 'No assistant has registered.',
  }),
})

const CLIENT = { syntax: '<client-id>', summary: 'id from svc admin mcp clients' }

const approve = declared({
  name: 'approve',
  summary: 'Lets an assistant ask for your consent, which you give in a browser.',
  details: asksAgain(),
  examples: ['admin mcp approve Yb1Jq7bOq0mCk2fN8sV5wX3zA6dE9gH4'],
  arguments: [CLIENT],
  calls: 'POST /admin/api/oauth/clients/:client_id/approve',
  request: (input) => ({ params: { client_id: input.required(0) } }),
  acted({ client }, { request }) {
    return client === undefined
      ? `${request.params.client_id} was approved before.`
      : `${client.client_name} is approved.`
  },
})

const revoke = declared({
  name: 'revoke',
  summary: 'Revokes an assistant with all its tokens, at once. It cannot be approved again.',
  examples: ['admin mcp revoke Yb1Jq7bOq0mCk2fN8sV5wX3zA6dE9gH4 --yes'],
  arguments: [CLIENT],
  calls: 'POST /admin/api/oauth/clients/:client_id/revoke',
  request: (input) => ({ params: { client_id: input.required(0) }, body: { confirm: true } }),
  asks: ({ request }) => `Revoke ${request.params.client_id} and all its tokens`,
  async requireKnown({ context, request }) {
    const id = request.params.client_id
    const { body } = await context.read('GET /admin/api/oauth/clients')
    if (!body.clients.some(({ client_id }) => client_id === id))
      throw noSuch('assistant', id, 'svc admin mcp clients')
  },
  acted({ tokens_revoked: tokens }, { request }) {
    const id = request.params.client_id
    return tokens === undefined
      ? `${id} was revoked before.`
      : `${id} is revoked, with ${tokensText(tokens)}.`
  },
})

const kill = declared({
  name: 'kill',
  summary: 'Revokes every token of every assistant, at once. Each needs a new consent after that.',
  details: 'Clients stay approved. To keep them out, revoke them, or switch remote access off.',
  examples: ['admin mcp kill --yes'],
  calls: 'POST /admin/api/mcp/kill-switch',
  request: () => ({ body: { confirm: 'REVOKE_ALL_MCP_TOKENS' } }),
  asks: () => 'Revoke every token of every assistant',
  acted: ({ tokens_revoked }) => `All access is revoked: ${tokensText(tokens_revoked)}.`,
})

const tokensText = (tokens: number) => (tokens === 1 ? '1 token' : `${tokens} tokens`)

type Settings = RouteAnswer<'GET /admin/api/mcp/settings'>['settings']

const SETTING_COLUMNS = [
  { key: 'http_enabled', title: 'REMOTE ACCESS' },
  { key: 'public_url' },
  { key: 'mcp_url' },
  { key: 'require_approval' },
  { key: 'write_scope_enabled' },
  { key: 'queue_writes' },
] as const satisfies readonly Column[]

/** The options that are on or off, with the names of their settings in the API. */
const SWITCHES = [
  ['enabled', 'http_enabled'],
  ['requireApproval', 'require_approval'],
  ['writeScope', 'write_scope_enabled'],
  ['queueWrites', 'queue_writes'],
] as const

const on = (name: string, summary: string) => ({
  flags: `--${name} <on|off>`,
  summary,
  choices: ['on', 'off'],
})

const shownSettings = called({
  calls: 'GET /admin/api/mcp/settings',
  record: ({ settings }) => ({ record: settings, fields: SETTING_COLUMNS, id: 'mcp_url' }),
})

const changedSettings = called({
  calls: 'PUT /admin/api/mcp/settings',
  request: (input) => ({ body: changesOf(input) }),
  acted: ({ settings_pending }) => accessText(settings_pending),
})

const settings: CommandSpec = {
  name: 'settings',
  summary:
    'Shows the settings of remote access, or changes those that you name. A change is in force at once.',
  details: asksAgain('What gives assistants more than before'),
  examples: [
    'admin mcp settings',
    'admin mcp settings --public-url https://desk.example --enabled on',
    'admin mcp settings --queue-writes on',
    'admin mcp settings --enabled off',
  ],
  options: [
    on('enabled', 'remote access; off in a new installation'),
    { flags: '--public-url <url>', summary: 'the https address under which assistants reach the service' },
    on('require-approval', 'you approve each client before it can ask for consent'),
    on('write-scope', 'assistants may get the right to write orders'),
    on('queue-writes', 'in live mode, an order of an assistant always waits for approval'),
  ],
  run: either((input) => Object.keys(changesOf(input)).length === 0, shownSettings, changedSettings),
}

/** Returns the settings that the options change. */
function changesOf(input: Input) {
  const publicUrl = input.text('publicUrl')
  const switches = SWITCHES.flatMap(([name, key]) => {
    const value = input.text(name)
    return value === undefined ? [] : [[key, value === 'on'] as const]
  })
  return { ...Object.fromEntries(switches), ...(publicUrl !== undefined && { public_url: publicUrl }) }
}

/** Says what holds after a change. */
function accessText({ http_enabled, mcp_url, queue_writes, write_scope_enabled }: Settings): string {
  if (!http_enabled) return 'Remote access is off.'
  const orders = !write_scope_enabled
    ? 'No assistant can write orders.'
    : queue_writes
      ? 'In live mode their orders wait for approval.'
      : 'Their orders are sent without approval.'
  return `Remote access is on: assistants connect to ${mcp_url}. ${orders}`
}

const status: CommandSpec = {
  name: 'status',
  summary: 'Says whether assistants can connect from elsewhere, and how many have access.',
  examples: ['admin mcp status'],
  async run(context) {
    const [{ body: all }, { body: known }] = await Promise.all([
      context.read('GET /admin/api/mcp/settings'),
      context.read('GET /admin/api/oauth/clients'),
    ])
    const { approved, pending, revoked } = known.summary
    const grants = known.clients.reduce((sum, client) => sum + client.grants, 0)
    const state = { ...all.settings, pending, approved, revoked, grants }
    await context.out.record({ record: state, fields: STATUS_FIELDS, id: 'mcp_url' })
    context.out.note(accessText(all.settings))
    if (pending > 0) context.out.note('Clients wait for your approval: svc admin mcp clients')
    return EXIT.done
  },
}

const STATUS_FIELDS = [
  { key: 'http_enabled', title: 'REMOTE ACCESS' },
  { key: 'mcp_url' },
  { key: 'pending' },
  { key: 'approved' },
  { key: 'revoked' },
  { key: 'grants' },
] as const

export const mcp: CommandSpec = {
  name: 'mcp',
  summary: 'Assistants that connect by MCP: who may, what they did, and how to stop them.',
  examples: [
    'admin mcp status',
    'admin mcp clients',
    'admin mcp audit --outcome denied',
    'admin mcp settings --public-url https://desk.example --enabled on',
    'admin mcp kill --yes',
  ],
  verbs: [status, clients, approve, revoke, audit, kill, settings],
}
