import type { Instrument } from '../../instruments/index.js'
import type {
  Direction,
  LegSide,
  QuantityMode,
  RunMode,
  Signal,
  SignalNote,
  SignalSegment,
  StrategyKind,
  StrategyProduct,
  StrategyType,
} from '../config/vocabulary.js'
import type { NewWebhookEvent } from '../store/webhook-event-store.js'

/** A leg of a signal strategy, as far as its signals need it. */
export interface WebhookLeg {
  readonly id: number
  readonly symbol: string
  readonly exchange: string
  readonly segment: SignalSegment
  readonly side: LegSide
  readonly qty: number
  readonly qtyMode: QuantityMode
}

/** A strategy as its webhook sees it. */
export interface WebhookStrategy {
  readonly id: number
  readonly kind: StrategyKind
  readonly direction: Direction
  readonly strategyType: StrategyType
  readonly product: StrategyProduct
  /** `HH:MM` in Indian time. */
  readonly entryTime: string | null
  readonly exitTime: string | null
  readonly liveEnabled: boolean
  readonly webhookTokenHash: string
  readonly webhookLocked: boolean
  readonly webhookIpAllowlist: readonly string[]
  /** The legs of a signal strategy; empty for a batch strategy. */
  readonly legs: readonly WebhookLeg[]
}

export interface WebhookStrategies {
  /** @param hash the SHA-256 of a token, in hexadecimal */
  byTokenHash(hash: string): Promise<WebhookStrategy | undefined>
  /** Returns when the newest finished run of a strategy ended; undefined before the first. */
  lastStoppedAt(strategyId: number): Promise<number | undefined>
}

/** The deliveries of a batch strategy that count as the same one. */
export interface DedupeKey {
  readonly strategyId: number
  readonly action: string
  /** Empty for a stop. */
  readonly mode: string
}

/** The claims that refuse duplicates. They outlive a restart. */
export interface WebhookClaims {
  /** Returns whether an accepted delivery with this key is younger than the window. */
  isDuplicate(key: DedupeKey, now: number): Promise<boolean>
  /**
   * Claims the key and stores the row of the audit in one transaction.
   * @returns the id of the row, or null if another delivery holds the key
   */
  admit(key: DedupeKey, event: NewWebhookEvent): Promise<number | null>
  /** Keeps the claim after a restart, because the engine has acted on the delivery. */
  settle(key: DedupeKey, eventId: number): Promise<void>
  /** Frees the key, because the engine refused the delivery. */
  release(key: DedupeKey, eventId: number): Promise<void>
}

/** One exit order of a stop, by the owner of the position. */
export interface WebhookExit {
  readonly legId: number
  readonly ok: boolean
  readonly positionRef: string
  readonly exitOwner: string
  readonly error: string | null
}

export interface StopOutcome {
  /** False if the broker refused an exit: the run stays managed. */
  readonly ok: boolean
  /** Undefined if nothing ran. */
  readonly runId?: number | undefined
  readonly stopPending: boolean
  readonly exits: readonly WebhookExit[]
  readonly message?: string | undefined
}

export type SignalOutcome =
  | { readonly ok: true; readonly note?: SignalNote | undefined; readonly runId?: number | undefined }
  | { readonly ok: false; readonly message?: string | undefined }

/**
 * The engine behind the webhook. Each function throws if it cannot act: then nothing was started, and the sender may
 * repeat the delivery.
 */
export interface WebhookRuns {
  start(strategyId: number, mode: RunMode, webhookEventId: number | undefined): Promise<{ runId: number }>
  stop(strategyId: number): Promise<StopOutcome>
  signal(
    strategyId: number,
    legId: number,
    signal: Signal,
    webhookEventId: number | undefined,
  ): Promise<SignalOutcome>
}

/** The instrument master, as far as signals need it. */
export interface WebhookInstruments {
  find(symbol: string, exchange: string): Instrument | undefined
  /** False before the master of an exchange is loaded. */
  hasExchange(exchange: string): boolean
}
