import { setTimeout as wait } from 'node:timers/promises'
import type { DaemonAccess } from '../../client/daemon-access.js'
import { type ClientEvent, StreamError } from '../../client/index.js'
import { messageOf } from '../../core/errors/index.js'
import { Store } from './store.js'

/** Reads that take longer count as a lost connection. */
export const READ_LIMIT_MS = 10_000

export type ConnectionState =
  | { kind: 'connecting' }
  | { kind: 'connected' }
  /** The daemon is away; the next try is at `retryAt`, in milliseconds. */
  | { kind: 'lost'; problem: string; since: number; retryAt: number }
  /** The daemon refused the session, last at `at`. Nothing is tried again until somebody signs in. */
  | { kind: 'signed_out'; problem: string; since: number; at: number }

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000
/** The status of a refused upgrade, and the close code of an ended session. */
const SIGNED_OUT: ReadonlySet<number> = new Set([401, 4401])

/** The one stream of events. It connects again until it is stopped. */
export class Connection {
  readonly state = new Store<ConnectionState>({ kind: 'connecting' })
  readonly #daemon: DaemonAccess
  /** Called before each attempt to connect. */
  readonly #prepare: () => Promise<void>
  readonly #listeners = new Set<(event: ClientEvent) => void>()
  readonly #stopped = new AbortController()
  #waiting = new AbortController()

  constructor(daemon: DaemonAccess, prepare: () => Promise<void>) {
    this.#daemon = daemon
    this.#prepare = prepare
  }

  start(): void {
    void this.#follow()
  }

  stop(): void {
    this.#stopped.abort()
    this.#waiting.abort()
  }

  /** Connects now: after a sign-in, or because the user does not want to wait. */
  retry(): void {
    this.#waiting.abort()
  }

  /** Adds a listener of events. The first event of each connection is `connected`. @returns the way to remove it */
  onEvent(listener: (event: ClientEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopped
    let pause = FIRST_PAUSE_MS
    while (!signal.aborted) {
      try {
        await this.#prepare()
        for await (const event of this.#daemon.client(READ_LIMIT_MS).events({ signal })) {
          pause = FIRST_PAUSE_MS
          if (event.event === 'connected') this.state.set({ kind: 'connected' })
          for (const listener of [...this.#listeners]) listener(event)
        }
        this.#lose(new Error('The connection is lost.'), pause)
      } catch (thrown) {
        this.#lose(thrown, pause)
      }
      await this.#pause(this.state.get().kind === 'signed_out' ? undefined : pause)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
  }

  #lose(thrown: unknown, pause: number): void {
    if (this.#stopped.signal.aborted) return
    const before = this.state.get()
    const now = Date.now()
    const since = 'since' in before ? before.since : now
    this.state.set(
      isSignedOut(thrown)
        ? { kind: 'signed_out', problem: signedOutText(thrown), since, at: now }
        : { kind: 'lost', problem: messageOf(thrown), since, retryAt: now + pause },
    )
  }

  /** Waits for some time, or without one until {@link retry}. */
  async #pause(ms: number | undefined): Promise<void> {
    if (this.#stopped.signal.aborted) return
    this.#waiting = new AbortController()
    const { signal } = this.#waiting
    if (ms !== undefined) return void (await wait(ms, undefined, { signal }).catch(() => undefined))
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
}

function signedOutText(thrown: unknown): string {
  return thrown instanceof StreamError ? 'The session has ended, or it was revoked.' : messageOf(thrown)
}

/** Without a stored session the access itself throws; its error has the code of the daemon's refusal. */
function isSignedOut(thrown: unknown): boolean {
  if (thrown instanceof StreamError) return SIGNED_OUT.has(thrown.status)
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'unauthenticated'
}
