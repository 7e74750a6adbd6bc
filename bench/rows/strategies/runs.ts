import { tickAt } from '../../load/tick.js'
import type { Row } from '../../report.js'
import { type Benchmark, timed } from '../../run.js'
import { type HeldLeg, LEGS, RunDesk } from './desk.js'

const RUNS = 200
const TICKS_PER_SECOND = 1_000
const SHARE_PERCENT = 30
const EXIT_MS = 5
/** The pause between two slices of ticks. A broker's feed sends several ticks in one message, too. */
const SLICE_MS = 5
const NAME = `${RUNS} runs of ${LEGS} legs, ${TICKS_PER_SECOND.toLocaleString('en-US')} ticks a second`

/** The runs of strategies in the complete service: its share of a core, and the way of an exit. */
export const strategyRuns: Benchmark = {
  name: 'strategy-runs',
  summary: `${NAME} through the whole service, and the time from a stop loss to its exit order`,
  async run(run) {
    const desk = await RunDesk.open(run.folder())
    try {
      const idle = await share(desk, contracts(), run.pick(10, 3, 1))
      const legs = await desk.start(RUNS)
      const before = await desk.checkpoints()
      const busy = await share(desk, legs, run.pick(30, 6, 2))
      if ((await desk.checkpoints()) - before < RUNS) throw new Error('the runs stored no checkpoints')
      const goal = { of: 'value', atMost: SHARE_PERCENT } as const
      const whole: Row = {
        name: `${NAME}, whole service`,
        value: busy,
        floor: idle,
        unit: '% of a core',
        goal,
      }
      return [whole, ...(await exits(desk, legs, run.pick(legs.length, 200, 50)))]
    } finally {
      await desk.close()
    }
  },
}

/** Returns the processor time of the whole process in percent of one core, while it gets ticks. */
async function share(desk: RunDesk, legs: readonly HeldLeg[], seconds: number): Promise<number> {
  const ticks = new Ticks(desk, legs)
  // The code is compiled and all contracts have a price before the measurement.
  await ticks.send(2)
  const before = process.cpuUsage()
  const took = await ticks.send(seconds)
  const { system, user } = process.cpuUsage(before)
  return (system + user) / took / 10
}

/** Lets the stop loss of the first legs be hit while ticks of the others flow. Returns the time until its exit order. */
async function exits(desk: RunDesk, legs: readonly HeldLeg[], count: number): Promise<Row[]> {
  const hits = new Map<string, number>()
  const times = { sent: [] as number[], stored: [] as number[] }
  desk.watchOrders(({ role, symbol }, step) => {
    const hit = hits.get(symbol)
    if (role === 'exit' && hit !== undefined) times[step].push(performance.now() - hit)
  })
  const floor = await bareRows(desk, legs, count)
  const ticks = new Ticks(desk, legs)
  await paced(ticks, count, (index) => {
    const leg = legs[index]
    if (!leg) return
    ticks.leave(leg)
    hits.set(leg.symbol, performance.now())
    desk.publish(tickAt(leg, toStep(leg.entry * 0.4)))
  })
  await desk.settled()
  if (times.stored.length !== count) {
    throw new Error(`${hits.size} stops were hit, and ${times.stored.length} exits followed`)
  }
  const name = 'stop loss hit to exit order'
  const at = (share: number) => ({ value: quantile(times.sent, share), floor: quantile(floor, share) })
  return [
    { name: `${name} stored and sent, p50`, ...at(0.5), unit: 'ms' },
    { name: `${name} stored and sent, p99`, ...at(0.99), unit: 'ms', goal: { of: 'value', atMost: EXIT_MS } },
    { name: `${name} accepted by the sandbox, p99`, value: quantile(times.stored, 0.99), unit: 'ms' },
  ]
}

/** Returns the times of storing one row, at the pace of the exits. */
async function bareRows(desk: RunDesk, legs: readonly HeldLeg[], count: number): Promise<number[]> {
  const times: number[] = []
  await paced(new Ticks(desk, legs), count, async () => times.push(await timed(() => desk.storeRow())))
  return times
}

/** Does something `count` times, each second slice of the ticks. On a busy machine the slices are longer, and it takes longer. */
async function paced(ticks: Ticks, count: number, act: (index: number) => unknown): Promise<void> {
  const acts: unknown[] = []
  ticks.onSlice = (slice) => {
    if (slice % 2 === 0 && acts.length < count) acts.push(act(acts.length))
  }
  while (acts.length < count) await ticks.send((2 * (count - acts.length) * SLICE_MS * 1.5) / 1000)
  await Promise.all(acts)
}

/** Sends ticks of legs in turn, evenly over the time. Their prices change and hit no level. */
class Ticks {
  onSlice: (slice: number) => void = () => undefined
  readonly #left = new Set<HeldLeg>()
  #sent = 0
  #slices = 0

  constructor(
    private readonly desk: RunDesk,
    private readonly legs: readonly HeldLeg[],
  ) {}

  /** No longer sends ticks of a leg. */
  leave(leg: HeldLeg): void {
    this.#left.add(leg)
  }

  /** Returns the milliseconds that it took. */
  send(seconds: number): Promise<number> {
    const startedAt = performance.now()
    const first = this.#sent
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        const elapsed = performance.now() - startedAt
        const due = first + Math.min(elapsed / 1000, seconds) * TICKS_PER_SECOND
        while (this.#sent < due) this.#sendOne()
        this.onSlice(this.#slices++)
        if (elapsed < seconds * 1000) return
        clearInterval(timer)
        resolve(performance.now() - startedAt)
      }, SLICE_MS)
    })
  }

  #sendOne(): void {
    const leg = this.legs[this.#sent++ % this.legs.length]
    if (leg && !this.#left.has(leg))
      this.desk.publish(tickAt(leg, toStep(leg.entry * (1 + (this.#sent % 97) / 500))))
  }
}

/** Contracts that no run holds. */
function contracts(): HeldLeg[] {
  return Array.from({ length: RUNS * LEGS }, (_, index) => ({
    symbol: `S${index}`,
    exchange: 'NFO',
    entry: 100,
  }))
}

/** Rounds a price to a step of 5 paise. */
const toStep = (price: number): number => Math.max(0.05, Math.round(price * 20) / 20)

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
