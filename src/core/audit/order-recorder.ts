import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import { type Database, SerialQueue } from '../storage/index.js'
import type { Clock, Timer } from '../time/index.js'
import { jsonIn } from './entry.js'
import { LiveOrderStore } from './order-store.js'
import type { Origins } from './origins.js'
import { SimulatedOrderStore } from './sandbox-store.js'
import { type ActEnd, type Actor, type NewAct, SERVICE } from './schema.js'
import type { AuditTrail } from './trail.js'

/** Rows per commit, so that an order waits for the writer no longer than for another order. */
const PAGE = 100
const INTERVAL_MS = 1000
/** Pages per interval and source. A row costs about 50 µs, so a source takes at most 5 % of one core. */
const PAGES_A_TURN = 10
/** An id may be given out before an order with a lower one is stored. After this time, none is missing. */
const SETTLED_MS = 5000

interface RecorderOptions {
  trail: AuditTrail
  origins: Origins
  svc: Database
  sandbox: Database
  clock: Clock
  log: Pick<Logger, 'error'>
}

/** Acts of a source after a position, and the position of the last of them. */
interface Page {
  position: string
  acts: { act: NewAct; end: ActEnd }[]
}

interface Source {
  name: string
  /** Returns the position of the newest order. */
  last(): Promise<string>
  /** @param until only orders up to this instant */
  read(after: string, until: number): Promise<Page | undefined>
}

/**
 * Adds orders to the audit trail after they happened, from the records that make them durable: the journal of
 * live orders and the orders of the simulated account. The order path does nothing for it, and a crash loses
 * none: how far a source is recorded is stored with the rows.
 */
export class OrderRecorder {
  readonly #options: RecorderOptions
  readonly #sources: readonly Source[]
  readonly #turns = new SerialQueue()
  #timer: Timer | undefined
  #isBusy = false

  private constructor(options: RecorderOptions) {
    this.#options = options
    this.#sources = [
      liveOrders(new LiveOrderStore(options.svc), options.origins),
      simulatedOrders(new SimulatedOrderStore(options.sandbox), options.origins),
    ]
  }

  /** Opens the recorder. Orders from before the first start with an audit trail are not recorded. */
  static async open(options: RecorderOptions): Promise<OrderRecorder> {
    const recorder = new OrderRecorder(options)
    for (const { last, name: source } of recorder.#sources) {
      if (options.trail.cursor(source) !== undefined) continue
      await options.trail.appendFrom({ source, position: await last() }, [])
    }
    return recorder
  }

  start(): void {
    this.#timer = this.#options.clock.setInterval(() => void this.#turn(), INTERVAL_MS)
  }

  stop(): Promise<void> {
    this.#options.clock.clear(this.#timer)
    return this.#turns.run(async () => undefined)
  }

  /** Records all orders up to now, also those that may still have an unrecorded neighbour. */
  catchUp(): Promise<void> {
    return this.#turns.run(() => this.#record(this.#options.clock.now(), Number.POSITIVE_INFINITY))
  }

  async #turn(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      const until = this.#options.clock.ago(SETTLED_MS)
      await this.#turns.run(() => this.#record(until, PAGES_A_TURN))
    } catch (error) {
      this.#options.log.error('audit.orders_not_recorded', { reason: messageOf(error) })
    } finally {
      this.#isBusy = false
    }
  }

  async #record(until: number, pages: number): Promise<void> {
    const { trail } = this.#options
    for (const { name: source, read } of this.#sources) {
      for (let page = 0; page < pages; page++) {
        const found = await read(trail.cursor(source) ?? '', until)
        if (!found) break
        await trail.appendFrom({ source, position: found.position }, found.acts)
      }
    }
  }
}

function liveOrders(store: LiveOrderStore, origins: Origins): Source {
  return {
    name: 'live',
    last: async () => String(await store.last()),
    read: async (after) => {
      const changes = await store.changes(Number(after), PAGE)
      const position = changes.at(-1)?.id
      if (position === undefined) return undefined
      return { position: String(position), acts: changes.map((change) => liveAct(change, origins)) }
    },
  }
}

type LiveChange = Awaited<ReturnType<LiveOrderStore['changes']>>[number]

/** Returns the act of a change: its first is the order itself, later ones are those of the broker. */
function liveAct(change: LiveChange, origins: Origins): { act: NewAct; end: ActEnd } {
  const { at, detail, fromState, orderRef: target, source, toState, userId } = change
  const act = { at, target }
  if (fromState !== null) {
    const after = { state: toState, ...(detail !== null && { detail }) }
    return {
      act: { ...act, act: 'order.state', actor: SERVICE },
      end: { before: { state: fromState }, after },
    }
  }
  const { approvalId, broker, operation, orderId, request } = change
  const known = origins.take([target, orderId])
  const actor = known ?? actorOf(userId, source === 'api' ? 'unknown' : 'service')
  const after = {
    mode: 'live',
    state: toState,
    broker,
    operation,
    source,
    ...(approvalId !== null && { approval: approvalId }),
    request: jsonIn(request ?? ''),
  }
  return { act: { ...act, act: 'order.place', actor }, end: { after } }
}

function simulatedOrders(store: SimulatedOrderStore, origins: Origins): Source {
  return {
    name: 'simulated',
    last: () => store.last(),
    read: async (after, until) => {
      const orders = await store.orders(after, until, PAGE)
      const position = orders.at(-1)?.orderId
      return position === undefined
        ? undefined
        : { position, acts: orders.map((order) => simulatedAct(order, origins)) }
    },
  }
}

type SimulatedOrder = Awaited<ReturnType<SimulatedOrderStore['orders']>>[number]

/** The prices of the simulated account are in ten-thousandths of a rupee. */
const PRICE_SCALE = 10_000

function simulatedAct(order: SimulatedOrder, origins: Origins): { act: NewAct; end: ActEnd } {
  const { createdAt: at, gttLegId, orderId: target, price, userId, ...request } = order
  const actor = origins.take([target]) ?? actorOf(userId, gttLegId === null ? 'unknown' : 'service')
  return {
    act: { act: 'order.place', actor, at, target },
    end: { after: { mode: 'analyze', request: { ...request, price: price / PRICE_SCALE } } },
  }
}

function actorOf(userId: string | null, credential: 'service' | 'unknown'): Actor {
  return { name: userId ?? SERVICE.name, credential, credentialId: null, address: null }
}
