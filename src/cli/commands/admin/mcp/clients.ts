import type { RouteAnswer } from '../../../../client/endpoints.js'
import type { Column } from '../../../../views/table/column.js'
import { asksAgain } from '../../../framework/asks-again.js'
import { declared } from '../../../framework/command/declared.js'
import { noSuch } from '../../../framework/errors.js'

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

export const clients = declared({
  name: 'clients',
  summary: 'Lists the assistants that have registered. Their names are their own words: nobody checks them.',
  examples: ['admin mcp clients', 'admin mcp clients --json'],
  calls: 'GET /admin/api/oauth/clients',
  list: (answer) => ({
    rows: clientRows(answer.clients),
    columns: COLUMNS,
    id: 'client_id',
    empty: 'No assistant has registered.',
  }),
})

const CLIENT = { syntax: '<client-id>', summary: 'id from svc admin mcp clients' }

export const approve = declared({
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

export const revoke = declared({
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
    return tokens === undefined ? `${id} was revoked before.` : `${id} is revoked, with ${countText(tokens)}.`
  },
})

export const kill = declared({
  name: 'kill',
  summary: 'Revokes every token of every assistant, at once. Each needs a new consent after that.',
  details: 'Clients stay approved. To keep them out, revoke them, or switch remote access off.',
  examples: ['admin mcp kill --yes'],
  calls: 'POST /admin/api/mcp/kill-switch',
  request: () => ({ body: { confirm: 'REVOKE_ALL_MCP_TOKENS' } }),
  asks: () => 'Revoke every token of every assistant',
  acted: ({ tokens_revoked }) => `All access is revoked: ${countText(tokens_revoked)}.`,
})

const countText = (tokens: number) => (tokens === 1 ? '1 token' : `${tokens} tokens`)
