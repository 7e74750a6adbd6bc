import { z } from 'zod'
import type { KnownOperationName } from '../operations/types.js'
import { type Fields, type Form, given, type Outcome } from './forms.js'
import type { Notice } from './notice.js'

const STRATEGY: Form = { page: '/strategies/:id' }
/** The word that a person types before a start with live orders. */
export const LIVE_WORD = 'live'

/** The forms of the page of a strategy. */
export const STRATEGY_FORMS = {
  'POST /strategy/api/strategies/:id/start': {
    ...STRATEGY,
    refusal: ({ mode, word = '' }) =>
      mode === 'live' && word.trim().toLowerCase() !== LIVE_WORD
        ? `Nothing was started: type ${LIVE_WORD} to start with live orders.`
        : undefined,
    body: startBody,
    notice: startedNotice,
  },
  'POST /strategy/api/strategies/:id/stop': { ...STRATEGY, notice: stoppedNotice },
  'POST /strategy/api/strategies/:id/legs/:leg/close': { ...STRATEGY, notice: closedNotice },
  'POST /strategy/api/strategies/:id/runs/:run/release': {
    ...STRATEGY,
    body: ({ closed_by_hand, positions_checked, reason }) => ({
      reason,
      closed_by_hand: closed_by_hand === 'true',
      positions_checked: positions_checked === 'true',
    }),
  },
  'POST /strategy/api/strategies/:id/kill_switch': STRATEGY,
  'POST /strategy/api/strategies/:id/unlock_webhook': STRATEGY,
  'POST /strategy/api/strategies/:id/live': {
    ...STRATEGY,
    body: ({ enabled }) => ({ enabled: enabled === 'true' }),
    notice: (answer) => ({
      tone: 'good',
      text: answer.live_enabled === true ? 'Live runs are allowed now.' : 'Live runs are refused now.',
    }),
  },
} as const satisfies { readonly [N in KnownOperationName]?: Form }

/** A live start says what its page has shown, so that it starts nothing else. */
function startBody(fields: Fields): object {
  const { word: _, broker, updated_at, ...body } = given(fields)
  return body.mode === 'live' ? { ...body, reviewed: { broker, updated_at } } : body
}

const refusedPart = z.looseObject({ ok: z.boolean(), leg_id: z.number(), error: z.string().nullable() })
const started = z.looseObject({ run_id: z.number(), mode: z.string(), legs: z.array(refusedPart) })
const stopped = z.looseObject({ run_id: z.number().nullable(), stop_pending: z.boolean() })
const closed = z.looseObject({ leg_id: z.number(), run_stopped: z.boolean(), exits: z.array(refusedPart) })

function startedNotice(answer: Outcome): Notice {
  const { run_id, mode, legs } = started.parse(answer)
  return withRefusals(`Run ${run_id} has started in ${mode} mode.`, legs)
}

function stoppedNotice(answer: Outcome): Notice {
  const { run_id, stop_pending } = stopped.parse(answer)
  if (run_id === null) return { tone: 'warning', text: 'Nothing ran.' }
  return stop_pending
    ? { tone: 'warning', text: `Run ${run_id} is stopping: it waits for the fills of its exits.` }
    : { tone: 'good', text: `Run ${run_id} is stopped.` }
}

function closedNotice(answer: Outcome): Notice {
  const { leg_id, run_stopped, exits } = closed.parse(answer)
  const rest = run_stopped ? 'The run is stopped.' : 'The run goes on.'
  return withRefusals(`Leg ${leg_id} is being closed. ${rest}`, exits)
}

function withRefusals(text: string, parts: readonly z.output<typeof refusedPart>[]): Notice {
  const refused = parts.filter(({ ok }) => !ok)
  if (refused.length === 0) return { tone: 'good', text }
  const reasons = refused.map(({ leg_id, error }) => `Leg ${leg_id}: ${error ?? 'refused'}.`)
  return { tone: 'warning', text: [text, ...reasons].join(' ') }
}
