import type { z } from 'zod'
import {
  amount,
  choice,
  flag,
  list,
  object,
  optional,
  optionalMagnitude,
  symbol,
  timeOfDay,
  words,
} from './fields.js'
import { type BatchLeg, batchLeg, MAX_LEGS, type SignalLeg, signalLeg } from './legs.js'
import { MAX_NETWORKS, network } from './networks.js'
import {
  DIRECTIONS,
  LOCK_MODES,
  RUN_MODES,
  STRATEGY_KINDS,
  STRATEGY_PRODUCTS,
  STRATEGY_TYPES,
  type StrategyKind,
  UNDERLYING_EXCHANGES,
  UNIVERSE_TABS,
  type UniverseTab,
  WEEK_DAYS,
} from './vocabulary.js'

export type { BatchLeg, SignalLeg } from './legs.js'

const lockProfit = object({
  mode: choice(LOCK_MODES),
  if_profit_reaches: amount(),
  lock_profit: amount(),
  trail_step: optionalMagnitude(amount()),
})

const scheduler = object({
  enabled: flag(),
  days: list(choice(WEEK_DAYS), 0, WEEK_DAYS.length, 'days')
    .nullish()
    .transform((days) => days ?? []),
  start_time: optional(timeOfDay()),
  auto_stop_time: optional(timeOfDay()),
  default_mode: choice(RUN_MODES)
    .nullish()
    .transform((mode) => mode ?? 'sandbox'),
})

const common = {
  name: words(200),
  direction: choice(DIRECTIONS)
    .nullish()
    .transform((direction) => direction ?? 'both'),
  universe_tab: optional(choice(UNIVERSE_TABS)),
  underlying: symbol(50),
  underlying_exchange: choice(UNDERLYING_EXCHANGES),
  strategy_type: choice(STRATEGY_TYPES)
    .nullish()
    .transform((type) => type ?? 'intraday'),
  entry_time: optional(timeOfDay()),
  exit_time: optional(timeOfDay()),
  product: choice(STRATEGY_PRODUCTS)
    .nullish()
    .transform((product) => product ?? 'NRML'),
  pricetype: choice(['MARKET'])
    .nullish()
    .transform((type) => type ?? 'MARKET'),
  overall_sl_mtm: optionalMagnitude(amount()),
  overall_target_mtm: optionalMagnitude(amount()),
  daily_loss_limit_inr: optionalMagnitude(amount()),
  lock_profit: optional(lockProfit),
  trail_sl_to_entry: flag()
    .nullish()
    .transform((on) => on ?? false),
  scheduler: optional(scheduler),
  webhook_ip_allowlist: list(network(), 0, MAX_NETWORKS, 'addresses')
    .nullish()
    .transform((networks) => networks ?? []),
}

/** The kind decides the form of the legs. A request of the other kind is read with the other schema. */
const kind = <const K extends StrategyKind>(only: K) =>
  choice(STRATEGY_KINDS)
    .nullish()
    .transform(() => only)

export const batchStrategy = object({
  ...common,
  strategy_kind: kind('batch'),
  legs: list(batchLeg, 1, MAX_LEGS, 'legs'),
})
export const signalStrategy = object({
  ...common,
  strategy_kind: kind('signal'),
  legs: list(signalLeg, 1, MAX_LEGS, 'legs'),
})

export interface BatchConfig extends Omit<z.output<typeof batchStrategy>, 'legs' | 'universe_tab'> {
  legs: BatchLeg[]
  universe_tab: UniverseTab
}

export interface SignalConfig extends Omit<z.output<typeof signalStrategy>, 'legs' | 'universe_tab'> {
  legs: SignalLeg[]
  universe_tab: UniverseTab
}

/**
 * The configuration of a strategy in canonical form: what its author writes, with every default, each word as
 * listed. Requests, files, answers and the database use the same names.
 */
export type StrategyConfig = BatchConfig | SignalConfig
