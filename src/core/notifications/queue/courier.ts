import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Clock, Timer } from '../../time/index.js'
import { type Message, type Sender, SendFailure } from '../schema.js'
import { backoffMs, Pace } from './pace.js'
import type { AttemptOutcome, QueueStore } from './store.js'

/** The number of attempts after which a message is dead; with the waits between them about eight hours. */
export const MAX_ATTEMPTS = 20
/** The age at which a waiting message is dead: nobody wants an alert of yesterday. */
export const MAX_AGE_MS = 24 * 3_600_000
/** The number of addresses that get messages at the same time. */
const WORKERS = 5
const ROUND_SIZE = 100
/** The wait after a failure of the database, and of a channel that is not configured. */
const IDLE_MS = 60_000

interface CourierParts {
  store: QueueStore
  sender: Sender
  clock: Clock
  log: Logger
  /** The most messages that one address gets in a minute. */
  perMinute: () => number
}

export type Delivery = { result: 'sent' } | { result: 'waiting' | 'dead'; error: string }

/**
 * Delivers the waiting messages of one channel. Each channel has its own courier, so that a slow or dead one
 * delays no other. Messages to one address go one after the other; five addresses are served at a time.
 */
export class Courier {
  readonly #parts: CourierParts
  readonly #pace: Pace
  readonly #stopping = new AbortController()
  /** Outcomes that could not be stored yet. A message in here is not sent again. */
  readonly #unrecorded = new Map<number, AttemptOutcome>()
  #wakeUp: () => void = () => undefined
  #isAwake = false
  #running: Promise<void> | undefined
  #waiting = 0

  constructor(parts: CourierParts) {
    this.#parts = parts
    this.#pace = new Pace(parts.perMinute)
  }

  /** The number of waiting messages, as far as it is known from memory. */
  get waiting(): number {
    return this.#waiting
  }

  get isReady(): boolean {
    return this.#parts.sender.isReady()
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Looks for messages now. @param added the number of messages that were added */
  wake(added = 0): void {
    this.#waiting += added
    this.#isAwake = true
    this.#wakeUp()
  }

  /** Aborts the messages being sent. They stay in the queue. */
  async close(): Promise<void> {
    this.#stopping.abort()
    this.#wakeUp()
    await this.#running
  }

  /** Sends a message of the queue now. @returns `waiting` if it goes later */
  async attempt(message: Message): Promise<Delivery> {
    const { clock, sender } = this.#parts
    const now = clock.monotonic()
    const freeAt = this.#pace.freeAt(message.address, now)
    if (freeAt > now) {
      await this.#defer(message.address, clock.now() + freeAt - now)
      return { result: 'waiting', error: 'It waits for its turn: earlier messages to the address wait too.' }
    }
    this.#pace.note(message.address, now)
    try {
      const providerId = await sender.send(message, this.#stopping.signal)
      const attempts = message.attempts + 1
      await this.#record(message.id, {
        state: 'sent',
        attempts,
        endedAt: clock.now(),
        error: null,
        ...(providerId !== undefined && { providerId }),
      })
      return { result: 'sent' }
    } catch (thrown) {
      return this.#failed(message, thrown)
    }
  }

