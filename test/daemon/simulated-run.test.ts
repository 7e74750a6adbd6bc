import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isStorageBusy } from '../../src/core/storage/index.js'
import { VirtualClock } from '../../src/core/time/index.js'
import { type Chance, chance, seeded } from '../support/chance/chance.js'
import { FRIDAY_11 } from '../support/desk/desk.js'
import { HttpDesk } from '../support/desk/http-desk.js'

/* Promise 21: any run of the simulator is replayable from its seed. */
const STEPS = 50
/** The number of event-loop turns without disk work after which nothing is in progress. */
const QUIET_TURNS = 12
const BOOKS = ['orderbook', 'tradebook', 'positionbook', 'holdings', 'funds', 'gttorderbook']
const SYMBOLS = [
  { exchange: 'NSE', symbol: 'SBIN', base: 800, most: 30_000, product: 'MIS' },
  { exchange: 'NSE', symbol: 'INFY', base: 1500, most: 20_000, product: 'CNC' },
  { exchange: 'NFO', symbol: 'NIFTY24NOV26FUT', base: 26_000, most: 10, product: 'NRML' },
] as const

/** Stops the clock until all work that a timer or a request started has ended. */
async function quiet(): Promise<void> {
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await setImmediate()
    if (isStorageBusy()) turns = 0
  }
}

type Body = Record<string, unknown>

/** The record of one run of the desk: requests, answers and events, in order. */
class Run {
  readonly log: string[] = []
  readonly #clock: VirtualClock

  private constructor(
    private readonly http: HttpDesk,
    private readonly chance: Chance,
  ) {
    this.#clock = http.desk.clock
    http.desk.service.bus.subscribe('*', 'replay', (payload, topic) => this.#note(topic, payload))
  }

  static async of(script: number, market: number, mode: string): Promise<string> {
    const http = await HttpDesk.open({
      clock: new VirtualClock(FRIDAY_11, quiet),
      env: { SIM_SEED: String(market), SMART_ORDER_RATE_LIMIT: '1000000 per second' },
    })
    const run = new Run(http, seeded(script))
    await run.#ask('analyzer/toggle', { mode: mode === 'analyze' })
    for (let step = 1; step <= STEPS; step++) {
      await run.#clock.advance(run.chance.between(100, 8000))
      await run.#step()
    }
    for (const book of BOOKS) await run.#ask(book)
    await http.desk.close()
    return run.#numbered()
  }

  #note(what: string, value: unknown): void {
    this.log.push(`${this.#clock.now()} ${what} ${JSON.stringify(value)}`)
  }

  async #ask(path: string, body: Body = {}): Promise<Body> {
    const reply = await this.http.request('POST', `/api/v1/${path}`, {
      body: { apikey: this.http.apikey, ...body },
    })
    await quiet()
    this.#note(path, [body, reply.status, reply.body])
    return reply.body
  }

  /** Performs one random action of a trader. */
  async #step(): Promise<void> {
    const roll = this.chance.next()
    if (roll < 0.6) await this.#ask('placeorder', this.#order())
    else if (roll < 0.75) await this.#change('modifyorder')
    else if (roll < 0.9) await this.#change('cancelorder')
    else if (roll < 0.95) await this.#ask('positionbook')
    else await this.#ask('closeposition', { strategy: 'run' })
  }

  #order(): Body {
    const { exchange, symbol, base, most, product } = this.#pick(SYMBOLS)
    const near = (percent: number) => Math.round(base * (1 + this.chance.between(-percent, percent) / 1000))
    return {
      strategy: 'run',
      exchange,
      symbol,
      product,
      action: this.#pick(['BUY', 'SELL']),
      // Sometimes an odd lot, or more than the account can pay for.
      quantity: this.chance.between(1, most) * (exchange === 'NFO' && this.chance.next() < 0.9 ? 65 : 1),
      pricetype: this.#pick(['MARKET', 'MARKET', 'LIMIT', 'LIMIT', 'SL', 'SL-M']),
      price: near(20),
      trigger_price: near(20),
      disclosed_quantity: 0,
    }
  }

  /** Changes or cancels one of the waiting orders, if there is one. */
  async #change(path: 'modifyorder' | 'cancelorder'): Promise<void> {
    const { data } = await this.#ask('orderbook')
    const orders: Body[] = Object(data).orders
    const waiting = orders.filter(({ order_status }) =>
      ['open', 'trigger pending'].includes(String(order_status)),
    )
    if (waiting.length === 0) return
    const { orderid, exchange, symbol, action, product, pricetype, quantity, price, trigger_price } =
      this.#pick(waiting)
    if (path === 'cancelorder') {
      await this.#ask(path, { strategy: 'run', orderid })
      return
    }
    const moved = (value: unknown) => Math.round(Number(value) * (1 + this.chance.between(-5, 5) / 1000))
    await this.#ask(path, {
      strategy: 'run',
      orderid,
      exchange,
      symbol,
      action,
      product,
      pricetype,
      disclosed_quantity: 0,
      quantity: Number(quantity) + (exchange === 'NFO' ? 65 : this.chance.between(1, 100)),
      price: moved(price),
      trigger_price: moved(trigger_price),
    })
  }

  #pick<T>(from: readonly T[]): T {
    const picked = from[this.chance.between(0, from.length - 1)]
    if (picked === undefined) throw new Error('nothing to pick from')
    return picked
  }

  /** The log with our random references replaced by numbers, in order of appearance. */
  #numbered(): string {
    const numbers = new Map<string, number>()
    const nameOf = (kind: string, id: string) => {
      if (!numbers.has(id)) numbers.set(id, numbers.size + 1)
      return `${kind}#${numbers.get(id)}`
    }
    return this.log
      .join('\n')
      .replaceAll(/\b[SB][0-9A-HJKMNP-TV-Z]{17}\b/g, (id) => nameOf('ref', id))
      .replaceAll(this.http.apikey, 'key')
  }
}

/** Returns the first line in which two logs differ, which is clearer than both logs. */
function firstDifference(one: string, other: string): [string, string] | undefined {
  const lines = other.split('\n')
  const at = one.split('\n').findIndex((line, index) => line !== lines[index])
  return at < 0 ? undefined : [one.split('\n')[at] ?? '', lines[at] ?? '']
}

/** Returns the orders in the trade book at the end that traded more than once. */
function filledInParts(log: string): number {
  const [book = ''] = log.split('\n').filter((line) => line.includes(' tradebook '))
  const ids = [...book.matchAll(/"orderid":"([^"]+)"/g)].map(([, id]) => id)
  return ids.length - new Set(ids).size
}

test.each(['live', 'analyze'])(
  `a session of ${STEPS} random steps (%s) is the same to the byte when it is run again from its seed`,
  async (mode) => {
    const { seed } = chance(`a ${mode} session`)
    const other = (seed + 1) % 2 ** 32
    const log = await Run.of(seed, seed, mode)
    const again = await Run.of(seed, seed, mode)
    expect(firstDifference(log, again)).toBeUndefined()
    expect(again).toBe(log)

    expect(log).toMatch(/"order_status":"complete"/)
    // The sandbox fills an order completely at once, or not at all.
    if (mode === 'live') expect(filledInParts(log)).toBeGreaterThan(0)
    expect(firstDifference(log, await Run.of(seed, other, mode)), 'another market').toBeDefined()
    expect(firstDifference(log, await Run.of(other, seed, mode)), 'another session').toBeDefined()
  },
)
