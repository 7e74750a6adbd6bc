import { Changes } from './changes.js'

/** What all who wait for a flush wait for. */
interface Settlement {
  promise: Promise<void>
  resolve: () => void
  reject: (error: unknown) => void
}

/** Changes on their way to the disk, and what is told to whom waits for them, once anybody does. */
interface Flush {
  changes: Changes
  settlement: Settlement | undefined
}

export interface PersisterPorts {
  /** Runs one transaction; `take` hands over what to write when the transaction begins. */
  write: (take: () => Changes) => Promise<void>
  /** Called after the commit, before anyone is answered. */
  committed: (changes: Changes) => void
  /** Called when a flush failed, before anyone is told: what is in memory is not what is on disk. */
  failed: (error: unknown) => void
}

/**
 * Makes decisions durable. Everything decided while one flush is on its way goes into the next one, in one
 * transaction: a decision is on disk whole or not at all, and sixty-four concurrent orders cost one commit.
 * When a flush fails, everything decided since falls with it, because it was decided on a state that never was.
 */
export class Persister {
  readonly #ports: PersisterPorts
  #next: Flush = newFlush()
  /** On its way to the disk; undefined between flushes. */
  #running: Flush | undefined
  #active = false

  constructor(ports: PersisterPorts) {
    this.#ports = ports
  }

  /** Where the decision being taken records what it changes. */
  get changes(): Changes {
    return this.#next.changes
  }

  /** Resolves when everything decided until now is durable; rejects with the storage error when it never will be. */
  settled(): Promise<void> {
    const pending = !this.#next.changes.isEmpty
    const flush = pending ? this.#next : this.#running
    if (!flush) return Promise.resolve()
    flush.settlement ??= settlement()
    if (!this.#active) void this.#run()
    return flush.settlement.promise
  }

  /** Gives up what is not yet being written. */
  abandon(error: unknown): void {
    const doomed = this.#next
    this.#next = newFlush()
    doomed.settlement?.reject(error)
  }

  /** Resolves when no flush is on its way any more, whatever became of it. */
  async idle(): Promise<void> {
    while (this.#running || !this.#next.changes.isEmpty) await this.settled().catch(() => undefined)
  }

  async #run(): Promise<void> {
    this.#active = true
    while (!this.#next.changes.isEmpty) await this.#flush()
    this.#active = false
  }

  async #flush(): Promise<void> {
    const taken: Flush[] = []
    try {
      // Until the transaction begins, decisions still join it.
      await this.#ports.write(() => {
        const flush = this.#next
        this.#next = newFlush()
        this.#running = flush
        taken.push(flush)
        return flush.changes
      })
    } catch (error) {
      this.#running = undefined
      this.#ports.failed(error)
      for (const flush of taken) flush.settlement?.reject(error)
      this.abandon(error)
      return
    }
    this.#running = undefined
    for (const flush of taken) {
      this.#ports.committed(flush.changes)
      flush.settlement?.resolve()
    }
  }
}

function newFlush(): Flush {
  return { changes: new Changes(), settlement: undefined }
}

function settlement(): Settlement {
  let resolve: Settlement['resolve'] = () => undefined
  let reject: Settlement['reject'] = () => undefined
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
