import type { ExitOwner, SignalNote } from '../../../config/vocabulary.js'
import type { EntryReport, ExitReport, RunReply } from '../../messages.js'
import { type Attempt, entryReport, exitReport } from '../../state/attempt.js'
import type { OrderState } from '../../state/order.js'
import type { RunState } from '../../state/run-state.js'
import {
  entriesRefusedText,
  eventOf,
  exitsRefusedText,
  stopInDoubtText,
  stopRefusedText,
} from '../../texts.js'

/** Begins to wait for the broker's answers to the orders of a request. */
export function attempt(
  state: RunState,
  kind: Attempt['kind'],
  request: string | undefined,
  orders: OrderState[],
  unfilled: ExitReport[] = [],
): void {
  state.attempts.push({ kind, request, orders, unfilled })
}

/** Answers a request that places no order. */
export function answer(
  state: RunState,
  request: string | undefined,
  more: { note?: SignalNote; error?: string },
): void {
  reply(state, request, { ok: more.error === undefined, note: more.note ?? null, error: more.error ?? null })
}

/** Answers the requests whose orders the broker has all answered. */
export function completeAttempts(state: RunState): void {
  if (state.attempts.length === 0) return
  const [done, waiting] = [[] as Attempt[], [] as Attempt[]]
  for (const one of state.attempts) {
    const isDone = one.orders.every(({ isAnswered, isWorking }) => isAnswered || !isWorking)
    ;(isDone ? done : waiting).push(one)
  }
  state.attempts = waiting
  for (const one of done) complete(state, one)
}

function complete(state: RunState, { kind, request, orders, unfilled }: Attempt): void {
  const entries = orders.filter((one) => one.isEntry).map(entryReport)
  // The run itself takes an exit back that is larger than what it holds now. Nobody refused that one.
  const sent = orders.filter((one) => !one.isEntry && !(one.isUnwanted && one.status === 'rejected'))
  const exits = [...sent.map((one) => exitReport(one, ownerOf(state, one))), ...unfilled]
  const refused = sent.filter(({ status }) => status === 'rejected').length
  if (kind === 'stop' && refused > 0) {
    state.event(eventOf('run_stop_failed', stopRefusedText(refused), { payload: { exits } }))
  }
  if (kind === 'stop') tellDoubts(state)
  const error = errorOf(kind, entries, exits, refused)
  reply(state, request, { ok: error === null, note: null, error }, entries, exits)
}

/** Returns the orders whose outcome nobody knows. */
export function ordersInDoubt(state: RunState): OrderState[] {
  return [...state.orders.values()].filter(({ isInDoubt, isWorking }) => isInDoubt && isWorking)
}

/** Reports the orders of unknown outcome that keep a stop waiting. */
function tellDoubts(state: RunState): void {
  const doubtful = ordersInDoubt(state)
  if (doubtful.length === 0) return
  const payload = { orders: doubtful.map(({ order }) => order.id) }
  state.event(eventOf('run_stop_failed', stopInDoubtText(doubtful), { payload }))
}

function ownerOf(state: RunState, { order }: OrderState): ExitOwner {
  const newest = state.leg(order.legId)?.newest
  return newest?.ref === order.positionRef ? 'live' : 'superseded'
}

function errorOf(
  kind: Attempt['kind'],
  entries: readonly EntryReport[],
  exits: readonly ExitReport[],
  refused: number,
): string | null {
  if (kind === 'stop') return refused > 0 ? exitsRefusedText(refused, exits.length) : null
  if (kind === 'start') return entries.some(({ ok }) => ok) ? null : entriesRefusedText(entries)
  const failed = entries.find(({ ok }) => !ok)
  if (failed) return failed.error
  const exit = exits.find(({ ok }) => !ok)
  return exit ? `Exit refused: ${exit.error}` : null
}

function reply(
  state: RunState,
  request: string | undefined,
  { ok, note, error }: Pick<RunReply, 'ok' | 'note' | 'error'>,
  entries: readonly EntryReport[] = [],
  exits: readonly ExitReport[] = [],
): void {
  if (request === undefined) return
  const stopPending = state.stop !== null && state.ended === null && !state.isFlat
  state.emit({ type: 'reply', request, reply: { ok, note, error, stopPending, entries, exits } })
}
