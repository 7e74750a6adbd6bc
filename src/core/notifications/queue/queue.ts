import { messageOf, ServiceError } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import { randomHex } from '../../secrets/index.js'
import type { Clock, Timer } from '../../time/index.js'
import { CHANNELS, type Channel, type NewMessage, PRIORITY, type Sender } from '../schema.js'
import { Courier, type Delivery } from './courier.js'
import type { MessageFilter, QueueRow, QueueStore } from './store.js'

/** The number of messages of a channel that may wait. More are refused. */
export const MAX_WAITING = 1_000
const MAX_BODY = 4_096
/** How long ended messages stay readable, and how many. */
const KEPT_MS = 7 * 24 * 3_600_000
const KEPT_ROWS = 10_000
const PURGE_INTERVAL_MS = 3_600_000
/** For this long only the caller who waits for a delivery sends the message. */
const LEASE_MS = 60_000

interface MessageQueueParts {
  store: QueueStore
  senders: readonly Sender[]
  clock: Clock
  log: Logger
  perMinute: (channel: Channel) => number
}

/**
 * The messages that wait, in `svc.db`, so that a restart loses none. A message is sent at least once: a kill
 * between the delivery and the record of it sends it again, and a message recorded as sent is never repeated.
 */
export class MessageQueue {
  readonly #parts: MessageQueueParts
  readonly #couriers: ReadonlyMap<Channel, Courier>
  #pending: QueueRow[] = []
  #writing: Promise<void> | undefined
  #purging: Timer | undefined
  #dropped = 0

  constructor(parts: MessageQueueParts) {
    this.#parts = parts
    const { clock, log, perMinute, store } = parts
    this.#couriers = new Map(
      parts.senders.map((sender) => [
        sender.channel,
        new Courier({ store, sender, clock, log, perMinute: () => perMinute(sender.channel) }),
      ]),
    )
  }

  /** Starts to deliver what the last run left. */
  start(): void {
    for (const courier of this.#couriers.values()) courier.start()
    const purge = () => void this.#purge()
    this.#purging = this.#parts.clock.setInterval(purge, PURGE_INTERVAL_MS)
    purge()
  }

  /** Stores the messages that were added, and stops. Messages that wait stay in the queue. */
  async close(): Promise<void> {
    this.#parts.clock.clear(this.#purging)
    await Promise.all([...this.#couriers.values()].map((courier) => courier.close()))
    await this.#writing
  }

  isReady(channel: Channel): boolean {
    return this.#courier(channel).isReady
  }

  /** Looks for messages of a channel whose settings have changed. */
  wake(channel: Channel): void {
    this.#courier(channel).wake()
  }

  /**
   * Adds a message and returns at once, for senders that must not wait. Messages that are added while others
   * are written are written together. A message that no longer fits is dropped, and counted in the log.
   */
  post(message: NewMessage): void {
    if (this.#isFull(message.channel) || this.#pending.length >= MAX_WAITING) {
      this.#dropped += 1
      if (this.#dropped % 100 === 1) {
        this.#parts.log.warn('messages.dropped', { channel: message.channel, dropped: this.#dropped })
      }
      return
    }
    this.#pending.push(this.#rowOf(message))
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  /** Resolves when the message is in the queue. @throws ServiceError `unavailable` if the queue is full */
  async add(message: NewMessage): Promise<void> {
    this.#refuseIfFull(message.channel)
    await this.#parts.store.addOne(this.#rowOf(message))
    this.#courier(message.channel).wake(1)
  }

  /**
   * Adds a message and tries to send it once while the caller waits. A message that does not go now stays in the
   * queue; a channel that refuses it for good makes it `dead`. @throws ServiceError `unavailable`
   */
  async deliver(message: NewMessage): Promise<Delivery> {
    this.#refuseIfFull(message.channel)
    const row = this.#rowOf(message)
    const stored = await this.#parts.store.addOne({ ...row, nextAttemptAt: row.createdAt + LEASE_MS })
    if (!stored) return { result: 'sent' }
    const courier = this.#courier(message.channel)
    const delivery = await courier.attempt(stored)
    if (delivery.result === 'waiting') courier.wake(1)
    return delivery
  }

  list(filter: MessageFilter) {
    return this.#parts.store.list(filter)
  }

  tallies() {
    return this.#parts.store.tallies()
  }

  /** Tries dead messages again, all or one. @returns how many */
  async revive(id?: number): Promise<number> {
    const revived = await this.#parts.store.revive(this.#parts.clock.now(), id)
    for (const courier of this.#couriers.values()) courier.wake()
    return revived
  }

  /** Records that a message did not arrive after all. */
  failLater(channel: Channel, providerId: string, error: string): Promise<void> {
    return this.#parts.store.failLater(channel, providerId, error.slice(0, 500))
  }

  async #write(): Promise<void> {
    while (this.#pending.length > 0) {
      const rows = this.#pending
      this.#pending = []
      try {
        await this.#parts.store.add(rows)
        for (const channel of CHANNELS) {
          const added = rows.filter((row) => row.channel === channel).length
          if (added > 0) this.#courier(channel).wake(added)
        }
      } catch (error) {
        this.#parts.log.error('messages.not_queued', { lost: rows.length, message: messageOf(error) })
      }
    }
  }

  async #purge(): Promise<void> {
    const { clock, log, store } = this.#parts
    await store.purge(clock.ago(KEPT_MS), KEPT_ROWS).catch((error: unknown) => {
      log.error('messages.not_purged', { message: messageOf(error) })
    })
  }

  #rowOf(message: NewMessage): QueueRow {
    const now = this.#parts.clock.now()
    const { attachment } = message
    return {
      key: message.key ?? randomHex(12),
      channel: message.channel,
      address: message.address,
      userId: message.userId,
      event: message.event,
      subject: message.subject ?? null,
      body: message.body.slice(0, MAX_BODY),
      format: message.format ?? 'plain',
      pendingOrderId: message.pendingOrderId ?? null,
      attachment: attachment?.path ?? null,
      attachmentKind: attachment?.kind ?? null,
      attachmentName: attachment?.name ?? null,
      priority: message.priority ?? PRIORITY.usual,
      nextAttemptAt: now,
      createdAt: now,
    }
  }

  #isFull(channel: Channel): boolean {
    return this.#courier(channel).waiting >= MAX_WAITING
  }

  #refuseIfFull(channel: Channel): void {
    if (this.#isFull(channel)) throw new ServiceError('unavailable', 'Failed to send notification')
  }

  #courier(channel: Channel): Courier {
    const courier = this.#couriers.get(channel)
    if (!courier) throw new Error(`no courier for ${channel}`)
    return courier
  }
}
