import { z } from 'zod'
import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { SecretBox } from '../secrets/index.js'
import { type Database, SerialQueue } from '../storage/index.js'
import type { Clock, Timer } from '../time/index.js'
import { Chain, GENESIS } from './chain.js'
import { entryOf, jsonIn } from './entry.js'
import {
  ACT_CREDENTIALS,
  type ActEnd,
  type AuditEntry,
  type AuditFilter,
  type AuditRow,
  type Cursor,
  type NewAct,
  SERVICE,
  type Seal,
  type Verification,
} from './schema.js'
import { type AuditPage, AuditStore } from './store.js'
import { headOf, RESEALED, VERIFY_PAGE, verifyTrail } from './verify.js'

/** Rows that share a commit. It bounds how long an order waits for the writer. */
const MAX_GROUP = 200
/** Rows that wait for a disk that fails. More are dropped. */
const MAX_WAITING = 10_000
const RETRY_MS = 1000
const EXPORT_PAGE = 500

interface TrailOptions {
  db: Database
  secretBox: Pick<SecretBox, 'mac'>
  clock: Clock
  log: Pick<Logger, 'error' | 'info' | 'warn'>
}

interface Job {
  entries: readonly AuditEntry[]
  ended: readonly number[]
  cursors: readonly Cursor[]
  resolve(): void
  reject(error: unknown): void
}

/** An act that has begun. */
export interface BegunAct {
  act: NewAct
  /** The id of its note. */
  id: number
}

/**
 * The audit trail: the acts that changed state, in the order in which they ended. Each row is sealed to the one
 * before. Rows are only added, and removed at the old end past a signed floor.
 */
export class AuditTrail {
  readonly #options: TrailOptions
  readonly #store: AuditStore
  readonly #chain: Chain
  /** Appends and removals move the seal one after the other. */
  readonly #inTurn = new SerialQueue()
  readonly #waiting: Job[] = []
  /** Rows for which nobody waits. They are written again until the disk accepts them. */
  readonly #unwritten: AuditEntry[] = []
  #writing: Promise<void> | undefined
  #later: Promise<void> | undefined
  #retry: Timer | undefined
  #verification: Promise<Verification> | undefined
  #seal: Seal

  private constructor(options: TrailOptions, store: AuditStore, chain: Chain, seal: Seal) {
    this.#options = options
    this.#store = store
    this.#chain = chain
    this.#seal = seal
  }

  /** Opens the trail, and adds the acts whose end a crash prevented. */
  static async open(options: TrailOptions): Promise<AuditTrail> {
    const store = new AuditStore(options.db)
    const chain = new Chain(options.secretBox)
    const { seal, found } = await openSeal(store, chain)
    const trail = new AuditTrail(options, store, chain, seal)
    if (found !== 'sound') {
      if (found === 'broken') options.log.error('audit.seal_broken', { seq: seal.seq })
      await trail.append({ act: found === 'none' ? 'audit.begin' : RESEALED, actor: SERVICE })
    }
    await trail.#recover()
    return trail
  }

  /** Adds an act. Resolves once it is durable. */
  append(act: NewAct, end: ActEnd = {}): Promise<void> {
    return this.#add([this.#entryOf(act, end)])
  }

