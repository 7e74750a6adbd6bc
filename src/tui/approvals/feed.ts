import { setTimeout as wait } from 'node:timers/promises'
import type { SvcClient } from '../../client/index.js'
import { type Account, readAccount } from './account.js'
import { type Approval, currentRows } from './queue.js'

/** The way to the daemon, which may restart on another port, and whose session may be renewed meanwhile. */
export interface DaemonAccess {
  /** Returns a client of the daemon's address and the session as they are now. @throws Error without a session */
  client(timeoutMs: number): SvcClient
}

export interface FeedState {
  /** Newest first; decided orders stay for a while. */
  rows: readonly Approval[]
  account: Account | undefined
  /** The reason why the queue shown may be old; undefined while the daemon answers. */
  problem: string | undefined
  /** The time of the last answer of the daemon. */
  readAt: number
}

/** Reads that take longer count as a lost connection. */
const READ_LIMIT_MS = 10_000
/** The pause between reads of the last prices, at least; a slow read makes it longer. */
const PRICES_MS = 2000
const PAUSE_PER_READ = 20
/** Changes that follow each other faster are read together. */
const GATHER_MS = 50
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000

/**
 * The approval queue, live: read again after each event of the queue and, for the last prices, every few
 * seconds. It never ends by itself: while the daemon is away it keeps the last rows and tries again.
 */
export class ApprovalFeed {
  readonly #daemon: DaemonAccess
  readonly #listeners = new Set<() => void>()
  readonly #stopped = new AbortController()
  #state: FeedState = { rows: [], account: undefined, problem: undefined, readAt: 0 }
  #reading: Promise<void> | undefined
  #again = false

  constructor(daemon: DaemonAccess) {
    this.#daemon = daemon
  }

  /** Starts to follow the daemon. */
  start(): void {
    void this.#followEvents()
    void this.#followPrices()
  }

  stop(): void {
    this.#stopped.abort()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly state = (): FeedState => this.#state

  /** Returns the modes and the broker as they are now. @throws Error when the daemon does not answer */
  async accountNow(): Promise<Account> {
    const account = await readAccount(this.#daemon.client(READ_LIMIT_MS))
    this.#set({ account })
    return account
  }

  /** Reads the queue again. Resolves when rows as of this call or later are shown. Never throws. */
  async refresh(): Promise<void> {
    if (this.#reading) {
      this.#again = true
      return this.#reading
    }
    this.#reading = this.#readUntilCurrent()
    await this.#reading
    this.#reading = undefined
  }

  async #readUntilCurrent(): Promise<void> {
    do {
      this.#again = false
      await this.#read()
      if (this.#again) await this.#pause(GATHER_MS)
    } while (this.#again && !this.#stopped.signal.aborted)
  }

  async #read(): Promise<void> {
    try {
      const client = this.#daemon.client(READ_LIMIT_MS)
      const [account, rows] = await Promise.all([readAccount(client), currentRows(client, this.#state.rows)])
      this.#set({ account, rows, problem: undefined, readAt: Date.now() })
    } catch (thrown) {
      this.#set({ problem: problemOf(thrown) })
    }
  }

  async #followEvents(): Promise<void> {
    const { signal } = this.#stopped
    let pause = FIRST_PAUSE_MS
    while (!signal.aborted) {
      try {
        for await (const { event } of this.#daemon.client(READ_LIMIT_MS).events({ signal })) {
          if (event === 'connected') pause = FIRST_PAUSE_MS
          if (changesScreen(event)) void this.refresh()
        }
        this.#set({ problem: 'The connection is lost.' })
      } catch (thrown) {
        if (!signal.aborted) this.#set({ problem: problemOf(thrown) })
      }
      await this.#pause(pause)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
  }

  async #followPrices(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const started = Date.now()
      await this.refresh()
      await this.#pause(Math.max(PRICES_MS, PAUSE_PER_READ * (Date.now() - started)))
    }
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#stopped.signal }).catch(() => undefined)
  }

  #set(change: Partial<FeedState>): void {
    if (this.#stopped.signal.aborted) return
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

function changesScreen(event: string): boolean {
  return (
    event === 'connected' ||
    event === 'gap' ||
    event === 'app_mode_changed' ||
    event.startsWith('pending_order_')
  )
}

function problemOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
