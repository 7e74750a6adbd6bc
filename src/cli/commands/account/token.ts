import type { Column } from '../../../views/table/column.js'
import { asksAgain } from '../../framework/asks-again.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { noSuch, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

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

const create: CommandSpec = {
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
  async run(context, input) {
    const scopes = (input.text('scope') ?? '').split(',').flatMap((scope) => scope.trim() || [])
    const name = input.text('name')
    if (name === undefined) throw usageError('The token needs a name.', 'Pass --name NAME.')
    if (scopes.length === 0)
      throw usageError('The token needs a scope.', 'Pass scopes, such as --scope approvals,orders.')
    const expires = input.text('expires')
    const { body } = await context.change(
      'POST /auth/tokens',
      { body: { name, scopes, ...(expires === undefined ? {} : { expires }) } },
      { followUp: 'Check whether it was created: svc token list' },
    )
    await context.out.record({
      record: { token: body.token, ...body.data },
      fields: [{ key: 'token' }, ...COLUMNS.filter(({ key }) => !LATER.has(key))],
      id: 'token',
    })
    context.out.note('The token is shown only now. Use it: SVC_TOKEN=… svc approval list')
    return EXIT.done
  },
}

const list: CommandSpec = {
  name: 'list',
  summary: 'Lists the tokens without their secrets, including revoked and expired ones.',
  examples: ['token list'],
  async run(context) {
    const { body } = await context.read('GET /auth/tokens')
    await context.out.list({
      rows: body.data,
      columns: COLUMNS,
      id: 'id',
      empty: 'No tokens. Create one: svc token create --name NAME --scope read',
    })
    return EXIT.done
  },
}

const revoke: CommandSpec = {
  name: 'revoke',
  summary: 'Revokes a token at once.',
  examples: ['token revoke 3', 'token revoke 3 --yes'],
  arguments: [{ syntax: '<token-id>', summary: 'id of the token', complete: 'tokens' }],
  async run(context, input) {
    const id = input.required(0)
    await context.prompts.confirm(`Revoke token ${id}`, async () => {
      const { data } = (await context.read('GET /auth/tokens')).body
      if (!data.some((token) => String(token.id) === id)) throw noSuch('token', id, 'svc token list')
    })
    const { body } = await context.change('DELETE /auth/tokens/:id', { params: { id } })
    await context.out.acted(body, `Token ${id} is revoked.`)
    return EXIT.done
  },
}

export const token: CommandSpec = {
  name: 'token',
  summary: 'Personal access tokens, for cron and scripts.',
  examples: ['token create --name nightly --scope approvals --expires 90d', 'token list', 'token revoke 3'],
  verbs: [create, list, revoke],
}
