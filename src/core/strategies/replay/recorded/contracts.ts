import type { Almanac } from '../../../calendar/index.js'
import { InMemoryDirectory, type Instrument, isExchange, splitSymbol } from '../../../instruments/index.js'
import type { StrategyConfig } from '../../config/schema.js'
import type { Contract, RunEvent, RunLeg } from '../../engine/index.js'
import { type ListedContracts, legsAt, neededPrice } from '../../resolve/index.js'
import type { WebhookInstruments } from '../../webhook/index.js'
import { keyOf } from '../paper.js'
import type { Recording, Series } from './bars.js'

/** Facts about contracts that the bars do not have. */
export interface ContractChoice {
  almanac: Pick<Almanac, 'sessionOf'>
  /** Contracts for legs of a batch strategy, by the id of the leg. */
  chosen: ReadonlyMap<number, Contract>
  /** Units of a lot by symbol or underlying. */
  lotSizes: ReadonlyMap<string, number>
}

/** The legs of a run, or the reason it has none. `waits` says that a price may still come. */
export type StartLegs =
  | { legs: readonly RunLeg[]; events: readonly RunEvent[] }
  | { refusal: string; waits: boolean }

const TRADABLE = 'A replay knows the contracts that have bars'

/** The contracts of a recording: a replay can trade those that have bars, and no other. */
export class RecordedContracts {
  readonly #listed: ListedContracts
  readonly #keys: ReadonlySet<string>

  constructor({ series }: Recording, { almanac, chosen, lotSizes }: ContractChoice) {
    this.#keys = new Set(series.map(({ key }) => key))
    const catalog = InMemoryDirectory.of(series.flatMap((one, index) => instrumentOf(one, index, lotSizes)))
    this.#listed = { almanac, chosen, catalog }
  }

  /** The contracts, for the checks of a signal. */
  get instruments(): WebhookInstruments {
    const { catalog } = this.#listed
    return {
      find: (symbol, exchange) => catalog.find(symbol, exchange),
      hasExchange: (exchange) => (catalog.countByExchange()[exchange] ?? 0) > 0,
    }
  }

  /** Resolves the legs of a run as a live start does, at the last known prices. */
  legsAt(config: StrategyConfig, at: number, priceOf: (key: string) => number | undefined): StartLegs {
    try {
      const ref = neededPrice(config, this.#listed, at)
      const ltp = ref === null ? null : (priceOf(keyOf(ref)) ?? null)
      if (ref !== null && ltp === null) return this.#withoutPrice(keyOf(ref))
      const resolved = legsAt(config, this.#listed, ltp, at)
      if ('failure' in resolved) return { refusal: `${resolved.failure.message}. ${TRADABLE}`, waits: false }
      const missing = resolved.legs.find((leg) => !this.#keys.has(keyOf(leg)))
      // Nobody else closes a position here, and the next bar may come long after its contract ends.
      if (!missing) return { ...resolved, legs: resolved.legs.map((leg) => ({ ...leg, expiresAt: null })) }
      return { refusal: `Leg ${missing.id}: the files have no bar of ${keyOf(missing)}`, waits: false }
    } catch (error) {
      if (error instanceof Error) return { refusal: error.message, waits: false }
      throw error
    }
  }

  #withoutPrice(key: string): StartLegs {
    return this.#keys.has(key)
      ? { refusal: `no price of ${key} came in time`, waits: true }
      : {
          refusal: `the strikes depend on ${key}, and the files have no bar of it. Add its bars, or choose contracts with --contract leg1=<symbol>`,
          waits: false,
        }
  }
}

function instrumentOf(
  { exchange, lotSize, symbol }: Series,
  index: number,
  lotSizes: ReadonlyMap<string, number>,
): Instrument[] {
  if (!isExchange(exchange)) return []
  const parts = splitSymbol(symbol)
  const knownLot = lotSizes.get(symbol) ?? lotSizes.get(parts?.base ?? symbol) ?? lotSize
  return [
    {
      symbol,
      exchange,
      brokerSymbol: symbol,
      brokerExchange: exchange,
      name: parts?.base ?? symbol,
      token: String(index + 1),
      expiry: parts?.expiry ?? '',
      strike: parts?.strike ?? 0,
      // 0 is unknown: a leg that needs it is refused.
      lotSize: knownLot ?? (parts ? 0 : 1),
      instrumentType: parts ? (parts.type ?? '') : exchange.endsWith('_INDEX') ? 'INDEX' : 'EQ',
      tickSize: 0.05,
    },
  ]
}
