import type { SignalNote, WebhookResult } from '../config/vocabulary.js'
import { BATCH_ACTIONS, RUN_MODES, SIGNALS } from '../config/vocabulary.js'
import type { ExitReport } from '../engine/messages.js'

/** The outcome of a delivery. */
export interface WebhookAnswer {
  readonly result: WebhookResult
  readonly message: string
  /** Undefined for an unknown token. */
  readonly strategyId?: number
  readonly runId?: number | undefined
  readonly stopPending?: boolean
  readonly exits?: readonly ExitReport[]
  /** The outcome of each signal, if the delivery has several. */
  readonly signals?: readonly SignalAnswer[]
}

/** The outcome of one of several signals. */
export interface SignalAnswer {
  readonly symbol: string | null
  readonly result: WebhookResult
  readonly message: string
  readonly runId?: number | undefined
}

/** A refusal, with the cause that the audit stores in place of the message. */
export interface Refusal {
  readonly result: Exclude<WebhookResult, 'ok' | 'rate_limited'>
  readonly message: string
  readonly error?: string
}

export const DEDUPE_MS = 60_000
export const COOLING_OFF_MS = 30_000

const oneOf = (words: readonly string[]) => words.join(', ')

/** The texts that senders get. Senders may compare them. */
export const TEXTS = {
  token: 'Unknown or expired webhook token',
  locked: "This strategy's webhook is locked",
  lockedError: 'The webhook kill switch is engaged',
  address: 'This address is not allowed to trigger this strategy',
  addressError: 'Proxy headers name different clients, so the address is not certain: set CLIENT_IP_HEADER',
  batchAction: `'action' must be one of ${oneOf(BATCH_ACTIONS)}`,
  signalAction: `'action' must be one of ${oneOf(SIGNALS)}`,
  mode: `'mode' must be one of ${oneOf(RUN_MODES)} when starting`,
  live: 'Live trading is not enabled for this strategy',
  duplicate: `Duplicate signal ignored, already handled within ${DEDUPE_MS / 1000}s`,
  started: 'Strategy start accepted',
  stopped: 'Strategy stop accepted',
  engine: 'The engine could not act on the signal',
  signalRefused: 'The signal was refused',
  noLeg: 'No leg matches this signal',
  otherSymbol: "'leg_id' and 'symbol' name different contracts",
} as const

export const coolingOff = (remainingMs: number) =>
  `This strategy stopped recently, try again in ${Math.max(1, Math.floor(remainingMs / 1000))}s`

export const signalAccepted = (note: SignalNote | undefined) =>
  note === undefined ? 'Signal accepted' : `Signal accepted (${note})`

export const refusal = (result: Refusal['result'], message: string, error?: string): Refusal => ({
  result,
  message,
  ...(error !== undefined && { error }),
})

/** Returns the first answer that accepted its signal, otherwise the first one. Several signals are listed, each with its outcome. */
export function combined(ends: [SignalEnd, ...SignalEnd[]]): WebhookAnswer {
  const { answer } = ends.find((end) => end.answer.result === 'ok') ?? ends[0]
  if (ends.length === 1) return answer
  const signals = ends.map(({ symbol, answer: { message, result, runId } }) => ({
    symbol,
    result,
    message,
    runId,
  }))
  return { ...answer, signals }
}

interface SignalEnd {
  readonly symbol: string | null
  readonly answer: WebhookAnswer
}
