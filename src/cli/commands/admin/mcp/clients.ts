import type { RouteAnswer } from '../../../../client/endpoints.js'
import type { Column } from '../../../../views/table/column.js'
import { asksAgain } from '../../../framework/asks-again.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import { noSuch } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'

type Client = RouteAnswer<'GET /admin/api/oauth/clients'>['clients'][number]

const COLUMNS = [
  { key: 'client_id' },
  { key: 'client_name', title: 'NAME' },
  { key: 'state' },
  { key: 'grants', kind: 'quantity' },
  { key: 'scopes', leaves: 2 },
  { key: 'redirect_hosts', title: 'ANSWERS TO', leaves: 1 },
  { key: 'last_used_at', title: 'LAST USED', kind: 'time', leaves: 3 },
  { key: 'created_at', title: 'REGISTERED', kind: 'time', leaves: 4 },
] as const satisfies readonly Column[]

function stateOf({ approved, revoked_at }: Client): string {
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
    state: stateOf(client),
    scopes: client.scopes_requested.join(' '),
    redirect_hosts: [...new Set(client.redirect_uris.map(placeOf))].join(' '),
  }))
}

export const clients: CommandSpec = {
  name: 'clients',
  summary: 'Lists the assistants that have registered. Their names are their own words: nobody checks them.',
  examples: ['admin mcp clients', 'admin mcp clients --json'],
  async run(context) {
    const { body } = await context.read('GET /admin/api/oauth/clients')
    await context.out.list({
      rows: clientRows(body.clients),
      columns: COLUMNS,
      id: 'client_id',
      empty: 'No assistant has registered.',
    })
    return EXIT.done
  },
}

const CLIENT = { syntax: '<client-id>', summary: 'id from svc admin mcp clients' }

export const approve: CommandSpec = {
  name: 'approve',
  summary: 'Lets an assistant ask for your consent, which you give in a browser.',
  details: asksAgain(),
  examples: ['admin mcp approve Yb1Jq7bOq0mCk2fN8sV5wX3zA6dE9gH4'],
  arguments: [CLIENT],
  async run(context, input) {
    const id = input.required(0)
    const { body } = await context.change('POST /admin/api/oauth/clients/:client_id/approve', {
      params: { client_id: id },
    })
    const name = body.client?.client_name
    await context.out.acted(body, name === undefined ? `${id} was approved before.` : `${name} is approved.`)
    return EXIT.done
  },
}

export const revoke: CommandSpec = {
  name: 'revoke',
  summary: 'Revokes an assistant with all its tokens, at once. It cannot be approved again.',
  examples: ['admin mcp revoke Yb1Jq7bOq0mCk2fN8sV5wX3zA6dE9gH4 --yes'],
  arguments: [CLIENT],
  async run(context, input) {
    const id = input.required(0)
    await context.prompts.confirm(`Revoke ${id} and all its tokens`, async () => {
      const { body } = await context.read('GET /admin/api/oauth/clients')
      if (!body.clients.some(({ client_id }) => client_id === id))
        throw noSuch('assistant', id, 'svc admin mcp clients')
    })
    const { body } = await context.change('POST /admin/api/oauth/clients/:client_id/revoke', {
      params: { client_id: id },
      body: { confirm: true },
    })
    const tokens = body.tokens_revoked
    await context.out.acted(
      body,
      tokens === undefined ? `${id} was revoked before.` : `${id} is revoked, with ${countText(tokens)}.`,
    )
    return EXIT.done
  },
}

export const kill: CommandSpec = {
  name: 'kill',
  summary: 'Revokes every token of every assistant, at once. Each needs a new consent after that.',
  details: 'Clients stay approved. To keep them out, revoke them, or switch remote access off.',
  examples: ['admin mcp kill --yes'],
  async run(context) {
    await context.prompts.confirm('Revoke every token of every assistant')
    const { body } = await context.change('POST /admin/api/mcp/kill-switch', {
      body: { confirm: 'REVOKE_ALL_MCP_TOKENS' },
    })
    await context.out.acted(body, `All access is revoked: ${countText(body.tokens_revoked)}.`)
    return EXIT.done
  },
}

const countText = (tokens: number) => (tokens === 1 ? '1 token' : `${tokens} tokens`)
