import { BrokerError, type BrokerErrorKind } from '../../broker.js'

/** What a code of a broker means, and whether it proves that nothing was executed. */
export interface Outcome {
  kind: BrokerErrorKind
  proves: boolean
  /** Another kind that the broker tells apart only by its words. */
  unless?: { words: RegExp; kind: BrokerErrorKind }
}

/** The meaning of a broker's own codes. */
export type OutcomeTable = Readonly<Record<string, Outcome>>

/** What an answer means whose body is not in the broker's format: a text or a page that the broker's gateway writes. */
export interface PlainOutcome extends Pick<Outcome, 'kind' | 'proves'> {
  status: number
  /** The words of the body that tell it from others with the status. */
  words: RegExp
  /** What is told of it. */
  message: string
}

/** What an unsuccessful answer says, in the broker's own format. */
export interface Refusal {
  /** The broker's words, without secrets. */
  message: string
  /** The broker's code; empty if it sent none. */
  code: string
}

/** An unsuccessful answer. */
interface UnsuccessfulAnswer {
  /** Names the request, for the log. */
  call: string
  status: number
  /** Undefined if the body is not in the broker's format: a gateway's page. */
  refusal: Refusal | undefined
  /** What the words of such a body mean; undefined if they are not known. See {@link plainOutcome}. */
  plain?: PlainOutcome | undefined
  /** The header, in seconds. */
  retryAfter?: string | undefined
  /** Whether any code of the broker proves a refusal with a status of 4xx, also one that the table lacks. */
  codesProve?: boolean
}

type Sent = 'never' | 'maybe' | 'yes'

/** Statuses that always mean a refusal: the request was turned away before it reached the order system. */
const BY_REFUSING_STATUS: Readonly<Record<number, BrokerErrorKind>> = {
  404: 'not_found',
  405: 'unsupported',
  410: 'unsupported',
  429: 'rate_limit',
}

/** The kind of a status whose body has no known code. */
const BY_STATUS: Readonly<Record<number, BrokerErrorKind>> = {
  400: 'rejected',
  401: 'auth',
  403: 'permission',
  500: 'unavailable',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
}

/** The longest limits of brokers are those of a day. */
const LONGEST_WAIT_MS = 86_400_000

/**
 * Returns the error for an unsuccessful answer. After a 5xx, an unreadable body, or a code that is not known to prove a
 * refusal, it is unknown whether an order exists.
 */
export function errorOfAnswer(table: OutcomeTable, answer: UnsuccessfulAnswer): BrokerError {
  const { call, status, refusal, retryAfter } = answer
  const plain = refusal ? undefined : answer.plain
  const outcome = refusal && Object.hasOwn(table, refusal.code) ? table[refusal.code] : plain
  return new BrokerError(
    BY_REFUSING_STATUS[status] ?? kindOf(outcome, refusal) ?? BY_STATUS[status] ?? 'protocol',
    refusal?.message || plain?.message || `The broker answered with status ${status} and no reason.`,
    {
      // The route is only for the log.
      cause: `${call}: HTTP ${status}`,
      // A 2xx with an error body has no useful status.
      brokerStatus: status >= 400 ? status : undefined,
      brokerCode: refusal?.code || undefined,
      sent: sentOf(answer, outcome),
      retryAfterMs: waitOf(retryAfter),
    },
  )
}

/** Returns the wait that a broker asks for, in milliseconds; undefined for none, and for what no limit of a broker can mean. */
function waitOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined || !/^\d+(\.\d+)?$/.test(retryAfter.trim())) return undefined
  const waitMs = Number(retryAfter) * 1000
  return waitMs <= LONGEST_WAIT_MS ? waitMs : undefined
}

/** Returns what the words of a body mean that is not in the broker's format; undefined if they are not known. */
export function plainOutcome(
  outcomes: readonly PlainOutcome[],
  { status, text }: { status: number; text: string },
): PlainOutcome | undefined {
  return outcomes.find((outcome) => outcome.status === status && outcome.words.test(text))
}

/** Returns the error for a success that cannot be parsed: the order may exist. */
export function unreadable(call: string, what: string): BrokerError {
  return new BrokerError('protocol', `${call}: ${what}`, { sent: 'maybe' })
}

/** Returns the error for a request that was never sent. */
export function notSent(kind: 'validation' | 'unsupported' | 'unavailable', message: string): BrokerError {
  return new BrokerError(kind, message, { sent: 'never' })
}

/**
 * Returns what a read finds that a change needs first. Whatever becomes of the read, the change was never sent; a proven refusal
 * stays one.
 * @throws BrokerError, never `maybe`
 */
export async function beforeChange<T>(read: Promise<T>): Promise<T> {
  try {
    return await read
  } catch (error) {
    throw asNeverSent(error)
  }
}

function asNeverSent(error: unknown): unknown {
  if (!(error instanceof BrokerError) || error.sent !== 'maybe') return error
  const { brokerCode, brokerStatus, cause, kind, message, retryAfterMs } = error
  return new BrokerError(kind, message, { brokerCode, brokerStatus, cause, retryAfterMs, sent: 'never' })
}

function kindOf(outcome: Outcome | undefined, refusal: Refusal | undefined): BrokerErrorKind | undefined {
  const { unless } = outcome ?? {}
  return unless && refusal && unless.words.test(refusal.message) ? unless.kind : outcome?.kind
}

function sentOf(answer: UnsuccessfulAnswer, outcome: Outcome | undefined): Sent {
  const { codesProve, plain, refusal, status } = answer
  if (status === 429) return 'yes'
  if (status >= 500 || !(refusal ?? plain)) return 'maybe'
  const isProvenByCode = codesProve && status >= 400 && refusal?.code
  return BY_REFUSING_STATUS[status] || outcome?.proves || isProvenByCode ? 'yes' : 'maybe'
}
