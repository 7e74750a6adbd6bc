import type { DynamicValues } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { visible } from '../../output/cells.js'
import { readQueue } from '../approval/queue.js'

const VALUES: Readonly<Record<DynamicValues, (context: Context) => Promise<readonly string[]>>> = {
  approvals: async (context) => (await readQueue(context, { status: 'pending' })).map(({ id }) => String(id)),
  orders: async (context) =>
    (await context.apiRead('orderbook')).body.data.orders.map(({ orderid }) => orderid),
  tokens: async (context) => (await context.read('GET /auth/tokens')).body.data.map(({ id }) => String(id)),
  sessions: async (context) =>
    (await context.read('GET /auth/active-sessions')).body.sessions.map(({ session_id: id }) => id),
  brokers: async (context) => (await context.read('GET /broker/list')).body.data.map(({ id }) => id),
  workflows: async (context) =>
    (await context.read('GET /flow/api/workflows')).body.map(({ id }) => String(id)),
  journal: async (context) => {
    const { body } = await context.read('GET /orders/journal', { query: { state: 'unknown' } })
    return body.data.map(({ order_ref: ref }) => ref)
  },
}

/** Returns ids for the shell; none when the daemon or a credential is missing. */
export async function dynamicValues(context: Context, kind: string): Promise<string[]> {
  const read = Object.entries(VALUES).find(([name]) => name === kind)?.[1]
  const values = await read?.(context).catch(() => [])
  return (values ?? []).map((value) => visible(value))
}
