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
import type { ExitReport } from '../engine/types.js'
import type { NewWebhookEvent, WebhookCallRow } from '../store/webhook-event-store.js'

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

/** Deliveries of a batch strategy with the same key count as one. */
export interface DedupeKey {
  readonly strategyId: number
  readonly action: string
  /** Empty for a stop. */
  readonly mode: string
}

/** The claims that refuse duplicates. They outlive a restart. */
export interface WebhookClaims {
  /** Returns whether an accepted delivery with this key is younger than the window. */
  isDuplicate(key: DedupeKey): Promise<boolean>
  /**
   * Claims the key and stores the row of the audit in one transaction.
   * @param isDue true for a delivery that acts although another one holds the key
   * @returns the id of the row, or null if another delivery holds the key
   */
  admit(key: DedupeKey, event: NewWebhookEvent, isDue?: boolean): Promise<number | null>
  /** Keeps the claim after a restart, because the engine has acted on the delivery. */
  settle(key: DedupeKey, eventId: number): Promise<void>
  /** Frees the key, because the engine refused the delivery. */
  release(key: DedupeKey, eventId: number): Promise<void>
}

export interface StopOutcome {
  /** False if the broker refused an exit: the run stays managed. */
  readonly ok: boolean
  /** Undefined if nothing ran. */
  readonly runId?: number | undefined
  readonly stopPending: boolean
  readonly exits: readonly ExitReport[]
  readonly message?: string | undefined
}

export type SignalOutcome =
  | { readonly ok: true; readonly note?: SignalNote | undefined; readonly runId?: number | undefined }
  | { readonly ok: false; readonly message?: string | undefined }

/**
 * The engine behind the webhook. A function that throws has started nothing, so the sender may repeat the delivery.
 */
export interface WebhookRuns {
  start(strategyId: number, mode: RunMode, webhookEventId: number | undefined): Promise<{ runId: number }>
  stop(strategyId: number): Promise<StopOutcome>
  /** Returns whether a run is open, or is about to open, that nobody has stopped yet. */
  needsStop(strategyId: number): boolean
  signal(strategyId: number, legId: number, signal: Signal, call: WebhookCallRow): Promise<SignalOutcome>
}

/** The instrument master, as far as signals need it. */
export interface WebhookInstruments {
  find(symbol: string, exchange: string): Instrument | undefined
  /** False before the master of an exchange is loaded. */
  hasExchange(exchange: string): boolean
}
