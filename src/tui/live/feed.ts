import { setTimeout as wait } from 'node:timers/promises'
import type { ClientEvent, SvcClient } from '../../client/index.js'
import { messageOf } from '../../core/errors/index.js'
import type { Connection } from './connection.js'
import { Store } from './store.js'

/** The content of a part of the screen, and whether it is current. */
export interface Live<Content> {
  content: Content
  /** The reason why the last read failed; undefined after a good one. */
  problem: string | undefined
  /** The time of the last good read in milliseconds; 0 before the first. */
  readAt: number
}

/** Content that follows the daemon for as long as somebody holds it. */
export interface LiveSource<Content> {
  /** Follows the daemon until the last holder releases it. @returns the release */
  hold(): () => void
  subscribe(listener: () => void): () => void
  state(): Live<Content>
  /** Reads again. Never throws. */
  refresh(): Promise<void>
}

/** The content of a feed and its reads. */
export interface Source<Content> {
  read(client: SvcClient, before: Content): Promise<Content>
  /** Returns whether the content may differ after an event. */
  isChangedBy(event: ClientEvent): boolean
  /** The pause between reads without an event, at least; a slow read makes it longer. */
  pauseMs: number
  /** Changes that follow each other faster are read together. */
  gatherMs: number
}

/** The pace of content without events, which changes by a person's hand only. */
export const READ_SELDOM = { isChangedBy: () => false, pauseMs: 30_000, gatherMs: 250 } as const

/** The events that may hide any change: a new connection, lost events, another mode. */
export const HIDE_CHANGES: ReadonlySet<string> = new Set(['connected', 'gap', 'app_mode_changed'])
/** The parts of the daemon that feeds follow. */
export interface FeedDaemon {
  reader(): SvcClient
  connection: Connection
}

/** Stands for the events that a feed did not hear. */
const UNHEARD: ClientEvent = { event: 'gap', seq: 0, data: {}, ts: 0 }
const PAUSE_PER_READ = 20
/** A slow read makes the pause longer, up to so many pauses: prices must not grow old unseen. */
const MOST_PAUSES = 3

/**
 * Content that is read again after each event that changes it, and every few seconds, for as long as something
 * shows it. While the daemon is away it keeps the last content and tries again.
 */
export class Feed<Content> implements LiveSource<Content> {
  readonly daemon: FeedDaemon
  readonly #source: Source<Content>
  readonly #state: Store<Live<Content>>
  #holders = 0
  #running = new AbortController()
  #reading: Promise<void> | undefined
  #again = false
  /** The length of the last read, without the pauses that gather events. */
  #readMs = 0

  constructor(daemon: FeedDaemon, source: Source<Content>, empty: Content) {
    this.daemon = daemon
    this.#source = source
    this.#state = new Store<Live<Content>>({ content: empty, problem: undefined, readAt: 0 })
  }

  /** Follows the daemon until the last holder releases it. @returns the release */
  hold(): () => void {
    this.#holders += 1
    if (this.#holders === 1) this.start()
    return () => {
      this.#holders -= 1
      if (this.#holders === 0) this.stop()
    }
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#state.subscribe(listener)

  readonly state = (): Live<Content> => this.#state.get()

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

  protected start(): void {
    this.#running = new AbortController()
    // Nobody listened while nothing showed the content.
    this.#source.isChangedBy(UNHEARD)
    const { signal } = this.#running
    const off = this.daemon.connection.onEvent((event) => {
      if (this.#isChangedBy(event)) void this.refresh()
    })
    signal.addEventListener('abort', off, { once: true })
    void this.#followTime(signal)
  }

  protected stop(): void {
    this.#running.abort()
  }

  async #readUntilCurrent(): Promise<void> {
    do {
      this.#again = false
      await this.#read()
      if (this.#again) await pause(this.#source.gatherMs, this.#running.signal)
    } while (this.#again && this.#holders > 0)
  }

  async #read(): Promise<void> {
    const started = Date.now()
    try {
      const content = await this.#source.read(this.daemon.reader(), this.#state.get().content)
      this.#state.set({ content, problem: undefined, readAt: Date.now() })
    } catch (thrown) {
      this.#state.set({ ...this.#state.get(), problem: messageOf(thrown) })
    }
    this.#readMs = Date.now() - started
  }

  async #followTime(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.refresh()
      const { pauseMs } = this.#source
      const length = Math.max(pauseMs, PAUSE_PER_READ * this.#readMs)
      await pause(Math.min(length, MOST_PAUSES * pauseMs), signal)
    }
  }

  #isChangedBy(event: ClientEvent): boolean {
    // The source looks at every event, also to learn how much it must read again.
    const isChanged = this.#source.isChangedBy(event)
    return isChanged || HIDE_CHANGES.has(event.event)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined)
}
