import { readConfig } from '../catalog/strategy.js'
import type { StrategyConfig } from '../config/index.js'
import type {
  Direction,
  LegSide,
  QuantityMode,
  SignalSegment,
  StrategyKind,
  StrategyProduct,
  StrategyType,
} from '../config/vocabulary.js'
import type { StrategyHistory } from '../store/history-store.js'
import type { StrategyRow, StrategyStore } from '../store/strategy-store.js'

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
  /** The configuration as it is stored. */
  readonly configText: string
}

/** The stored strategies as the webhook sees them. A configuration is read once, until it changes. */
export class WebhookStrategies {
  readonly #known = new Map<number, { text: string; config: StrategyConfig }>()

  constructor(
    private readonly store: Pick<StrategyStore, 'byTokenHash'>,
    private readonly history: Pick<StrategyHistory, 'lastStoppedAt'>,
  ) {}

  /** Returns when the newest finished run of a strategy ended; undefined before the first. */
  lastStoppedAt(strategyId: number): Promise<number | undefined> {
    return this.history.lastStoppedAt(strategyId)
  }

  /** @param hash the SHA-256 of a token, in hexadecimal */
  async byTokenHash(hash: string): Promise<WebhookStrategy | undefined> {
    const row = await this.store.byTokenHash(hash)
    if (!row) return undefined
    const { id, liveEnabled, webhookLocked } = row
    const config = this.#configOf(row)
    const isSignal = config.strategy_kind === 'signal'
    return {
      id,
      kind: config.strategy_kind,
      direction: config.direction,
      strategyType: config.strategy_type,
      product: config.product,
      entryTime: config.entry_time,
      exitTime: config.exit_time,
      liveEnabled,
      webhookTokenHash: row.webhookTokenHash,
      webhookLocked,
      webhookIpAllowlist: config.webhook_ip_allowlist,
      configText: row.config,
      legs: isSignal ? config.legs.map(({ qty_mode: qtyMode, ...leg }) => ({ ...leg, qtyMode })) : [],
    }
  }

  #configOf(row: StrategyRow): StrategyConfig {
    const last = this.#known.get(row.id)
    if (last?.text === row.config) return last.config
    const config = readConfig(row)
    this.#known.set(row.id, { text: row.config, config })
    return config
  }
}
