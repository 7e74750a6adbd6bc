import type { ClientEvent, RouteAnswer, SvcClient } from '../../client/index.js'
import { type DaemonAccess, LiveFeed, type Source } from '../live/live-feed.js'
import { legsOf, type ShownLeg, type Strategy, type StrategyEvent } from './legs.js'

export type Run = RouteAnswer<'GET /strategy/api/strategies/:id/runs'>['data'][number]
type Listed = RouteAnswer<'GET /strategy/api/strategies'>['data'][number]

/** A strategy with its current run. */
export interface StrategyRow extends Listed {
  /** The mode of the current run; empty if nothing runs. */
  mode: string
  /** Of the current run, or of the last one. */
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
  /** The time of the prices, in milliseconds; undefined before the first price is stored. */
  pricedAt: number | undefined
}

export interface Strategies {
  /** Newest first. */
  rows: readonly StrategyRow[]
  details: ReadonlyMap<number, Details>
}

/** A cursor that moves through the list reads only where it stays. */
const CHOICE_MS = 250
const EVENTS = 100
const RUNS = 20

/** The strategies, live: the list, the chosen strategy, and the running ones in turn. */
export class StrategyFeed extends LiveFeed<Strategies> {
  readonly #reader: StrategyReader
  #choice: NodeJS.Timeout | undefined

  constructor(daemon: DaemonAccess, reader = new StrategyReader()) {
    super(daemon, reader, { rows: [], details: new Map() })
    this.#reader = reader
  }

  /** Chooses the strategy whose details are read each time. */
  choose(id: number): void {
    if (this.#reader.chosen === id) return
    this.#reader.chosen = id
    clearTimeout(this.#choice)
    this.#choice = setTimeout(() => void this.refresh(), CHOICE_MS)
  }

  override stop(): void {
    clearTimeout(this.#choice)
    super.stop()
  }
}

/** Each read takes two strategies: the daemon allows 200 requests for strategies a minute. */
class StrategyReader implements Source<Strategies> {
  chosen: number | undefined
  readonly pauseMs = 5000
  readonly gatherMs = 2500
  /** The totals of running runs that the daemon published, by run. */
  readonly #totals = new Map<number, number>()
  #turn = 0

  isChangedBy({ event, data }: ClientEvent): boolean {
    const { run_id: run, mtm_total: total } = data
    if (event === 'strategy_run_update' && typeof run === 'number' && typeof total === 'number') {
      this.#totals.set(run, total)
    }
    return event.startsWith('strategy_')
  }

  async read(client: SvcClient, before: Strategies): Promise<Strategies> {
    const { data } = await client.request('GET /strategy/api/strategies', {})
    const listed = new Set(data.map(({ id }) => id))
    const details = new Map([...before.details].filter(([id]) => listed.has(id)))
    const wanted = [this.chosen ?? data[0]?.id, this.#next(data)].filter((id) => id !== undefined)
    for (const id of new Set(wanted)) if (listed.has(id)) details.set(id, await readDetails(client, id))
    return { rows: data.map((row) => this.#row(row, details.get(row.id))), details }
  }

  /** Returns the running strategy whose turn it is. */
  #next(rows: readonly Listed[]): number | undefined {
    const running = rows.filter(({ current_run_id: run, id }) => run !== null && id !== this.chosen)
    this.#turn += 1
    return running[this.#turn % Math.max(1, running.length)]?.id
  }

  #row(row: Listed, details: Details | undefined): StrategyRow {
    if (row.current_run_id === null) {
      return { ...row, mode: '', pnl: row.last_finalized_run?.pnl_realized ?? null, open_legs: 0 }
    }
    if (details?.run?.id !== row.current_run_id) {
      return { ...row, mode: '', pnl: this.#totals.get(row.current_run_id) ?? null, open_legs: null }
    }
    const pnl = this.#totals.get(row.current_run_id) ?? totalOf(details.legs)
    const open = details.legs.filter(({ status }) => status === 'open').length
    return { ...row, mode: details.run.mode, pnl, open_legs: open }
  }
}

/** Returns the profit of a run; null while the price of a position is not known. */
function totalOf(legs: readonly ShownLeg[]): number | null {
  const profits = legs.flatMap(({ pnl, status }) => (status === 'open' || pnl !== null ? [pnl] : []))
  return profits.reduce<number | null>(
    (total, one) => (total === null || one === null ? null : total + one),
    0,
  )
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
  if (run === undefined)
    return { strategy, run, runs, events, legs: legsOf(strategy, [], undefined), pricedAt: undefined }
  const query = { run_id: run.id }
  const [orders, checkpoints] = await Promise.all([
    client.request('GET /strategy/api/strategies/:id/orders', { params, query }),
    client.request('GET /strategy/api/strategies/:id/checkpoints', { params, query }),
  ])
  const newest = checkpoints.data.at(-1)
  const legs = legsOf(strategy, orders.data, newest)
  return { strategy, run, runs, events, legs, pricedAt: newest && Date.parse(newest.ts) }
}
