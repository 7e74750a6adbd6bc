import { divRound, type Money, toMoney, toRupees } from '../../../money/index.js'
import {
  Player,
  type ReplayedEvent,
  type ReplayedRun,
  type ReplayProgress,
  type ReplayRequest,
} from '../player.js'
import type { Gap } from '../recorded/gaps.js'
import type { EquityPoint } from './equity.js'
import { type Trade, timeText } from './trades.js'

/** The figures of a replay. Money is rupees, shares are percent. */
export interface ReplaySummary {
  strategy: string
  from: string | null
  to: string | null
  days: number
  bars: number
  runs: number
  trades: number
  /** Positions that are open at the end of the bars. */
  open: number
  pnl: number
  realized: number
  unrealized: number
  max_drawdown: number
  max_drawdown_time: string | null
  wins: number
  losses: number
  /** Null without a trade. */
  win_rate: number | null
  best_trade: number | null
  worst_trade: number | null
  average_trade: number | null
  /** The gains divided by the losses. Null without a loss. */
  profit_factor: number | null
}

export interface ReplayReport {
  summary: ReplaySummary
  runs: readonly ReplayedRun[]
  trades: readonly Trade[]
  events: readonly ReplayedEvent[]
  pnl: readonly EquityPoint[]
  /** Bars that legs lack. */
  gaps: readonly Gap[]
  /** Sentences about starts and signals that had no effect. */
  notes: readonly string[]
}

/** Called on each day of a replay and several times within it. It may wait, and its error ends the replay. */
export type Pause = (progress: ReplayProgress) => Promise<void>

/** Plays a strategy over a recording. The same input has the same result. */
export function replay(request: ReplayRequest): ReplayReport {
  const player = new Player(request)
  for (const _ of player.turns());
  return reportOf(request, player)
}

/** Plays a strategy over a recording, and pauses in between. */
export async function replayInTurns(request: ReplayRequest, pause: Pause): Promise<ReplayReport> {
  return reportOf(request, await playedInTurns(request, pause))
}

/** Plays a strategy and returns its figures alone. */
export async function summarizeInTurns(request: ReplayRequest, pause: Pause): Promise<ReplaySummary> {
  const player = await playedInTurns(request, pause)
  return summaryOf(request, player, tradesOf(player))
}

async function playedInTurns(request: ReplayRequest, pause: Pause): Promise<Player> {
  const player = new Player(request)
  for (const progress of player.turns()) await pause(progress)
  return player
}

function reportOf(request: ReplayRequest, player: Player): ReplayReport {
  const trades = tradesOf(player)
  return {
    summary: summaryOf(request, player, trades),
    runs: player.runs,
    trades,
    events: player.events,
    pnl: player.equity.points(),
    gaps: player.gaps.list,
    notes: player.notes,
  }
}

const tradesOf = (player: Player): Trade[] => player.trades.list((key) => player.prices.get(key))

function summaryOf({ config }: ReplayRequest, player: Player, trades: readonly Trade[]): ReplaySummary {
  const { bars, dayCount: days, equity, runs } = player
  const pnls = trades.map(({ pnl }) => toMoney(pnl))
  const gains = sum(pnls.filter((pnl) => pnl > 0n))
  const losses = sum(pnls.filter((pnl) => pnl < 0n))
  const total = player.realized + (player.unfinished ?? 0n)
  const realized = sum(trades.filter(({ exit_time }) => exit_time !== null).map(({ pnl }) => toMoney(pnl)))
  const count = BigInt(trades.length)
  const wins = pnls.filter((pnl) => pnl > 0n).length
  return {
    strategy: config.name,
    from: timeOf(player.from),
    to: timeOf(player.to),
    days,
    bars,
    runs: runs.length,
    trades: trades.length,
    open: trades.filter(({ exit_time }) => exit_time === null).length,
    pnl: toRupees(total),
    realized: toRupees(realized),
    unrealized: toRupees(total - realized),
    max_drawdown: toRupees(equity.maxDrawdown),
    max_drawdown_time: equity.deepest,
    wins,
    losses: pnls.filter((pnl) => pnl < 0n).length,
    win_rate: trades.length === 0 ? null : percent(wins, trades.length),
    best_trade: extreme(pnls, (a, b) => a > b),
    worst_trade: extreme(pnls, (a, b) => a < b),
    average_trade: count === 0n ? null : toRupees(divRound(total, count)),
    profit_factor: losses === 0n ? null : Number(divRound(gains * 100n, -losses)) / 100,
  }
}

const timeOf = (at: number | null): string | null => (at === null ? null : timeText(at))

const sum = (amounts: readonly Money[]): Money => amounts.reduce((total, one) => total + one, 0n)

const percent = (part: number, whole: number): number => Math.round((part * 10_000) / whole) / 100

function extreme(amounts: readonly Money[], isBeyond: (a: Money, b: Money) => boolean): number | null {
  const [first, ...others] = amounts
  if (first === undefined) return null
  return toRupees(others.reduce((most, one) => (isBeyond(one, most) ? one : most), first))
}
