import { Almanac, SEED_HOLIDAYS, SEED_TIMINGS } from '../../calendar/index.js'
import { ServiceError } from '../../errors/index.js'
import type { StrategyConfig } from '../config/schema.js'
import type { Contract } from '../engine/index.js'
import type { Slippage } from './paper.js'
import type { ReplayRequest } from './player.js'
import { type BarFile, type Recording, readBars } from './recorded/bars.js'
import { RecordedContracts } from './recorded/contracts.js'
import type { ReplayFile } from './recorded/csv-table.js'
import { readSignals } from './recorded/signals.js'
import {
  type Pause,
  type ReplayReport,
  type ReplaySummary,
  replayInTurns,
  summarizeInTurns,
} from './results/report.js'

/** The recorded market and how it fills. */
export interface ReplayInput {
  bars: readonly BarFile[]
  signals: readonly ReplayFile[]
  /** The length of a bar; by default the shortest distance between two bars. */
  intervalMs?: number | undefined
  /** Contracts for legs, as symbols with bars, by the id of the leg. */
  contracts: ReadonlyMap<number, string>
  /** Units of a lot by symbol or underlying, for bars without the column lot_size. */
  lotSizes: ReadonlyMap<string, number>
  slippage: Slippage
  steps: number
}

/** A recording that was read: it plays any number of configurations, and pauses in between. */
export interface Replayer {
  play(config: StrategyConfig, pause: Pause): Promise<ReplayReport>
  /** Plays a configuration for its figures alone. */
  summarize(config: StrategyConfig, pause: Pause): Promise<ReplaySummary>
}

/**
 * Reads the files of a replay. It needs no daemon: the hours of the exchanges are those that the program comes with.
 * @throws ServiceError `validation` for a fault in a file, or for a contract without bars
 */
export function openReplay(input: ReplayInput): Replayer {
  const recording = readBars(input.bars, input.intervalMs)
  const chosen = new Map([...input.contracts].map(([id, symbol]) => [id, contractOf(recording, id, symbol)]))
  const almanac = new Almanac(
    SEED_HOLIDAYS.map((holiday, id) => ({ ...holiday, id })),
    SEED_TIMINGS,
  )
  const contracts = new RecordedContracts(recording, { almanac, chosen, lotSizes: input.lotSizes })
  const signals = readSignals(input.signals)
  const requestOf = (config: StrategyConfig): ReplayRequest => {
    checkFits(config, input)
    return { config, recording, signals, contracts, slippage: input.slippage, steps: input.steps }
  }
  return {
    play: async (config, pause) => replayInTurns(requestOf(config), pause),
    summarize: async (config, pause) => summarizeInTurns(requestOf(config), pause),
  }
}

function contractOf({ series }: Recording, id: number, text: string): Contract {
  const found = series.filter(({ key, symbol }) => key === text || symbol === text)
  const [one, another] = found
  if (!one) throw refused(`--contract leg${id}: the files have no bar of ${text}`)
  if (another) throw refused(`--contract leg${id}: name the exchange, as ${one.key} or ${another.key}`)
  return { symbol: one.symbol, exchange: one.exchange }
}

function checkFits(config: StrategyConfig, { contracts, signals }: ReplayInput): void {
  const isSignal = config.strategy_kind === 'signal'
  if (isSignal && signals.length === 0) {
    throw refused(`${config.name} trades by signals: give them with --signals`)
  }
  if (!isSignal && signals.length > 0)
    throw refused(`${config.name} is a batch strategy: it takes no signals`)
  if (isSignal && contracts.size > 0) {
    throw refused(`The legs of ${config.name} name their contracts: --contract is for batch strategies`)
  }
  const unknown = [...contracts.keys()].find((id) => !config.legs.some((leg) => leg.id === id))
  if (unknown !== undefined) throw refused(`--contract leg${unknown}: ${config.name} has no leg ${unknown}`)
}

const refused = (message: string) => new ServiceError('validation', message)
