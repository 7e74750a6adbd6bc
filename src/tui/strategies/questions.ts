import type { RouteAnswer } from '../../client/index.js'
import { type Account, modeName } from '../live/account.js'
import { badResult, type ChangeResult } from '../live/changes/changes.js'
import type { ChangeQuestion } from '../question/use-question.js'
import type { StrategyRow } from './feed.js'
import type { ShownLeg } from './legs.js'

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

/** What a start would do: where its orders go, its legs, and the entry time that it does not wait for. */
interface StartFacts {
  account: Account
  legs: readonly ShownLeg[]
  early: string | undefined
}

/** Asks for a start: mode, place and legs. A live start needs the typed word. */
export function startQuestion(
  target: Target & Pick<StrategyRow, 'updated_at'>,
  mode: 'sandbox' | 'live',
  { account, early, legs }: StartFacts,
): ChangeQuestion {
  const place = mode === 'live' ? `with LIVE orders at ${account.broker}` : 'in the sandbox'
  const when = early === undefined ? '' : ` It enters now, before its entry time ${early}.`
  return {
    title: `Start ${target.id} ${target.name} ${place}?${when} The service is in ${modeName(account)} mode.`,
    lines: legs.map(({ id, side, symbol }) => `leg ${id}: ${side} ${symbol}`),
    word: mode === 'live' ? 'live' : undefined,
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

export function stopQuestion(target: Target, place: Place, legs: readonly ShownLeg[]): ChangeQuestion {
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

export function closeAllQuestion(target: Target, place: Place, legs: readonly ShownLeg[]): ChangeQuestion {
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
export function killQuestion(target: Target, legs: readonly ShownLeg[], isRunning: boolean): ChangeQuestion {
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

function heldLines(legs: readonly ShownLeg[]): readonly string[] {
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
