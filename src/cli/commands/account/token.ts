import type { Column } from '../../../views/table/column.js'
import { asksAgain } from '../../framework/asks-again.js'
import type { NounSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { noSuch, usageError } from '../../framework/errors.js'
import { nearest } from '../../framework/nearest.js'

const COLUMNS = [
  { key: 'id', kind: 'quantity' },
  { key: 'name' },
  { key: 'scopes' },
  { key: 'created_at', title: 'CREATED', kind: 'time', leaves: 4 },
  { key: 'expires_at', title: 'EXPIRES', kind: 'time', leaves: 1 },
  { key: 'last_used_at', title: 'LAST USED', kind: 'time', leaves: 3 },
  { key: 'revoked_at', title: 'REVOKED', kind: 'time', leaves: 2 },
] as const satisfies readonly Column[]
/** Fields that are always empty for a new token. */
const LATER: ReadonlySet<string> = new Set(['last_used_at', 'revoked_at'])

/** The scopes that a token can have. */
export const SCOPE_NAMES = [
  'read',
  'orders',
  'approvals',
  'flows',
  'strategies',
  'settings',
  'admin',
] as const

/** The meaning of each scope, as the API documents it. */
const SCOPES = `Scopes:
  read        See orders, positions, approvals, flows, strategies, logs and status. Changes nothing.
  orders      See the order journal and settle orders in doubt. Placing, modifying and cancelling
              orders needs the API key; beside it, the token may lower risk in semi-auto mode and
              while the kill switch is on.
  approvals   Approve, reject and delete queued orders. An approved order is placed.
  flows       Create, change, activate and run workflows. Workflows place orders, so this scope can
              trade.
  strategies  Create, change, start and stop strategies.
  settings    Change settings: live or analyze mode, order mode, the sandbox, notifications, and which
              symbols pages follow.
  admin       Everything, including users, tokens, bans, brokers, the mail server and the kill switch.`

const create = declared({
  name: 'create',
  summary: 'Creates a personal access token. It is shown once; scripts pass it in SVC_TOKEN.',
  details: `${SCOPES}\n\n${asksAgain('Every scope but read')}`,
  examples: [
    'token create --name nightly --scope approvals --expires 90d',
    'token create --name ops --scope read,admin -q > token.txt',
  ],
  options: [
    { flags: '--name <name>', summary: 'the purpose of the token' },
    {
      flags: '--scope <list>',
      summary: `scopes, separated by commas: ${SCOPE_NAMES.join(', ')}`,
      complete: 'scopes',
    },
    { flags: '--expires <duration>', summary: 'such as 12h or 90d (default: never)' },
  ],
  calls: 'POST /auth/tokens',
  request(input) {
    const scopes = (input.text('scope') ?? '').split(',').flatMap((scope) => scope.trim() || [])
    const name = input.text('name')
    if (name === undefined) throw usageError('The token needs a name.', 'Pass --name NAME.')
    if (scopes.length === 0)
      throw usageError('The token needs a scope.', 'Pass scopes, such as --scope approvals,orders.')
    const unknown = scopes.find((scope) => !SCOPE_NAMES.some((name) => name === scope))
    if (unknown !== undefined) throw noScope(unknown)
    return { body: { name, scopes, ...input.fields({ expires: 'expires' }) } }
  },
  followUp: () => 'Check whether it was created: svc token list',
  record: ({ data, token }) => ({
    record: { token, ...data },
    fields: [{ key: 'token' }, ...COLUMNS.filter(({ key }) => !LATER.has(key))],
    id: 'token',
  }),
  note: ({ data }) =>
    `The token is shown only now. ${data.expires_at === null ? 'It never expires: --expires 90d would give it an end. ' : ''}Use it: SVC_TOKEN=… svc approval list`,
})

function noScope(given: string) {
  const near = nearest(given, SCOPE_NAMES)
  const hint = near === undefined ? `Scopes: ${SCOPE_NAMES.join(', ')}` : `Did you mean ${near}?`
  return usageError(`--scope: "${given}" is no scope.`, hint)
}

const list = declared({
  name: 'list',
  summary: 'Lists the tokens without their secrets, including revoked and expired ones.',
  examples: ['token list'],
  columns: COLUMNS,
  calls: 'GET /auth/tokens',
  list: ({ data }) => ({
    rows: data,
    columns: COLUMNS,
    id: 'id',
    empty: 'No tokens. Create one: svc token create --name NAME --scope read',
  }),
})

const revoke = declared({
  name: 'revoke',
  summary: 'Revokes a token at once.',
  examples: ['token revoke 3', 'token revoke 3 --yes'],
  arguments: [{ syntax: '<token-id>', summary: 'id of the token', complete: 'tokens' }],
  calls: 'DELETE /auth/tokens/:id',
  request: (input) => ({ params: { id: input.required(0) } }),
  asks: ({ request }) => `Revoke token ${request.params.id}`,
  async requireKnown({ context, request }) {
    const { id } = request.params
    const { data } = (await context.read('GET /auth/tokens')).body
    if (!data.some((token) => String(token.id) === id)) throw noSuch('token', id, 'svc token list')
  },
  acted: (_, { request }) => `Token ${request.params.id} is revoked.`,
})

export const token: NounSpec = {
  summary: 'Personal access tokens, for cron and scripts.',
  examples: ['token create --name nightly --scope approvals --expires 90d', 'token list', 'token revoke 3'],
  verbs: [create, list, revoke],
}