  async #failed(message: Message, thrown: unknown): Promise<Delivery> {
    const { clock, log } = this.#parts
    const error = messageOf(thrown).slice(0, 500)
    // The message was neither delivered nor refused: the next start sends it.
    if (this.#stopping.signal.aborted) return { result: 'waiting', error }
    const facts = thrown instanceof SendFailure ? thrown.facts : { isFinal: false }
    const attempts = message.attempts + 1
    const now = clock.now()
    log.warn('messages.not_delivered', { channel: message.channel, id: message.id, attempts, message: error })
    if (facts.isFinal || attempts >= MAX_ATTEMPTS) {
      await this.#record(message.id, { state: 'dead', attempts, endedAt: now, error })
      return { result: 'dead', error }
    }
    const waitMs = Math.max(backoffMs(attempts), facts.retryAfterMs ?? 0)
    const nextAttemptAt = now + waitMs
    this.#pace.hold(message.address, clock.monotonic() + waitMs)
    await this.#record(message.id, { attempts, nextAttemptAt, error })
    await this.#defer(message.address, nextAttemptAt)
    return { result: 'waiting', error }
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#isAwake = false
      const waitMs = await this.#round().catch((error: unknown) => {
        this.#parts.log.error('messages.round_failed', {
          channel: this.#parts.sender.channel,
          message: messageOf(error),
        })
        return IDLE_MS
      })
      await this.#sleep(waitMs)
    }
  }

  /** Sends the messages that are due. @returns the time until the next round; undefined if nothing waits */
  async #round(): Promise<number | undefined> {
    const { clock, sender, store } = this.#parts
    await this.#recordLate()
    const { count: before } = await store.waiting(sender.channel)
    if (before > 0) {
      const now = clock.now()
      await store.expire(sender.channel, now - MAX_AGE_MS, now, 'It waited for too long.')
    }
    if (before > 0 && sender.isReady()) {
      const due = await store.due(sender.channel, clock.now(), ROUND_SIZE)
      await this.#deliver(due.filter(({ id }) => !this.#unrecorded.has(id)))
    }
    const { count, nextAt } = await store.waiting(sender.channel)
    this.#waiting = count
    if (nextAt === undefined) return this.#unrecorded.size > 0 ? IDLE_MS : undefined
    return sender.isReady() && this.#unrecorded.size === 0 ? Math.max(nextAt - clock.now(), 0) : IDLE_MS
  }

  async #deliver(due: readonly Message[]): Promise<void> {
    const byAddress = groupedByAddress(due)
    const worker = async () => {
      for (let next = byAddress.shift(); next; next = byAddress.shift()) await this.#deliverInTurn(next)
    }
    await Promise.all(Array.from({ length: WORKERS }, worker))
  }

  /** Sends the messages for one address. When one cannot be sent now, the others wait too. */
  async #deliverInTurn(messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      if (this.#stopping.signal.aborted || !this.#parts.sender.isReady()) return
      if ((await this.attempt(message)).result === 'waiting') return
    }
  }

  async #defer(address: string, until: number): Promise<void> {
    const { log, sender, store } = this.#parts
    await store.defer(sender.channel, address, until).catch((error: unknown) => {
      log.error('messages.not_deferred', { channel: sender.channel, message: messageOf(error) })
    })
  }

  async #record(id: number, outcome: AttemptOutcome): Promise<void> {
    try {
      await this.#parts.store.record(id, outcome)
    } catch (error) {
      this.#unrecorded.set(id, outcome)
      this.#parts.log.error('messages.not_recorded', { id, message: messageOf(error) })
    }
  }

  async #recordLate(): Promise<void> {
    for (const [id, outcome] of this.#unrecorded) {
      await this.#parts.store.record(id, outcome)
      this.#unrecorded.delete(id)
    }
  }

  /** Waits until the time has passed, or somebody wakes the courier. */
  async #sleep(waitMs: number | undefined): Promise<void> {
    if (this.#isAwake || this.#stopping.signal.aborted) return
    const { clock } = this.#parts
    let timer: Timer | undefined
    await new Promise<void>((resolve) => {
      this.#wakeUp = resolve
      if (waitMs !== undefined) timer = clock.setTimeout(resolve, waitMs)
    })
    clock.clear(timer)
    this.#wakeUp = () => undefined
  }
}

function groupedByAddress(messages: readonly Message[]): Message[][] {
  const groups = new Map<string, Message[]>()
  for (const message of messages) {
    const group = groups.get(message.address)
    if (group) group.push(message)
    else groups.set(message.address, [message])
  }
  return [...groups.values()]
}
