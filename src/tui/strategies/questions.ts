import type { RouteAnswer } from '../../client/index.js'
import { type Account, modeName } from '../live/account.js'
import type { Act } from './acts.js'
import type { StrategyRow } from './feed.js'
import type { ShownLeg } from './legs.js'

/** A question before a change. */
export interface Question {
  title: string
  lines: readonly string[]
  /** The word to type; without one, `y` is enough. */
  word?: string
  act: Act
}

const CLOSE_LEG = 'POST /strategy/api/strategies/:id/legs/:leg/close'

type Target = Pick<StrategyRow, 'id' | 'name'>

const to = ({ id }: Target) => ({ params: { id: String(id) } })

/** Asks for a start: mode, place and legs. A live start needs the typed word. */
export function startQuestion(
  target: Target,
  mode: 'sandbox' | 'live',
  account: Account,
  legs: readonly ShownLeg[],
): Question {
  const place = mode === 'live' ? `with LIVE orders at ${account.broker}` : 'in the sandbox'
  return {
    title: `Start ${target.id} ${target.name} ${place}? The service is in ${modeName(account)} mode.`,
    lines: legs.map(({ id, side, symbol }) => `leg ${id}: ${side} ${symbol}`),
    ...(mode === 'live' && { word: 'live' }),
    act: {
      ...{ strategyId: target.id, name: `Start of ${target.id}` },
      async send(client) {
        const request = { ...to(target), body: { mode } }
        const started = await client.request('POST /strategy/api/strategies/:id/start', request)
        const refused = started.legs.filter(({ ok }) => !ok)
        const rest = refused.map(({ leg_id, error }) => ` Leg ${leg_id}: ${error}.`).join('')
        return `run ${started.run_id} has started in ${started.mode} mode.${rest}`
      },
    },
  }
}

export function stopQuestion(target: Target, legs: readonly ShownLeg[]): Question {
  return {
    ...{
      title: `Stop ${target.id} ${target.name}, and close every position it holds?`,
      lines: heldLines(legs),
    },
    act: {
      ...{ strategyId: target.id, name: `Stop of ${target.id}` },
      send: async (client) =>
        endText(await client.request('POST /strategy/api/strategies/:id/stop', to(target))),
    },
  }
}

export function closeAllQuestion(target: Target, legs: readonly ShownLeg[]): Question {
  return {
    ...{ title: `Close every position of ${target.id} ${target.name}?`, lines: heldLines(legs) },
    act: {
      ...{ strategyId: target.id, name: `Closing of ${target.id}` },
      send: async (client) =>
        endText(await client.request('POST /strategy/api/strategies/:id/close_all', to(target))),
    },
  }
}

export function closeLegQuestion(target: Target, leg: ShownLeg): Question {
  return {
    ...{ title: `Close leg ${leg.id} of ${target.id} ${target.name}?`, lines: heldLines([leg]) },
    act: {
      ...{ strategyId: target.id, name: `Closing of leg ${leg.id} of ${target.id}` },
      async send(client) {
        const params = { id: String(target.id), leg: String(leg.id) }
        const closed = await client.request(CLOSE_LEG, { params })
        return closedText(closed)
      },
    },
  }
}

/** Locks the webhook, and thereby stops the run. */
export function killQuestion(target: Target, legs: readonly ShownLeg[], isRunning: boolean): Question {
  const title = `Lock the webhook of ${target.id} ${target.name}`
  return {
    title: isRunning ? `${title}, stop its run, and close every position it holds?` : `${title}?`,
    lines: heldLines(legs),
    ...(isRunning && { word: 'kill' }),
    act: {
      ...{ strategyId: target.id, name: `Lock of ${target.id}` },
      async send(client) {
        const route = 'POST /strategy/api/strategies/:id/kill_switch'
        return `${(await client.request(route, to(target))).message}.`
      },
    },
  }
}

export function unlockQuestion(target: Target): Question {
  return {
    ...{ title: `Unlock the webhook of ${target.id} ${target.name}?`, lines: [] },
    act: {
      ...{ strategyId: target.id, name: `Unlock of ${target.id}` },
      async send(client) {
        const route = 'POST /strategy/api/strategies/:id/unlock_webhook'
        return `${(await client.request(route, to(target))).message}.`
      },
    },
  }
}

function heldLines(legs: readonly ShownLeg[]): readonly string[] {
  return legs
    .filter(({ status }) => status === 'open')
    .map(({ id, side, quantity, symbol }) => `leg ${id}: ${side} ${quantity} ${symbol}`)
}

/** A leg that closes ends its run only if no other leg is open. */
function closedText({ run_id, run_stopped, exits }: RouteAnswer<typeof CLOSE_LEG>): string {
  const refused = exits.find(({ ok }) => !ok)
  if (refused !== undefined) return `the exit is not sent yet: ${refused.error ?? 'its entry is still open'}.`
  return run_stopped ? `run ${run_id} is stopped.` : `the exit is sent; run ${run_id} goes on.`
}

function endText({ run_id, stop_pending }: { run_id: number | null; stop_pending: boolean }): string {
  if (run_id === null) return 'nothing ran.'
  return stop_pending ? `run ${run_id} waits for its exits.` : `run ${run_id} is stopped.`
}
