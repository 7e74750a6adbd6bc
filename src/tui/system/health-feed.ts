import { type RouteAnswer, type SvcClient, SvcError } from '../../client/index.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed } from '../live/feed.js'

type Sample = RouteAnswer<'GET /health/api/current'>
type Past = RouteAnswer<'GET /health/api/history'>
export type Alert = RouteAnswer<'GET /health/api/alerts'>[number]

/** The load of the daemon's process at one moment. */
export interface Load {
  /** Epoch milliseconds, by the clock of this machine. */
  at: number
  /** The processor time since the start, in seconds; undefined where the metrics do not have it. */
  cpuSeconds: number | undefined
  /** The delay of the event loop in seconds. */
  lagSeconds: number | undefined
}

export interface HealthContent {
  /** The newest sample; undefined before the first one. */
  sample: Sample | undefined
  /** The samples of the last hour, oldest first. */
  past: Past
  alerts: readonly Alert[]
  /** The loads since this screen is open, oldest first. */
  loads: readonly Load[]
}

/** The daemon takes a sample every ten seconds, by default. */
const PAUSE_MS = 10_000
const MOST_LOADS = 360

const NOTHING: HealthContent = { sample: undefined, past: [], alerts: [], loads: [] }

/** The health of the daemon: samples, alerts and load. */
export class HealthFeed extends Feed<HealthContent> {
  constructor(daemon: LiveDaemon) {
    const source = { read: readHealth, isChangedBy: () => false, pauseMs: PAUSE_MS, gatherMs: 250 }
    super(daemon, source, NOTHING)
  }
}

async function readHealth(client: SvcClient, { loads }: HealthContent): Promise<HealthContent> {
  const [sample, past, alerts, load] = await Promise.all([
    readSample(client),
    client.request('GET /health/api/history', { query: { hours: '1' } }),
    client.request('GET /health/api/alerts', {}),
    readLoad(client),
  ])
  return { sample, past, alerts, loads: [...loads, load].slice(-MOST_LOADS) }
}

async function readSample(client: SvcClient): Promise<Sample | undefined> {
  try {
    return await client.request('GET /health/api/current', {})
  } catch (thrown) {
    if (thrown instanceof SvcError && thrown.code === 'not_found') return undefined
    throw thrown
  }
}

async function readLoad(client: SvcClient): Promise<Load> {
  const metrics = await client.text('GET /metrics', {})
  return {
    at: Date.now(),
    cpuSeconds: metricIn(metrics, 'process_cpu_seconds_total'),
    lagSeconds: metricIn(metrics, 'nodejs_eventloop_lag_seconds'),
  }
}

/** Returns the value of a metric without labels, in Prometheus' text format. */
export function metricIn(metrics: string, name: string): number | undefined {
  const line = metrics.split('\n').find((one) => one.startsWith(`${name} `))
  const value = Number(line?.slice(name.length + 1).split(' ')[0])
  return line === undefined || Number.isNaN(value) ? undefined : value
}
