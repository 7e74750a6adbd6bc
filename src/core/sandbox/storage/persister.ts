import { Changes } from './changes.js'

/** The promise that every waiter of one flush shares. */
interface Settlement {
  promise: Promise<void>
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * A set of changes on its way to the disk, with the promise of its waiters, created when the first one waits.
 */
interface Flush {
  changes: Changes
  settlement: Settlement | undefined
}

interface PersisterPorts {
  /** Runs one transaction; `take` returns the changes to write when the transaction begins. */
  write: (take: () => Changes) => Promise<void>
  /** Called after the commit, before any waiter is answered. */
  committed: (changes: Changes) => void
  /** Called when a flush failed, before any waiter is answered: memory and disk now differ. */
  failed: (error: unknown) => void
}

/**
 * Makes decisions durable. Decisions made during one flush go into the next one, in one transaction: a
 * decision is on disk completely or not at all, and sixty-four concurrent orders cost one commit. When a
 * flush fails, all later decisions fail with it, because they were made on a state that was never stored.
 */
export class Persister {
  readonly #ports: PersisterPorts
  #next: Flush = newFlush()
  /** The flush in progress; undefined between flushes. */
  #running: Flush | undefined
  #active = false

  constructor(ports: PersisterPorts) {
    this.#ports = ports
  }

  /** The record that the current decision writes its changes to. */
  get changes(): Changes {
    return this.#next.changes
  }

  /**
   * Resolves when every decision until now is durable; rejects with the storage error when one never will be.
   */
  settled(): Promise<void> {
    const pending = !this.#next.changes.isEmpty
    const flush = pending ? this.#next : this.#running
    if (!flush) return Promise.resolve()
    flush.settlement ??= settlement()
    if (!this.#active) void this.#run()
    return flush.settlement.promise
  }

  /** Drops the changes that are not being written yet, with this error. */
  abandon(error: unknown): void {
    const doomed = this.#next
    this.#next = newFlush()
    doomed.settlement?.reject(error)
  }

  /** Resolves when no flush is in progress, whatever its outcome. */
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
      // Decisions still join this flush until its transaction begins.
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
