import { useEffect, useMemo } from 'react'
import type { ClientEvent, RouteAnswer, SvcClient } from '../../client/index.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, type Live, type Source } from '../live/feed.js'
import { useDaemon, useFeed, useStore } from '../live/use-daemon.js'
import { legsOf, liveLegs, type ShownLeg, type Strategy, type StrategyEvent } from './legs.js'
import { LiveRunFeed, type LiveRuns } from './live-runs.js'

export type Run = RouteAnswer<'GET /strategy/api/strategies/:id/runs'>['data'][number]
type Listed = RouteAnswer<'GET /strategy/api/strategies'>['data'][number]

/** A strategy with its current run. */
export interface StrategyRow extends Omit<Listed, 'status'> {
  /** The status of the strategy, or that a person must look at its run. */
  status: Listed['status'] | 'reserved'
  /** The mode of the current run; empty if nothing runs. */
  mode: string
  /** The profit of the current run, or of the last one. */
  pnl: number | null
  open_legs: number | null
}

export interface Details {
  strategy: Strategy
  /** The current run, or the last one. */
  run: Run | undefined
  runs: readonly Run[]
  /** Newest first. */
  events: readonly StrategyEvent[]
  legs: readonly ShownLeg[]
  /** The time of the prices, in milliseconds; undefined for a run that the daemon does not send. */
  pricedAt: number | undefined
}

/** The strategies as they are stored. */
export interface Strategies {
  /** Newest first. */
  rows: readonly Listed[]
  details: ReadonlyMap<number, Details>
}

/** A cursor that moves through the list reads only where it stays. */
const CHOICE_MS = 250
const EVENTS = 100
const RUNS = 20

/** The strategies, live: the list and the chosen strategy are read, and the runs are sent by the daemon. */
export class StrategyFeed extends Feed<Strategies> {
  readonly live: LiveRunFeed
  readonly #reader: StrategyReader
  #choice: NodeJS.Timeout | undefined

  constructor(daemon: LiveDaemon) {
    const reader = new StrategyReader()
    super(daemon, reader, { rows: [], details: new Map() })
    this.#reader = reader
    this.live = new LiveRunFeed(daemon.access)
    this.subscribe(() => this.#follow())
  }

  protected override start(): void {
    super.start()
    this.live.start()
  }

  /** Chooses the strategy whose details are read each time. */
  choose(id: number): void {
    if (this.#reader.chosen === id) return
    this.#reader.chosen = id
    this.#follow()
    clearTimeout(this.#choice)
    this.#choice = setTimeout(() => void this.refresh(), CHOICE_MS)
  }

  protected override stop(): void {
    clearTimeout(this.#choice)
    this.live.stop()
    super.stop()
  }

  /** Follows the chosen strategy and those that run. */
  #follow(): void {
    const { chosen } = this.#reader
    const running = this.state().content.rows.filter(({ current_run_id: run }) => run !== null)
    this.live.follow([...(chosen === undefined ? [] : [chosen]), ...running.map(({ id }) => id)])
  }
}

/** Reads the list and the chosen strategy. */
class StrategyReader implements Source<Strategies> {
  chosen: number | undefined
  readonly pauseMs = 5000
  readonly gatherMs = 2500

  isChangedBy({ event }: ClientEvent): boolean {
    return event.startsWith('strategy_')
  }

  async read(client: SvcClient, before: Strategies): Promise<Strategies> {
    const { data } = await client.request('GET /strategy/api/strategies', {})
    const listed = new Set(data.map((row) => row.id))
    const details = new Map([...before.details].filter(([known]) => listed.has(known)))
    const id = this.chosen ?? data[0]?.id
    if (id !== undefined && listed.has(id)) details.set(id, await readDetails(client, id))
    return { rows: data, details }
  }
}

async function readDetails(client: SvcClient, id: number): Promise<Details> {
  const params = { id: String(id) }
  const [shown, past, found] = await Promise.all([
    client.request('GET /strategy/api/strategies/:id', { params }),
    client.request('GET /strategy/api/strategies/:id/runs', { params, query: { limit: RUNS } }),
    client.request('GET /strategy/api/strategies/:id/events', { params, query: { limit: EVENTS } }),
  ])
  const [strategy, runs, events] = [shown.data, past.data, found.data]
  const run = runs[0]
  const orders =
    run === undefined
      ? []
      : (
          await client.request('GET /strategy/api/strategies/:id/orders', {
            params,
            query: { run_id: run.id },
          })
        ).data
  return { strategy, run, runs, events, legs: legsOf(strategy, orders), pricedAt: undefined }
}

/** A strategy with the words of its switches, as the list shows it. */
export interface ShownStrategy extends StrategyRow {
  webhook: 'locked' | 'open'
  live: 'yes' | 'no'
}

/** Returns whether a strategy has a run that goes on. */
export const isRunning = ({ current_run_id: run }: Pick<StrategyRow, 'current_run_id'>): boolean =>
  run !== null

/** Returns the rows of the list, with the runs that the daemon sends. */
function shownRows(rows: readonly Listed[], live: LiveRuns): readonly ShownStrategy[] {
  return rows.map((one) => ({
    ...withRun(one, live),
    webhook: one.webhook_locked ? 'locked' : 'open',
    live: one.live_enabled ? 'yes' : 'no',
  }))
}

function withRun(one: Listed, live: LiveRuns): StrategyRow {
  const row = one.run_state === 'reserved' ? { ...one, status: 'reserved' as const } : one
  const { current_run_id: current, last_finalized_run: last } = row
  if (current === null) return { ...row, mode: '', pnl: last?.pnl_realized ?? null, open_legs: 0 }
  const run = live.get(row.id)?.run
  if (run?.run_id !== current) return { ...row, mode: '', pnl: null, open_legs: null }
  const open = run.legs.filter(({ status }) => status === 'open')
  // A position without a price has no profit yet.
  const isPriced = open.every(({ ltp, qty }) => qty === 0 || ltp !== null)
  return { ...row, mode: run.mode, pnl: isPriced ? run.mtm_total : null, open_legs: open.length }
}

/** Returns the details with the state of the run that the daemon sends, also the last one of a run that has ended. */
function shownDetails(details: Details, live: LiveRuns): Details {
  const shown = live.get(details.strategy.id)
  if (shown === undefined || shown.run.run_id !== details.run?.id) return details
  return { ...details, legs: liveLegs(shown.run, details.strategy), pricedAt: shown.at }
}

/** A hook: returns the rows of the list, with the runs that the daemon sends. */
export function useStrategyRows({ content }: Live<Strategies>): readonly ShownStrategy[] {
  const runs = useStore(useDaemon().part(StrategyFeed).live.runs)
  return useMemo(() => shownRows(content.rows, runs), [content.rows, runs])
}

/** Chooses the strategy whose details are read. @returns them; undefined until they are read */
export function useDetails(id: number | undefined): Details | undefined {
  const feed = useDaemon().part(StrategyFeed)
  const { details } = useFeed(feed).content
  const runs = useStore(feed.live.runs)
  useEffect(() => {
    if (id !== undefined) feed.choose(id)
  }, [id, feed])
  const stored = id === undefined ? undefined : details.get(id)
  return useMemo(() => stored && shownDetails(stored, runs), [stored, runs])
}
