import { withDecimals } from '../../csv/index.js'
import { DAY_MS } from '../../time/index.js'
import { emptyTotals, type LatencyStore, type LatencyTotals, type Percentiles } from './latency-store.js'

const PERCENTILE_DAYS = 30
const BINS = 30
/** The width of a bin when all round trips took the same time. */
const NARROWEST_BIN_MS = 0.1

/** The figures of the orders of one broker, or of one type. */
export interface GroupStatistics {
  total_orders: number
  failed_orders: number
  avg_rtt: number
  avg_overhead: number
  avg_total: number
  p50_total: number
  p99_total: number
  sla_150ms: number
}

/** The round trips to a broker, counted by ranges of equal width. */
export interface LatencyHistogram {
  /** The lower end of each range in milliseconds, with one decimal. */
  bins: string[]
  counts: number[]
  avg_rtt: number
  min_rtt: number
  max_rtt: number
}

/**
 * Statistics over orders. Sums, averages and the share below a threshold cover all orders; percentiles and
 * histograms cover the last 30 days. Percentages are from 0 to 100.
 */
export interface LatencyStatistics extends GroupStatistics {
  success_rate: number
  p90_total: number
  p95_total: number
  sla_100ms: number
  sla_200ms: number
  broker_stats: Record<string, GroupStatistics>
  type_stats: Record<string, GroupStatistics>
  broker_histograms: Record<string, LatencyHistogram>
}

/** Computes the statistics. One query runs after the other, so that a reader is left for the log views. */
export async function latencyStatistics(store: LatencyStore, now: number): Promise<LatencyStatistics> {
  const since = now - PERCENTILE_DAYS * DAY_MS
  const totals = await store.totals()
  const groups = await store.groups(since)
  const brokers = countsBy(groups, (group) => group.broker)
  const types = countsBy(groups, (group) => group.orderType)
  const byBroker = await store.percentiles(since, 'broker', brokers)
  const [only] = byBroker.values()
  const all =
    only && byBroker.size === 1
      ? only
      : (
          await store.percentiles(
            since,
            'all',
            countsBy(groups, () => ''),
          )
        ).get('')
  const byType = await store.percentiles(since, 'type', types)

  const broker_histograms: Record<string, LatencyHistogram> = {}
  for (const broker of named([...brokers.keys()])) {
    const own = groups.filter((group) => group.broker === broker)
    broker_histograms[broker] = await histogram(store, since, broker, own)
  }
  const statsOf = (name: (row: LatencyTotals) => string, percentiles: ReadonlyMap<string, Percentiles>) =>
    Object.fromEntries(
      named([...new Set(totals.map(name))]).map((one) => {
        const rows = totals.filter((row) => name(row) === one)
        return [one, groupStatistics(sumOf(rows), percentiles.get(one))]
      }),
    )
  return {
    ...summary(sumOf(totals), all),
    broker_stats: statsOf((row) => row.broker, byBroker),
    type_stats: statsOf((row) => row.orderType, byType),
    broker_histograms,
  }
}

/** Leaves out the orders without a broker, which have no name. */
const named = (names: readonly string[]) => names.filter((name) => name !== '')

function countsBy<Group extends { count: number }>(
  groups: readonly Group[],
  name: (group: Group) => string,
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const group of groups) counts.set(name(group), (counts.get(name(group)) ?? 0) + group.count)
  return counts
}

function sumOf(rows: readonly LatencyTotals[]): LatencyTotals {
  const sum = emptyTotals('', '')
  for (const row of rows) {
    sum.total += row.total
    sum.failed += row.failed
    sum.sumRtt += row.sumRtt
    sum.sumOverhead += row.sumOverhead
    sum.sumTotal += row.sumTotal
    sum.under100 += row.under100
    sum.under150 += row.under150
    sum.under200 += row.under200
  }
  return sum
}

const share = (part: number, { total }: LatencyTotals) => (total === 0 ? 0 : withDecimals(part / total, 3))

function groupStatistics(sums: LatencyTotals, percentiles: Percentiles | undefined): GroupStatistics {
  return {
    total_orders: sums.total,
    failed_orders: sums.failed,
    avg_rtt: share(sums.sumRtt, sums),
    avg_overhead: share(sums.sumOverhead, sums),
    avg_total: share(sums.sumTotal, sums),
    p50_total: withDecimals(percentiles?.[50] ?? 0, 3),
    p99_total: withDecimals(percentiles?.[99] ?? 0, 3),
    sla_150ms: share(sums.under150 * 100, sums),
  }
}

function summary(sums: LatencyTotals, percentiles: Percentiles | undefined) {
  return {
    ...groupStatistics(sums, percentiles),
    success_rate: share((sums.total - sums.failed) * 100, sums),
    p90_total: withDecimals(percentiles?.[90] ?? 0, 3),
    p95_total: withDecimals(percentiles?.[95] ?? 0, 3),
    sla_100ms: share(sums.under100 * 100, sums),
    sla_200ms: share(sums.under200 * 100, sums),
  }
}

async function histogram(
  store: LatencyStore,
  since: number,
  broker: string,
  groups: readonly { count: number; sumRtt: number; minRtt: number; maxRtt: number }[],
): Promise<LatencyHistogram> {
  const lowest = Math.min(...groups.map((group) => group.minRtt))
  const highest = Math.max(...groups.map((group) => group.maxRtt))
  const width = (highest - lowest) / BINS || NARROWEST_BIN_MS
  const counts = await store.histogram(since, broker, { bins: BINS, lowest, width })
  const orders = groups.reduce((sum, { count }) => sum + count, 0)
  const waited = groups.reduce((sum, { sumRtt }) => sum + sumRtt, 0)
  return {
    bins: counts.map((_, bin) => (lowest + bin * width).toFixed(1)),
    counts,
    avg_rtt: orders === 0 ? 0 : withDecimals(waited / orders, 3),
    min_rtt: lowest,
    max_rtt: highest,
  }
}