  /**
   * Adds the acts of a source, and how far it is recorded, in one commit.
   * @param acts in the order in which they happened
   */
  appendFrom(cursor: Cursor, acts: readonly { act: NewAct; end: ActEnd }[]): Promise<void> {
    const entries = acts.map(({ act, end }) => this.#entryOf(act, end))
    return this.#add(entries, [], [cursor])
  }

  /** Adds an act for which nobody waits. It is written soon, and again until the disk accepts it. */
  appendLater(act: NewAct, end: ActEnd = {}): void {
    if (this.#unwritten.length >= MAX_WAITING) {
      this.#options.log.error('audit.act_dropped', { act: act.act })
      return
    }
    this.#unwritten.push(this.#entryOf(act, end))
    this.#later ??= this.#writeLater()
  }

  /**
   * Notes that an act begins. If the service ends before {@link end}, the next start adds the act with an
   * unknown outcome.
   * @throws ServiceError `storage_full` or `unavailable`: the act must not begin then
   */
  async begin(act: NewAct): Promise<BegunAct> {
    return { act, id: await this.#store.begin(JSON.stringify(this.#entryOf(act, {}))) }
  }

  /** Adds an act that was noted, and removes the note. Resolves once it is durable. */
  end({ act, id }: BegunAct, end: ActEnd): Promise<void> {
    return this.#add([this.#entryOf(act, end)], [id])
  }

  /** Forgets an act that changed nothing. */
  discard({ id }: BegunAct): Promise<void> {
    return this.#store.discard(id)
  }

  /** Returns how far a source is recorded. */
  cursor(source: string): string | undefined {
    return this.#seal.cursors.find((cursor) => cursor.source === source)?.position
  }

  /** Returns a page, newest first. With `after`, oldest first. */
  list(page: AuditPage): Promise<AuditRow[]> {
    return this.#store.list(page)
  }

  /** Returns the first rows of a group of acts about any of these objects, oldest first. */
  about(targets: readonly string[], group: string): Promise<AuditRow[]> {
    return this.#store.about(targets, group, MAX_GROUP)
  }

  /** Returns the first rows of a request, oldest first. */
  ofRequest(requestId: string): Promise<AuditRow[]> {
    return this.#store.ofRequest(requestId, MAX_GROUP)
  }

  /** Yields the rows of a filter, oldest first, and holds one page in memory. */
  async *pages(filter: AuditFilter): AsyncGenerator<AuditRow[]> {
    let after = 0
    for (;;) {
      const rows = await this.#store.list({ ...filter, after, limit: EXPORT_PAGE })
      if (rows.length > 0) yield rows
      if (rows.length < EXPORT_PAGE) return
      after = rows.at(-1)?.seq ?? after
    }
  }

  /**
   * Checks every row. Callers that ask at the same time share one check.
   * @param head a row that the trail must contain, as an earlier check returned it
   */
  verify(head?: string): Promise<Verification> {
    if (head !== undefined) return this.#verify(head)
    this.#verification ??= this.#verify().finally(() => {
      this.#verification = undefined
    })
    return this.#verification
  }

  /**
   * Removes the rows that are older than an instant, past a signed floor. The newest row stays. A trail that is
   * damaged keeps its rows: they are the evidence.
   * @returns the number of rows
   */
  async prune(before: number): Promise<number> {
    const last = await this.#store.lastBefore(before, this.#seal.seq)
    if (!last) return 0
    const { problem } = await this.verify()
    if (problem) {
      this.#options.log.error('audit.not_pruned', { seq: problem.seq, reason: problem.message })
      return 0
    }
    const rows = last.seq - this.#seal.floorSeq
    const range = { from: this.#seal.floorSeq + 1, through: last.seq, rows, head: headOf(last) }
    await this.append({ act: 'audit.prune', actor: SERVICE }, { after: range })
    for (;;) {
      const end = await this.#store.endOfChunk(last.seq)
      if (!end) return rows
      await this.#inTurn.run(() =>
        this.#move({ floorSeq: end.seq, floorMac: end.mac }, (seal) =>
          this.#store.removeTo(this.#seal, seal),
        ),
      )
    }
  }

  /** Writes all that waits. Called before the database is closed. */
  async flush(): Promise<void> {
    // An attempt that has begun may fail for a reason that is over.
    await this.#later
    this.#options.clock.clear(this.#retry)
    this.#later ??= this.#writeLater()
    await this.#later
    this.#options.clock.clear(this.#retry)
    await this.#writing
  }

  #entryOf(act: NewAct, end: ActEnd): AuditEntry {
    return entryOf(act, end, this.#options.clock.now())
  }

  #verify(head?: string): Promise<Verification> {
    const read = {
      seal: () => this.#store.seal(),
      rows: (after: number) => this.#store.list({ after, limit: VERIFY_PAGE }),
    }
    return verifyTrail(read, this.#chain, head)
  }

  #add(
    entries: readonly AuditEntry[],
    ended: readonly number[] = [],
    cursors: readonly Cursor[] = [],
  ): Promise<void> {
    const added = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ entries, ended, cursors, resolve, reject })
    })
    this.#writing ??= this.#drain()
    return added
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup()
      try {
        await this.#inTurn.run(() => this.#write(group))
        for (const job of group) job.resolve()
      } catch (error) {
        for (const job of group) job.reject(error)
      }
    }
    this.#writing = undefined
  }

  #nextGroup(): Job[] {
    let rows = 0
    const end = this.#waiting.findIndex(({ entries }, index) => {
      rows += entries.length
      return index > 0 && rows > MAX_GROUP
    })
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end)
  }

  #write(group: readonly Job[]): Promise<void> {
    const rows = this.#chain.extend(
      this.#seal,
      group.flatMap((job) => job.entries),
    )
    const { seq, mac } = rows.at(-1) ?? this.#seal
    const moved = group.flatMap((job) => job.cursors)
    return this.#move({ seq, mac, cursors: withMoved(this.#seal.cursors, moved) }, (seal) =>
      this.#store.append({
        rows,
        before: this.#seal,
        seal,
        ended: group.flatMap((job) => job.ended),
        cursors: moved,
      }),
    )
  }

  /** Stores a moved seal. After a failure the stored one counts, because the commit may have succeeded. */
  async #move(ends: Partial<Seal>, store: (seal: Seal) => Promise<void>): Promise<void> {
    const { signature: _, ...now } = this.#seal
    const seal = this.#chain.sign({ ...now, ...ends })
    try {
      await store(seal)
      this.#seal = seal
    } catch (error) {
      const stored = await this.#store.seal().catch(() => undefined)
      if (stored && this.#chain.isSigned(stored)) this.#seal = stored
      throw error
    }
  }

  async #writeLater(): Promise<void> {
    // The acts of one turn share a commit.
    await Promise.resolve()
    try {
      while (this.#unwritten.length > 0) {
        const rows = this.#unwritten.slice(0, MAX_GROUP)
        await this.#add(rows)
        this.#unwritten.splice(0, rows.length)
      }
    } catch (error) {
      this.#options.log.error('audit.not_written', {
        rows: this.#unwritten.length,
        reason: messageOf(error),
      })
      this.#retry = this.#options.clock.setTimeout(() => {
        this.#later ??= this.#writeLater()
      }, RETRY_MS)
    } finally {
      this.#later = undefined
    }
  }

  async #recover(): Promise<void> {
    const pending = await this.#store.pending()
    if (pending.length === 0) return
    const entries = pending.map(({ entry }) => pendingEntry(entry, this.#options.clock.now()))
    await this.#add(
      entries,
      pending.map(({ id }) => id),
    )
    this.#options.log.warn('audit.acts_interrupted', { acts: entries.length })
  }
}

