import type { RouteAnswer } from '../../client/index.js'
import { entryAhead, isPastExit } from '../../core/strategies/config/exit.js'
import { type Account, modeName } from '../live/account.js'
import { badResult, type ChangeResult } from '../live/changes/changes.js'
import type { ChangeQuestion, Refusal } from '../question/use-question.js'
import { LIVE_WORD } from '../question/weight.js'
import type { StrategyRow } from './feed.js'
import { entryText, type ShownLeg, type Strategy } from './legs.js'

/** The mode of a run, empty if it is not known, and the account that sends its exits. */
export interface Place {
  mode: string
  account: Account
}

const CLOSE_LEG = 'POST /strategy/api/strategies/:id/legs/:leg/close'

type Target = Pick<StrategyRow, 'id' | 'name'>

const to = ({ id }: Target) => ({ params: { id: String(id) } })
/** Returns the command that shows what became of a change. */
const check = ({ id }: Target) => `svc strategy events ${id}`

/** The facts of a strategy that a start depends on. */
type Startable = Target &
  Pick<Strategy, 'current_run_id' | 'live_enabled' | 'entry_time' | 'exit_time' | 'strategy_type'> &
  Pick<Strategy, 'legs' | 'product' | 'underlying' | 'updated_at'>

/** The facts of a start besides the strategy: its mode, the broker of its orders, and the time in milliseconds. */
interface StartFacts extends Place {
  mode: 'sandbox' | 'live'
  now: number
}

/**
 * Asks for a start: mode, place and the legs that it would enter. A live start needs the typed word.
 * @param target the strategy as it is now: the legs of its last run say nothing about the next one
 */
export function startQuestion(
  target: Startable,
  { account, mode, now }: StartFacts,
): ChangeQuestion | Refusal {
  const refusal = whyNotStarted(target, mode, now)
  if (refusal !== undefined) return { refusal }
  const early = entryAhead(target, now)
  const place = mode === 'live' ? `with LIVE orders at ${account.broker}` : 'in the sandbox'
  const when = early === undefined ? '' : ` It enters now, before its entry time ${early}.`
  return {
    title: `Start ${target.id} ${target.name} ${place}?${when} The service is in ${modeName(account)} mode.`,
    lines: target.legs.map((leg) => `leg ${leg.id}: ${entryText(leg, target)}`),
    word: mode === 'live' ? LIVE_WORD : undefined,
    change: {
      check: check(target),
      name: `Start of ${target.id}`,
      async send(client) {
        const reviewed = { broker: account.broker, updated_at: target.updated_at }
        const request = { ...to(target), body: { mode, ...(mode === 'live' && { reviewed }) } }
        const started = await client.request('POST /strategy/api/strategies/:id/start', request)
        const refused = started.legs.filter(({ ok }) => !ok)
        const rest = refused.map(({ leg_id, error }) => ` Leg ${leg_id}: ${error}.`).join('')
        const text = `run ${started.run_id} has started in ${started.mode} mode.${rest}`
        return refused.length === 0 ? text : badResult(text)
      },
    },
  }
}

/** Returns why the daemon would refuse a start; undefined if it would not. */
function whyNotStarted(target: Startable, mode: StartFacts['mode'], now: number): string | undefined {
  const { id, current_run_id, live_enabled } = target
  if (current_run_id !== null) return `${id} runs already.`
  if (mode === 'live' && !live_enabled) return `live runs are not enabled: svc strategy live ${id} on`
  return isPastExit(target, now) ? pastExitText(target) : undefined
}

/** Returns the words for a start that comes too late for today. */
export function pastExitText({ id, name, exit_time }: Pick<Strategy, 'id' | 'name' | 'exit_time'>): string {
  return `${id} ${name} is past its exit time, ${exit_time}: it starts again tomorrow.`
}

/** The open legs of the current run; undefined while they are not read. */
type OpenLegs = readonly ShownLeg[] | undefined

