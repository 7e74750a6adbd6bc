import type { JournalRow } from '../../core/orders/index.js'
import type { SandboxOrder } from '../../core/sandbox/index.js'
import type { RunningService } from '../daemon.js'
import type { ApprovalRow } from './approvals.js'

/** Orders at the broker and in the simulated account, each once. */
export interface Orders {
  journalled: readonly JournalRow[]
  simulated: readonly SandboxOrder[]
}

/** The end of a list of ids that was too long to store. */
const SHORTENED = / \(\+\d+ more\)$/

/** Returns the user's orders with a reference, or an id at any broker; of a request of several, its orders. */
export async function ordersCalled(
  { brokers, journal, orderTrace, sandbox }: RunningService,
  { id, userId }: { id: string; userId: string },
): Promise<Orders> {
  const own = await journal.find(id)
  const found = own
    ? [own]
    : [
        ...(await orderTrace.withBrokerId(
          id,
          brokers.list().map(({ manifest }) => manifest.id),
        )),
        ...(await journal.inBatch(id)),
      ]
  const simulated = (await sandbox.ordersWith([id])).filter((order) => order.userId === userId)
  return { journalled: found.filter((row) => row.userId === userId), simulated }
}

/** Returns the user's orders with any of these references and ids. */
export async function ordersWith(
  service: RunningService,
  userId: string,
  ids: readonly string[],
): Promise<Orders> {
  const found: Orders[] = []
  for (const id of ids) found.push(await ordersCalled(service, { id, userId }))
  return eachOnce(found)
}

/** Returns the orders that an approval released. */
export async function ordersOfApproval(
  service: RunningService,
  userId: string,
  { brokerOrderId, executionRef, id }: ApprovalRow,
): Promise<Orders> {
  const own = (await service.orderTrace.ofApproval(id)).filter((row) => row.userId === userId)
  const ids = [executionRef, ...(brokerOrderId?.replace(SHORTENED, '').split(',') ?? [])]
  const named = ids.flatMap((one) => one?.trim() || [])
  return eachOnce([{ journalled: own, simulated: [] }, await ordersWith(service, userId, named)])
}

function eachOnce(found: readonly Orders[]): Orders {
  const journalled = new Map<string, JournalRow>()
  const simulated = new Map<string, SandboxOrder>()
  for (const orders of found) {
    for (const row of orders.journalled) journalled.set(row.orderRef, row)
    for (const order of orders.simulated) simulated.set(order.orderId, order)
  }
  return { journalled: [...journalled.values()], simulated: [...simulated.values()] }
}

/**
 * Returns the state of an order now; of several, how many have each state: `18 filled, 2 rejected`. Null without orders.
 * @param refused how many orders of the same request were refused before they had a place anywhere
 */
export function stateOfOrders({ journalled, simulated }: Orders, refused = 0): string | null {
  const states: string[] = [
    ...journalled.map(({ state }) => state),
    ...simulated.map(({ status }) => status),
    ...Array.from({ length: refused }, () => 'refused'),
  ]
  const [only, ...others] = states
  if (others.length === 0) return only ?? null
  const counts = new Map<string, number>()
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1)
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ')
}
