import { and, asc, count, desc, eq, inArray, lt, lte, min, notInArray, sql } from 'drizzle-orm'
import { allBut, type Database, insertInto } from '../../storage/index.js'
import { messages } from '../../storage/tables/svc/messages.js'
import type { Channel, Message, MessageState } from '../schema.js'

const INSERT = insertInto(messages, allBut(messages, 'id', 'endedAt', 'error', 'providerId'), {
  key: ['channel', 'address', 'key'],
  replace: [],
})

export type QueueRow = Omit<Message, 'id' | 'state' | 'attempts' | 'endedAt' | 'error' | 'providerId'>

/** The columns that an attempt to send changes. */
export type AttemptOutcome = Partial<
  Pick<Message, 'state' | 'attempts' | 'nextAttemptAt' | 'endedAt' | 'error' | 'providerId'>
>

export interface MessageFilter {
  channel?: Channel | undefined
  state?: MessageState | undefined
  /** Only messages with a smaller id. */
  before: number
  limit: number
}

/** All SQL of the queue of messages. */
export class QueueStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Adds messages in one statement. One whose key the address has already is left out. */
  add(rows: readonly QueueRow[]): Promise<void> {
    return this.#db.batch(
      INSERT.rows(rows.map((row) => ({ state: 'waiting' as const, attempts: 0, ...row }))),
    )
  }

  /** Adds a message and returns it; undefined if the address has its key already. */
  addOne(row: QueueRow): Promise<Message | undefined> {
    return this.#db.write(async (tx) => {
      const added = await tx
        .insert(messages)
        .values({ ...row, state: 'waiting' })
        .onConflictDoNothing()
        .returning()
      return added[0]
    })
  }

  /** Returns waiting messages whose time has come, the most urgent first. */
  due(channel: Channel, now: number, limit: number): Promise<Message[]> {
    return this.#db.read
      .select()
      .from(messages)
      .where(
        and(eq(messages.state, 'waiting'), eq(messages.channel, channel), lte(messages.nextAttemptAt, now)),
      )
      .orderBy(desc(messages.priority), asc(messages.id))
      .limit(limit)
  }

  /** Returns the number of waiting messages of a channel, and when the next is due. */
  async waiting(channel: Channel): Promise<{ count: number; nextAt: number | undefined }> {
    const [row] = await this.#db.read
      .select({ count: count(), nextAt: min(messages.nextAttemptAt) })
      .from(messages)
      .where(and(eq(messages.state, 'waiting'), eq(messages.channel, channel)))
    return { count: row?.count ?? 0, nextAt: row?.nextAt ?? undefined }
  }

  async record(id: number, outcome: AttemptOutcome): Promise<void> {
    await this.#db.write((tx) => tx.update(messages).set(outcome).where(eq(messages.id, id)))
  }

  /** Lets all waiting messages for an address wait at least until an instant. */
  async defer(channel: Channel, address: string, until: number): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .update(messages)
        .set({ nextAttemptAt: until })
        .where(
          and(
            eq(messages.state, 'waiting'),
            eq(messages.channel, channel),
            eq(messages.address, address),
            lt(messages.nextAttemptAt, until),
          ),
        ),
    )
  }

  /** Gives up waiting messages that are older than an instant. */
  async expire(channel: Channel, before: number, endedAt: number, error: string): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .update(messages)
        .set({ state: 'dead', endedAt, error })
        .where(
          and(eq(messages.state, 'waiting'), eq(messages.channel, channel), lt(messages.createdAt, before)),
        ),
    )
  }

  /** Deletes messages that ended before an instant, and of the rest all but the newest `keep`. */
  async purge(before: number, keep: number): Promise<void> {
    const kept = sql`(select id from messages where state <> 'waiting' order by id desc limit ${keep})`
    await this.#db.write(async (tx) => {
      await tx
        .delete(messages)
        .where(and(inArray(messages.state, ['sent', 'dead']), lt(messages.endedAt, before)))
      await tx
        .delete(messages)
        .where(and(inArray(messages.state, ['sent', 'dead']), notInArray(messages.id, kept)))
    })
  }

  /** Lists messages, the newest first. */
  list({ before, channel, limit, state }: MessageFilter): Promise<Message[]> {
    return this.#db.read
      .select()
      .from(messages)
      .where(
        and(
          lt(messages.id, before),
          channel && eq(messages.channel, channel),
          state && eq(messages.state, state),
        ),
      )
      .orderBy(desc(messages.id))
      .limit(limit)
  }

  /** Returns the number of messages by channel and state. */
  tallies(): Promise<{ channel: Channel; state: MessageState; count: number }[]> {
    return this.#db.read
      .select({ channel: messages.channel, state: messages.state, count: count() })
      .from(messages)
      .groupBy(messages.channel, messages.state)
  }

  /** Lets dead messages wait again, all or one, and returns how many. */
  async revive(now: number, id?: number): Promise<number> {
    const changes = { state: 'waiting', attempts: 0, nextAttemptAt: now, createdAt: now } as const
    const revived = await this.#db.write((tx) =>
      tx
        .update(messages)
        .set({ ...changes, endedAt: null, error: null })
        .where(and(eq(messages.state, 'dead'), id === undefined ? undefined : eq(messages.id, id)))
        .returning({ id: messages.id }),
    )
    return revived.length
  }

  /** Marks a sent message as dead, because the channel reports later that it did not arrive. */
  async failLater(channel: Channel, providerId: string, error: string): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .update(messages)
        .set({ state: 'dead', error })
        .where(
          and(eq(messages.channel, channel), eq(messages.providerId, providerId), eq(messages.state, 'sent')),
        ),
    )
  }
}
