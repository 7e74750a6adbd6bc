import { within } from '../../core/time/index.js'
import type { Service } from '../service.js'

/** What a change of the broker in use does to the work that exists, in sentences for a person. */
export interface ChangeOfBroker {
  from: string
  to: string
  /** What stays at the broker in use, and is not followed from here any more. */
  stays: readonly string[]
  /** What goes on, at the new broker. */
  moves: readonly string[]
}

/** The longest wait for the positions of an account. A broker that is down is often the reason for the change. */
const POSITIONS_WAIT_MS = 3_000

/**
 * Returns what the change to another broker would do now: orders, GTTs and positions stay at the broker in use, and active
 * workflows, and strategies and waiting approvals of the user, go on at the other one. Both lists are empty for the broker in use.
 */
export async function changeOfBroker(service: Service, user: string, to: string): Promise<ChangeOfBroker> {
  const from = service.brokers.brokerId
  const [oldName, newName] = [service.brokers.nameOf(from), service.brokers.nameOf(to)]
  if (to === from) return { from, to, stays: [], moves: [] }
  const [stays, moves] = await Promise.all([whatStays(service, oldName), whatMoves(service, user, newName)])
  return { from, to, stays, moves }
}

async function whatStays(service: Service, name: string): Promise<string[]> {
  const { brokers, journal, orders } = service
  const from = brokers.brokerId
  const [open, doubts, gtts, gttDoubts, positions] = await Promise.all([
    journal.openAt(from),
    journal.inDoubtAt(from, 0),
    journal.openGttsAt(from),
    journal.gttsInDoubtAt(from),
    openPositions(service),
  ])
  return [
    ...counted(open.length, ['open order', 'open orders'], `at ${name} can fill there unseen`),
    ...counted(
      doubts.length,
      ['order in doubt', 'orders in doubt'],
      `at ${name} cannot be settled meanwhile`,
    ),
    ...counted(gtts.length, ['GTT', 'GTTs'], `at ${name} can fire there unseen`),
    ...counted(
      gttDoubts.length,
      ['GTT in doubt', 'GTTs in doubt'],
      `at ${name} can fire there unseen, and cannot be settled meanwhile`,
    ),
    ...(typeof positions === 'string'
      ? [`The positions at ${name} ${positions}`]
      : counted(positions, ['open position', 'open positions'], `at ${name} cannot be closed from here`)),
    ...orders.strategyOrders.heldAt(from).map((held) => `Nothing protects ${held} at ${name}`),
  ]
}

async function whatMoves(service: Service, user: string, name: string): Promise<string[]> {
  const { approvals, flows, strategyCatalog } = service
  const strategies = (await strategyCatalog.list(user)).filter(({ strategy }) => strategy.liveEnabled)
  const active = flows.workflows.list().filter(({ isActive }) => isActive)
  return [
    ...counted(active.length, ['active workflow', 'active workflows'], `will send live orders to ${name}`),
    ...counted(strategies.length, ['live strategy', 'live strategies'], `will open the next run at ${name}`),
    ...counted(approvals.count(user), ['waiting approval', 'waiting approvals'], `will go to ${name}`),
  ]
}

/** Returns the number of open positions; in words, if the broker cannot be asked, or does not say it in time. */
async function openPositions({ brokers, clock }: Service): Promise<number | string> {
  if (!brokers.connected()) return 'are not known: nobody is signed in there'
  const read = brokers
    .client()
    .portfolio.positions()
    .then((rows) => rows.filter(({ quantity }) => quantity !== 0).length)
    .catch(() => undefined)
  return (await within(clock, POSITIONS_WAIT_MS, read)) ?? 'could not be read'
}

function counted(count: number, [one, many]: readonly [string, string], what: string): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many} ${what}`]
}
