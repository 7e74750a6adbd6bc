import type { DynamicValues } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { type Row, rowOf, rowsOf, textOf } from '../../http/json.js'
import { visible } from '../../output/cells.js'
import { readQueue } from '../approval/queue.js'

const VALUES: Readonly<
  Record<DynamicValues, (context: Context) => Promise<readonly (string | undefined)[]>>
> = {
  approvals: async (context) => keys(await readQueue(context, { status: 'pending' }), 'id'),
  orders: async (context) =>
    keys(rowsOf(rowOf((await context.apiRead('orderbook')).body.data).orders), 'orderid'),
  tokens: async (context) => keys(rowsOf((await context.read('/auth/tokens')).body.data), 'id'),
  sessions: async (context) =>
    keys(rowsOf((await context.read('/auth/active-sessions')).body.sessions), 'session_id'),
  brokers: async (context) => keys(rowsOf((await context.read('/broker/list')).body.data), 'id'),
  workflows: async (context) => keys(await context.readList('/flow/api/workflows'), 'id'),
  journal: async (context) =>
    keys(rowsOf((await context.read('/orders/journal?state=unknown')).body.data), 'order_ref'),
}

/** Returns ids for the shell; none when the daemon or a credential is missing. */
export async function dynamicValues(context: Context, kind: string): Promise<string[]> {
  const read = Object.entries(VALUES).find(([name]) => name === kind)?.[1]
  const values = await read?.(context).catch(() => [])
  return (values ?? []).flatMap((value) => (value === undefined ? [] : visible(value)))
}

function keys(rows: readonly Row[], key: string): (string | undefined)[] {
  return rows.map((row) => textOf(row, key))
}
