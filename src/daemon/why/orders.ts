import type { AuditRow } from '../../core/audit/schema.js'
import { fromMoney } from '../../core/money/index.js'
import { type JournalEvent, type JournalRow, ORDER_STATES, type OrderState } from '../../core/orders/index.js'
import type { SandboxOrder } from '../../core/sandbox/index.js'
import type { RunningService } from '../daemon.js'
import { addRequest } from './requests.js'
import type { Timeline } from './timeline.js'

type Source = Pick<RunningService, 'audit' | 'journal' | 'orderTrace' | 'requests'>
type RecordedFill = Awaited<ReturnType<Source['orderTrace']['fills']>>[number]

/** What an update of the broker says: `filled 5 of 10 at 812.5`. */
const REPORTED = /^filled (.+)$/

/** What a change of state means, for people. */
const WORDS: Readonly<Record<OrderState, string>> = {
  claimed: 'Decided and stored, before anything was sent',
  sending: 'Sending begins',
  accepted: 'The broker has the order',
  triggered: 'The GTT fired',
  partial: 'Filled in part',
  filled: 'Filled',
  cancelled: 'Cancelled',
  rejected: 'Rejected',
  unknown: 'No certain answer: in doubt',
  lapsed: 'No longer in the book of the broker',
}

/** The groups of acts that are about orders. */
const ACTS = ['order', 'gtt', 'position'] as const

/** Returns the quantity of the placement: the row has that of now. */
function quantityPlaced({ quantity, request }: JournalRow): string {
  const asked: unknown = Object(JSON.parse(request)).quantity
  return typeof asked === 'number' || typeof asked === 'string' ? String(asked) : quantity
}

/** Adds an order of the journal: the requests about it, its states, its fills and its rows of the audit trail. */
export async function addJournalled(service: Source, timeline: Timeline, row: JournalRow): Promise<void> {
  if (!timeline.isNew('order', row.orderRef)) return
  const ids = [row.orderRef, row.orderId, row.triggerId, row.batchRef].filter((id) => id !== null)
  await addRequestsAbout(service, timeline, { ids, userId: row.userId })
  const acts = await actsAbout(service, ids)
  const fills = await service.orderTrace.fills(row.orderRef)
  for (const event of await service.journal.events(row.orderRef)) {
    const act = acts.find((one) => isOf(one, event))
    if (act) timeline.isNew('act', act.seq)
    const fill = fills.find(({ at }) => at === event.at)
    const filled = filledText(event, fill)
    const isTold = filled !== '' || REPORTED.test(event.detail ?? '')
    if (fill && isTold) timeline.isNew('fill', `${row.orderRef}:${fill.quantity}`)
    const placed =
      event.fromState === null
        ? `: ${row.action} ${quantityPlaced(row)} ${row.symbol} ${row.exchange}, ${row.product}`
        : ''
    const named = event.toState === 'accepted' ? nameOf(row) : ''
    timeline.add(
      {
        at: event.at,
        kind: 'order',
        id: row.orderRef,
        what: `${meaningOf(event.toState)}${placed}${named}${filled}`,
      },
      {
        by: event.fromState === null ? row.userId : null,
        mode: row.mode,
        rule: event.toState === 'rejected' ? row.endCause : null,
        state: event.toState,
        words: wordsOf(event, row, filled !== ''),
        audit: act?.seq ?? null,
      },
    )
  }
  for (const { at, price, quantity } of fills) {
    if (!timeline.isNew('fill', `${row.orderRef}:${quantity}`)) continue
    const what = `${quantity} filled in all, at ${price}`
    timeline.add({ at, kind: 'fill', id: row.orderRef, what }, { mode: row.mode })
  }
  for (const act of acts) timeline.addAct(act)
}

/** Adds an order of the simulated account, whose one row has its whole life. */
export async function addSimulated(service: Source, timeline: Timeline, order: SandboxOrder): Promise<void> {
  const { orderId: id } = order
  if (!timeline.isNew('order', id)) return
  await addRequestsAbout(service, timeline, { ids: [id], userId: order.userId })
  const acts = await actsAbout(service, [id])
  const placing = acts.find(({ act }) => act === 'order.place')
  if (placing) timeline.isNew('act', placing.seq)
  const facts = { mode: 'analyze' as const }
  timeline.add(
    {
      at: order.createdAt,
      kind: 'order',
      id,
      what: `The simulated account took the order: ${order.action} ${order.quantity} ${order.symbol} ${order.exchange}, ${order.product}`,
    },
    { ...facts, by: order.userId, state: 'accepted', audit: placing?.seq ?? null },
  )
  const { averagePrice, filledQuantity, rejectionReason, status, updatedAt: at } = order
  if (filledQuantity > 0) {
    const what = `${filledQuantity} of ${order.quantity} filled at ${fromMoney(averagePrice)}`
    timeline.add({ at, kind: 'fill', id, what }, { ...facts, state: status })
  } else if (status !== 'open' && status !== 'trigger pending') {
    const what = status === 'rejected' ? 'The simulated account rejected it' : 'Cancelled'
    const isRejected = status === 'rejected'
    timeline.add(
      { at, kind: 'order', id, what },
      { ...facts, rule: isRejected ? 'sandbox' : null, state: status, words: rejectionReason || null },
    )
  }
  for (const act of acts) timeline.addAct(act)
}

/**
 * Returns what a change says of the fills: the words of the broker's update, otherwise the recorded fill. The quantity of the
 * journal is that of the first request: the order may have been changed since.
 */
function filledText({ detail, toState }: JournalEvent, fill: RecordedFill | undefined): string {
  if (toState !== 'partial' && toState !== 'filled') return ''
  const reported = REPORTED.exec(detail ?? '')?.[1]
  if (reported !== undefined) return `: ${reported}`
  return fill === undefined ? '' : `: ${fill.quantity} at ${fill.price}`
}

/** Returns the words about a change: the reason of a rejection, otherwise its detail, unless that repeats the fill. */
function wordsOf({ detail, toState }: JournalEvent, { reason }: JournalRow, isFill: boolean): string | null {
  if (toState === 'rejected') return reason ?? detail
  return isFill ? null : detail
}

function meaningOf(state: string): string {
  const known = ORDER_STATES.find((one) => one === state)
  return known === undefined ? state : WORDS[known]
}

function nameOf({ broker, orderId, triggerId }: JournalRow): string {
  const id = orderId ?? triggerId
  return id === null ? '' : `: ${broker} calls it ${id}`
}

/** Adds the requests about an order of a user. Of another user's request for the same id nothing is told. */
async function addRequestsAbout(
  { requests }: Source,
  timeline: Timeline,
  { ids, userId }: { ids: readonly string[]; userId: string },
): Promise<void> {
  for (const id of ids) {
    for (const row of await requests.ofSubject(id))
      if (row.userId === null || row.userId === userId) addRequest(timeline, row)
  }
}

async function actsAbout({ audit }: Source, ids: readonly string[]): Promise<AuditRow[]> {
  return (await Promise.all(ACTS.map((group) => audit.about(ids, group)))).flat()
}

/** Returns whether a row of the audit trail is the copy of a change of state. */
function isOf({ act, after, at }: AuditRow, event: JournalEvent): boolean {
  if (at !== event.at || after === null) return false
  const isPlacing = event.fromState === null
  if (act !== (isPlacing ? 'order.place' : 'order.state')) return false
  return Reflect.get(Object(JSON.parse(after)), 'state') === event.toState
}
