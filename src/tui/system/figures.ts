import type { Column } from '../../views/table/column.js'
import type { HealthContent, Load } from './health-feed.js'

/** A measure of the daemon now, and its extremes over time. */
export interface Figure {
  id: string
  status: string
  now: number | undefined
  least: number | undefined
  mean: number | undefined
  most: number | undefined
}

export const FIGURE_COLUMNS: readonly Column[] = [
  { key: 'id', title: 'MEASURE' },
  { key: 'status', kind: 'status' },
  { key: 'now', kind: 'quantity' },
  { key: 'least', kind: 'quantity' },
  { key: 'mean', kind: 'quantity', leaves: 1 },
  { key: 'most', kind: 'quantity' },
]

/** Returns the measures: the samples' over the last hour, those of the load since the screen is open. */
export function healthFigures({ loads, past, sample }: HealthContent): readonly Figure[] {
  const over = (member: 'memory_rss_mb' | 'fd_count' | 'db_connections' | 'ws_connections' | 'threads') =>
    past.map((one) => one[member] ?? undefined)
  return [
    figure('processor %', '', processorShares(loads)),
    figure(
      'event loop lag ms',
      '',
      loads.map(({ lagSeconds }) => lagSeconds && lagSeconds * 1000),
    ),
    figure('memory MB', sample?.memory.status, over('memory_rss_mb')),
    figure('file descriptors', sample?.fd.status, over('fd_count')),
    figure('database connections', sample?.database.status, over('db_connections')),
    figure('stream clients', sample?.websocket.status, over('ws_connections')),
    figure('threads', sample?.threads.status, over('threads')),
  ]
}

/** Returns the share of one processor, in percent, between each two readings. */
function processorShares(loads: readonly Load[]): readonly (number | undefined)[] {
  return loads.slice(1).map(({ at, cpuSeconds }, index) => {
    const before = loads[index]
    if (cpuSeconds === undefined || before?.cpuSeconds === undefined || at <= before.at) return undefined
    return ((cpuSeconds - before.cpuSeconds) * 100_000) / (at - before.at)
  })
}

function figure(id: string, status: string | undefined, values: readonly (number | undefined)[]): Figure {
  const known = values.filter((value) => value !== undefined)
  if (known.length === 0) {
    return { id, status: status ?? '', now: undefined, least: undefined, mean: undefined, most: undefined }
  }
  const sum = known.reduce((total, value) => total + value, 0)
  return {
    id,
    status: status ?? '',
    now: rounded(known.at(-1)),
    least: rounded(Math.min(...known)),
    mean: rounded(sum / known.length),
    most: rounded(Math.max(...known)),
  }
}

/** Rounds to one decimal, and a small value to two. */
function rounded(value: number | undefined): number | undefined {
  if (value === undefined) return undefined
  const scale = value < 10 ? 100 : 10
  return Math.round(value * scale) / scale
}
