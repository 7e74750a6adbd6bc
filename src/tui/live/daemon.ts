import type { DaemonAccess } from '../../client/daemon-access.js'
import type { SvcClient } from '../../client/index.js'
import { messageOf } from '../../core/errors/index.js'
import { type Account, readAccount } from './account.js'
import { Changes } from './changes/changes.js'
import { Connection, type ConnectionState, READ_LIMIT_MS } from './connection.js'
import { neverThrowing } from './refusing-client.js'
import { StatusFeed } from './status.js'
import { Store } from './store.js'

/** A part that sends changes. */
export interface Sender {
  /** Returns the commands that show what became of the changes that have been sent, and not answered. */
  unanswered(): readonly string[]
  /** Returns whether no change waits to be sent, or for an answer. */
  isSettled(): boolean
  /** Resolves when no change waits for an answer. */
  settled(): Promise<void>
  /** Returns what the user has decided and is not sent yet: `the decision on approval 7`. */
  unsent?(): readonly string[]
  /** Drops it, and says why. */
  dropUnsent?(why: string): void
}

/**
 * The daemon as all screens see it: one stream of events, the facts of the header, the changes the user makes, and
 * the feeds, each of which exists once.
 */
export class LiveDaemon {
  readonly access: DaemonAccess
  readonly connection: Connection
  readonly changes: Changes
  readonly status: StatusFeed
  readonly bell: Bell
  /** What was refused, dropped, or is in doubt of the user's changes, oldest first: `Close: refused. …`. */
  readonly failures: string[] = []
  readonly #parts = new Map<unknown, unknown>()
  readonly #senders: Sender[]
  #releases: (() => void)[] = []
  #suspensions = 0

  constructor(access: DaemonAccess) {
    this.access = neverThrowing(access)
    this.connection = new Connection(this.access, () => this.#readKey())
    this.changes = new Changes(this.access, () => this.refusal(), this.failures)
    this.status = new StatusFeed(this)
    this.bell = new Bell((text) => this.changes.say(text))
    this.#senders = [this.changes]
  }

  start(): void {
    this.connection.start()
    this.#releases = [this.status.hold()]
  }

  /** Drops what is not sent yet, because the program ends. @returns it */
  dropAtEnd(): readonly string[] {
    const unsent = this.unsent()
    this.#dropUnsent('not sent. The program ends.')
    return unsent
  }

  stop(): void {
    this.dropAtEnd()
    for (const release of this.#releases) release()
    this.connection.stop()
  }

  /** Until the program continues nobody looks at the screen: what the user decided would be sent long after that. */
  suspended(): void {
    this.#suspensions += 1
    this.#dropUnsent('not sent. The program was suspended: decide again.')
  }

  /** How often the program was suspended. */
  get suspensions(): number {
    return this.#suspensions
  }

  #dropUnsent(why: string): void {
    for (const sender of this.#senders) sender.dropUnsent?.(why)
  }

  /** Returns the one object of a class, which it makes at the first call. */
  part<Part>(make: new (daemon: LiveDaemon) => Part): Part {
    const made = this.#parts.get(make)
    if (made instanceof make) return made
    const part = new make(this)
    this.#parts.set(make, part)
    return part
  }

  /** Who listens for the new connection needs the key of its session. */
  async #readKey(): Promise<void> {
    const problem = await this.access.readKey?.()
    if (problem !== undefined) this.changes.say(problem)
  }

  /** Adds a part that sends changes by itself: the program waits for its answers before it ends. */
  addSender(sender: Sender): void {
    this.#senders.push(sender)
  }

  /** Returns the commands that show what became of the changes that have been sent, and not answered. */
  unanswered(): readonly string[] {
    return this.#senders.flatMap((sender) => sender.unanswered())
  }

  /** Returns what the user has decided and is not sent yet. */
  unsent(): readonly string[] {
    return this.#senders.flatMap((sender) => sender.unsent?.() ?? [])
  }

  /** Resolves when no change waits to be sent, or for an answer, also of those that are made meanwhile. */
  async settled(): Promise<void> {
    const isSettled = (sender: Sender) => sender.isSettled()
    while (!this.#senders.every(isSettled)) await Promise.all(this.#senders.map((sender) => sender.settled()))
  }

  /** Shows an error that nothing else handled: no error of a key, a timer or a feed ends the program. */
  readonly fault = (thrown: unknown): void =>
    this.changes.say(`The program met an error: ${messageOf(thrown)}`)

  /** Returns a client for reads: one that takes longer than 10 seconds counts as a lost connection. */
  reader(): SvcClient {
    return this.access.client(READ_LIMIT_MS)
  }

  /** Returns why no change may be sent now; undefined if one may. */
  refusal(): string | undefined {
    return refusalIn(this.connection.state.get())
  }

  /** Returns the modes and the broker as they are now. @throws Error when the daemon does not answer */
  async accountNow(): Promise<Account> {
    return readAccount(this.reader())
  }
}

/** A change that is made while the daemon is away would be sent later, into another market. */
function refusalIn({ kind }: ConnectionState): string | undefined {
  if (kind === 'lost') return 'not sent. The daemon is not connected.'
  return kind === 'signed_out' ? 'not sent. Nobody is signed in.' : undefined
}

/** Rings the terminal's bell, unless the user has muted it. */
class Bell {
  readonly isMuted = new Store(false)
  readonly #say: (message: string) => void
  #ring: () => void = () => undefined

  constructor(say: (message: string) => void) {
    this.#say = say
  }

  /** Names the way to ring: only the owner of the terminal can. */
  connect(ring: () => void): void {
    this.#ring = ring
  }

  ring(): void {
    if (!this.isMuted.get()) this.#ring()
  }

  toggle(): void {
    this.isMuted.set(!this.isMuted.get())
    this.#say(this.isMuted.get() ? 'The bell is muted.' : 'The bell rings for each new order.')
  }
}
