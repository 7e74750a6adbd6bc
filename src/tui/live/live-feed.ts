import { setTimeout as wait } from 'node:timers/promises'
import type { ClientEvent, SvcClient } from '../../client/index.js'
import { type Account, readAccount } from './account.js'

/** The way to the daemon, which may restart on another port, and whose session may be renewed meanwhile. */
export interface DaemonAccess {
  /** Returns a client of the daemon's address and the session as they are now. @throws Error without a session */
  client(timeoutMs: number): SvcClient
}

/** What a screen shows, and whether it is current. */
export interface Live<Content> {
  content: Content
  account: Account | undefined
  /** The reason why the content may be old; undefined while the daemon answers. */
  problem: string | undefined
  /** The time of the last answer of the daemon. */
  readAt: number
}

/** The content of a screen and its reads. */
export interface Source<Content> {
  read(client: SvcClient, before: Content): Promise<Content>
  /** Returns whether the content may differ after an event. */
  isChangedBy(event: ClientEvent): boolean
  /** The pause between reads without an event, at least; a slow read makes it longer. */
  pauseMs: number
  /** Changes that follow each other faster are read together. */
  gatherMs: number
}

/** Reads that take longer count as a lost connection. */
const READ_LIMIT_MS = 10_000
const PAUSE_PER_READ = 20
/** A slow read makes the pause longer, up to so many pauses: prices must not grow old unseen. */
const MOST_PAUSES = 3
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000

/**
 * The content of a screen, live: read again after each event that changes it, and every few seconds. It never
 * ends by itself: while the daemon is away it keeps the last content and tries again.
 */
export class LiveFeed<Content> {
  readonly #daemon: DaemonAccess
  readonly #source: Source<Content>
  readonly #listeners = new Set<() => void>()
  readonly #stopped = new AbortController()
  #state: Live<Content>
  #reading: Promise<void> | undefined
  #again = false
  /** The length of the last read, without the pauses that gather events. */
  #readMs = 0

  constructor(daemon: DaemonAccess, source: Source<Content>, empty: Content) {
    this.#daemon = daemon
    this.#source = source
    this.#state = { content: empty, account: undefined, problem: undefined, readAt: 0 }
  }

  /** Starts to follow the daemon. */
  start(): void {
    void this.#followEvents()
    void this.#followTime()
  }

  stop(): void {
    this.#stopped.abort()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly state = (): Live<Content> => this.#state

  /** Returns the modes and the broker as they are now. @throws Error when the daemon does not answer */
  async accountNow(): Promise<Account> {
    const account = await readAccount(this.#daemon.client(READ_LIMIT_MS))
    this.#set({ account })
    return account
  }

  /** Reads again. Resolves when the content as of this call or later is shown. Never throws. */
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
      if (this.#again) await this.#pause(this.#source.gatherMs)
    } while (this.#again && !this.#stopped.signal.aborted)
  }

  async #read(): Promise<void> {
    const started = Date.now()
    try {
      const client = this.#daemon.client(READ_LIMIT_MS)
      const [account, content] = await Promise.all([
        readAccount(client),
        this.#source.read(client, this.#state.content),
      ])
      this.#set({ account, content, problem: undefined, readAt: Date.now() })
    } catch (thrown) {
      this.#set({ problem: problemOf(thrown) })
    }
    this.#readMs = Date.now() - started
  }

  async #followEvents(): Promise<void> {
    const { signal } = this.#stopped
    let pause = FIRST_PAUSE_MS
    while (!signal.aborted) {
      try {
        for await (const event of this.#daemon.client(READ_LIMIT_MS).events({ signal })) {
          if (event.event === 'connected') pause = FIRST_PAUSE_MS
          if (this.#isChangedBy(event)) void this.refresh()
        }
        this.#set({ problem: 'The connection is lost.' })
      } catch (thrown) {
        if (!signal.aborted) this.#set({ problem: problemOf(thrown) })
      }
      await this.#pause(pause)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
  }

  async #followTime(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await this.refresh()
      const { pauseMs } = this.#source
      await this.#pause(Math.min(Math.max(pauseMs, PAUSE_PER_READ * this.#readMs), MOST_PAUSES * pauseMs))
    }
  }

  /** A new connection or a gap may hide any change. */
  #isChangedBy(event: ClientEvent): boolean {
    return ['connected', 'gap', 'app_mode_changed'].includes(event.event) || this.#source.isChangedBy(event)
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#stopped.signal }).catch(() => undefined)
  }

  #set(change: Partial<Live<Content>>): void {
    if (this.#stopped.signal.aborted) return
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

function problemOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
