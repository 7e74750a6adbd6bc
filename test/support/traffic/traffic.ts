import type { DaemonProcess } from '../process/daemon-process.js'
import type { History, Operation } from './history.js'

export interface TrafficOptions {
  daemon: DaemonProcess
  history: History
  clients: number
  /** The number of orders to place, all clients together. */
  orders: number
  /** Returns the fields of order number `index`; the traffic itself sets the strategy, to trace the order. */
  fields?: (index: number) => Record<string, unknown>
  /** Leaves out the orders without a key. */
  only?: 'keyed'
}

/** Statuses that mean "nothing was executed, try again". */
const LATER = 503

/**
 * Clients that place orders one after another. Every second order has an idempotency key and is repeated
 * until an answer comes; the others are requested once, as a careful client without a key must do.
 */
export class Traffic {
  readonly #options: TrafficOptions
  readonly #watchers: { count: number; reached: () => void }[] = []
  #next = 0
  #answered = 0
  #open: Promise<void> = Promise.resolve()
  #resume: () => void = () => undefined

  constructor(options: TrafficOptions) {
    this.#options = options
  }

  /** Resolves when every order has its final answer. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.clients }, (_, client) => this.#client(client)))
  }

  /** Makes clients wait from now on until {@link goOn}; requests already sent continue. */
  hold(): void {
    this.#open = new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  goOn(): void {
    this.#resume()
  }

  /** Resolves when this many orders have their final answer. */
  reached(count: number): Promise<void> {
    if (this.#answered >= count) return Promise.resolve()
    return new Promise((reached) => this.#watchers.push({ count, reached }))
  }

  async #client(client: number): Promise<void> {
    for (let index = this.#next++; index < this.#options.orders; index = this.#next++) {
      if (this.#options.only === undefined || hasKey(index)) while (await this.#ask(client, index));
      this.#answered += 1
      for (const { count, reached } of this.#watchers) if (this.#answered >= count) reached()
    }
  }

  /** Sends one request. @returns whether to repeat it */
  async #ask(client: number, index: number): Promise<boolean> {
    await this.#open
    const { daemon, history, fields } = this.#options
    const id = `order-${index}`
    const key = hasKey(index) ? `key-${index}` : undefined
    const operation = history.invoke({ id, client, ...(key !== undefined && { key }) })
    try {
      const headers = key === undefined ? undefined : { 'idempotency-key': key }
      return judge(history, operation, await daemon.place({ ...fields?.(index), strategy: id }, headers))
    } catch (error) {
      history.end(operation, 'info', { answer: String(error) })
      return key !== undefined
    }
  }
}

const hasKey = (index: number): boolean => index % 2 === 1

function judge(
  history: History,
  operation: Operation,
  { status, text, body }: Awaited<ReturnType<DaemonProcess['place']>>,
): boolean {
  const answer = `${status} ${text}`
  if (status === 200) history.end(operation, 'ok', { orderId: String(body.orderid), answer })
  else history.end(operation, status === 504 ? 'info' : 'fail', { answer })
  return status === LATER
}
