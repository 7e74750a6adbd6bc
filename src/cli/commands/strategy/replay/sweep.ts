import type {
  Combination,
  Pause,
  Rank,
  Replayer,
  ReplaySummary,
} from '../../../../core/strategies/replay/index.js'
import type { Column } from '../../../../views/table/column.js'
import type { Context } from '../../../framework/context.js'
import type { ProgressLine } from '../../../output/progress-line.js'

const FIGURES = [
  { key: 'pnl', title: 'P&L ₹', kind: 'signed' },
  { key: 'max_drawdown', title: 'MAX DRAWDOWN ₹', kind: 'signed' },
  { key: 'trades', kind: 'quantity' },
  { key: 'win_rate', title: 'WIN RATE %', kind: 'decimals', leaves: 1 },
  { key: 'profit_factor', kind: 'decimals', leaves: 3 },
  { key: 'average_trade', title: 'AVERAGE TRADE ₹', kind: 'signed', leaves: 2 },
  { key: 'worst_trade', title: 'WORST TRADE ₹', kind: 'signed', leaves: 4 },
] as const satisfies readonly Column<keyof ReplaySummary>[]

interface Swept {
  values: Combination['values']
  summary: ReplaySummary
}

interface SweepOptions {
  /** Says how far the sweep is. */
  line: ProgressLine
  /** Returns the pauses of one replay, whose progress begins with a text. */
  pauses(before: string): Pause
  rank: Rank
  /** The combinations that are shown. */
  top: number
}

/** Plays every combination and shows the best ones. */
export async function sweep(
  context: Context,
  replayer: Replayer,
  combinations: readonly Combination[],
  { line, pauses, rank, top }: SweepOptions,
): Promise<void> {
  const { ranked } = await import('../../../../core/strategies/replay/index.js')
  const results: Swept[] = []
  for (const [index, { config, values }] of combinations.entries()) {
    const pause = pauses(`${index + 1} of ${combinations.length} combinations, `)
    results.push({ values, summary: await replayer.summarize(config, pause) })
  }
  line.clear()
  const best = ranked(results, rank).slice(0, top)
  const names = Object.keys(combinations[0]?.values ?? {})
  const rows = best.map(({ summary, values }, index) => ({ rank: index + 1, ...values, ...figures(summary) }))
  await context.out.list<Record<string, unknown>>({
    rows,
    columns: [{ key: 'rank', title: '#', kind: 'quantity' }, ...names.map((key) => ({ key })), ...FIGURES],
    id: 'rank',
    empty: 'There is no combination.',
  })
  context.out.note(`${rows.length} of ${combinations.length} combinations, ranked by ${rank}.`)
}

const figures = (summary: ReplaySummary): object =>
  Object.fromEntries(FIGURES.map(({ key }) => [key, summary[key]]))