export function stopQuestion(target: Target, place: Place, legs: OpenLegs): ChangeQuestion {
  return {
    title: `Stop ${target.id} ${target.name}, and close every position it holds ${exitText(place)}`,
    lines: heldLines(legs),
    change: {
      check: check(target),
      name: `Stop of ${target.id}`,
      send: async (client) =>
        endText(await client.request('POST /strategy/api/strategies/:id/stop', to(target))),
    },
  }
}

export function closeAllQuestion(target: Target, place: Place, legs: OpenLegs): ChangeQuestion {
  return {
    title: `Close every position of ${target.id} ${target.name} ${exitText(place)}`,
    lines: heldLines(legs),
    change: {
      check: check(target),
      name: `Closing of ${target.id}`,
      send: async (client) =>
        endText(await client.request('POST /strategy/api/strategies/:id/close_all', to(target))),
    },
  }
}

export function closeLegQuestion(target: Target, place: Place, leg: ShownLeg): ChangeQuestion {
  return {
    title: `Close leg ${leg.id} of ${target.id} ${target.name} ${exitText(place)}`,
    lines: heldLines([leg]),
    change: {
      check: check(target),
      name: `Closing of leg ${leg.id} of ${target.id}`,
      async send(client) {
        const params = { id: String(target.id), leg: String(leg.id) }
        const closed = await client.request(CLOSE_LEG, { params })
        return closedText(closed)
      },
    },
  }
}

/** Locks the webhook, and thereby stops the run. */
export function killQuestion(target: Target, legs: OpenLegs, isRunning: boolean): ChangeQuestion {
  const title = `Lock the webhook of ${target.id} ${target.name}`
  return {
    title: isRunning ? `${title}, stop its run, and close every position it holds?` : `${title}?`,
    lines: heldLines(legs),
    word: isRunning ? 'kill' : undefined,
    change: {
      check: check(target),
      name: `Lock of ${target.id}`,
      async send(client) {
        const route = 'POST /strategy/api/strategies/:id/kill_switch'
        return `${(await client.request(route, to(target))).message}.`
      },
    },
  }
}

export function unlockQuestion(target: Target): ChangeQuestion {
  return {
    title: `Unlock the webhook of ${target.id} ${target.name}?`,
    lines: [],
    change: {
      check: check(target),
      name: `Unlock of ${target.id}`,
      async send(client) {
        const route = 'POST /strategy/api/strategies/:id/unlock_webhook'
        return `${(await client.request(route, to(target))).message}.`
      },
    },
  }
}

/** Ends a question about exits: the place that they go to. */
function exitText({ mode, account }: Place): string {
  const service = `The service is in ${modeName(account)} mode.`
  if (mode === 'sandbox') return `in the sandbox? ${service}`
  const orders = mode === 'live' ? 'with LIVE orders' : 'in a mode that is not known,'
  return `${orders} at ${account.broker}? ${service}`
}

function heldLines(legs: OpenLegs): readonly string[] {
  if (legs === undefined) return ['Its open legs are not read yet.']
  return legs
    .filter(({ status }) => status === 'open')
    .map(({ id, side, quantity, symbol }) => `leg ${id}: ${side} ${quantity} ${symbol}`)
}

/** A leg that closes ends its run only if no other leg is open. */
function closedText({ run_id, run_stopped, exits }: RouteAnswer<typeof CLOSE_LEG>): ChangeResult {
  const refused = exits.find(({ ok }) => !ok)
  if (refused !== undefined) {
    return badResult(`the exit is not sent yet: ${refused.error ?? 'its entry is still open'}.`)
  }
  return run_stopped ? `run ${run_id} is stopped.` : `the exit is sent; run ${run_id} goes on.`
}

function endText({ run_id, stop_pending }: { run_id: number | null; stop_pending: boolean }): ChangeResult {
  if (run_id === null) return 'nothing ran.'
  return stop_pending ? badResult(`run ${run_id} waits for its exits.`) : `run ${run_id} is stopped.`
}
