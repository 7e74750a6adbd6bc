/**
 * The end of an act. `refused` and `failed` changed nothing as far as is known; `unknown` may have changed
 * something: the service ended before it recorded the end, or the broker did not answer.
 */
export const ACT_OUTCOMES = ['done', 'refused', 'failed', 'unknown'] as const
export type ActOutcome = (typeof ACT_OUTCOMES)[number]

/**
 * The credential of an actor: `service` is the service itself, `none` a caller before sign-in, `chat` a linked
 * chat. `unknown`: only the memory of an ended process had it.
 */
export const ACT_CREDENTIALS = [
  'session',
  'access_token',
  'api_key',
  'chat',
  'none',
  'service',
  'unknown',
] as const
export type ActCredential = (typeof ACT_CREDENTIALS)[number]

/** Who acts, and from where. */
export interface Actor {
  readonly name: string
  readonly credential: ActCredential
  readonly credentialId: string | null
  readonly address: string | null
}

/** The actor of acts that nobody asked for. */
export const SERVICE: Actor = { name: 'svc', credential: 'service', credentialId: null, address: null }

/** An act, when it begins. */
export interface NewAct {
  /** Its name, as `risk.set`. */
  act: string
  actor: Actor
  /** Epoch milliseconds; now by default. */
  at?: number
  target?: string | null
  requestId?: string | null
}

/** The end of an act, with the values that it changed. They must not contain secrets. */
export interface ActEnd {
  outcome?: ActOutcome
  code?: string | null
  before?: unknown
  after?: unknown
}

/** A row of the trail before it is sealed. `before` and `after` are JSON. */
export interface AuditEntry {
  at: number
  act: string
  actor: string
  credential: ActCredential
  credentialId: string | null
  address: string | null
  target: string | null
  outcome: ActOutcome
  code: string | null
  before: string | null
  after: string | null
  requestId: string | null
}

/** A row of the trail. */
export interface AuditRow extends AuditEntry {
  seq: number
  mac: string
}

/** The signed ends of the trail, the last removed row and the last row, with the signed cursors. */
export interface Seal {
  floorSeq: number
  floorMac: string
  seq: number
  mac: string
  /** How far the orders of each source are recorded, by source. A cursor that somebody moved would hide orders. */
  cursors: readonly Cursor[]
  signature: string
}

/** How far the orders of a source are recorded. */
export interface Cursor {
  source: string
  position: string
}

export interface AuditFilter {
  /** Epoch milliseconds, inclusive. */
  since?: number | undefined
  /** Epoch milliseconds, exclusive. */
  until?: number | undefined
  actor?: string | undefined
  /** The name of an act, or of a group of acts: `risk` stands for `risk.set`, too. */
  act?: string | undefined
  /** Text in any column but the seal, ignoring case. */
  search?: string | undefined
  /** True: only acts that were refused, failed, or whose end is unknown. */
  notDone?: boolean | undefined
}

/** The kinds of damage that {@link verifyTrail} finds. */
export type AuditProblem = 'altered' | 'missing' | 'cut_off' | 'unsealed' | 'seal' | 'resealed' | 'head'

/** The result of a check of the trail. */
export interface Verification {
  ok: boolean
  /** The number of rows whose seals are right. */
  checked: number
  firstSeq: number
  lastSeq: number
  /** The last row as text, to be noted elsewhere: a later check can prove that the trail still contains it. */
  head: string | null
  /** The first bad row. */
  problem?: { kind: AuditProblem; seq: number; at: number | null; message: string }
}