/** Returns the cursors after some of them moved, by source. */
function withMoved(cursors: readonly Cursor[], moved: readonly Cursor[]): Cursor[] {
  const positions = new Map([...cursors, ...moved].map(({ position, source }) => [source, position]))
  const sources = [...positions].map(([source, position]) => ({ source, position }))
  return sources.sort((a, b) => (a.source < b.source ? -1 : 1))
}

const noted = z.object({
  at: z.number(),
  act: z.string(),
  actor: z.string(),
  credential: z.enum(ACT_CREDENTIALS),
  credentialId: z.string().nullable(),
  address: z.string().nullable(),
  target: z.string().nullable(),
  before: z.string().nullable(),
  requestId: z.string().nullable(),
})

const INTERRUPTED = { outcome: 'unknown', code: 'outcome_unknown', after: null } as const

/** Returns the row of an act whose end a crash prevented. */
function pendingEntry(text: string, now: number): AuditEntry {
  const { data } = noted.safeParse(jsonIn(text))
  // Only somebody with the file can have written such a note. It must not prevent the start.
  return data
    ? { ...data, ...INTERRUPTED }
    : entryOf({ act: 'audit.bad_note', actor: SERVICE }, INTERRUPTED, now)
}

type FoundSeal = 'sound' | 'none' | 'broken'

/**
 * Returns the seal after which the trail goes on. It is past every stored row, so that rows that do not belong
 * to the trail stay, and a check finds them. Rows that are missing stay missing.
 */
async function openSeal(store: AuditStore, chain: Chain): Promise<{ seal: Seal; found: FoundSeal }> {
  const [stored, last] = await Promise.all([store.seal(), store.last()])
  if (stored && chain.isSigned(stored) && (last?.seq ?? stored.seq) <= stored.seq) {
    return { seal: stored, found: 'sound' }
  }
  const ends = last ?? { seq: 0, mac: GENESIS }
  const floor = stored ?? { floorSeq: 0, floorMac: GENESIS }
  const seal = chain.sign({
    floorSeq: floor.floorSeq,
    floorMac: floor.floorMac,
    seq: ends.seq,
    mac: ends.mac,
    cursors: stored?.cursors ?? [],
  })
  await store.replaceSeal(seal)
  return { seal, found: stored || last ? 'broken' : 'none' }
}
