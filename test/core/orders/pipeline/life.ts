import { ServiceError } from '../../../../src/core/errors/index.js'
import type { Database } from '../../../../src/core/storage/index.js'

const NEVER = new Promise<never>(() => undefined)

/**
 * One life of the service, from a start to a crash. It counts the steps that change something: each transaction, before and
 * after its commit, and each call to the broker, before it arrives and after. At the last step the process is gone: nothing
 * of it ever returns.
 */
export class Life {
  readonly ended: Promise<void>
  #end: () => void = () => undefined
  #left = Number.POSITIVE_INFINITY
  #writesLeft = Number.POSITIVE_INFINITY
  #isOver = false

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Ends this life after so many more steps. */
  endAfter(steps: number): void {
    this.#left = steps
  }

  /** Lets the disk refuse one write, after so many more. */
  refuseAfter(writes: number): void {
    this.#writesLeft = writes
  }

  /** Keeps the life as long as it can be, on a disk that works. */
  spare(): void {
    this.#left = Number.POSITIVE_INFINITY
    this.#writesLeft = Number.POSITIVE_INFINITY
  }

  /** Ends it now, as the end of the process does. */
  end(): void {
    this.#isOver = true
    this.#end()
  }

  /** @throws ServiceError when the disk refuses this write */
  requireSpace(): void {
    this.#writesLeft -= 1
    if (this.#writesLeft === 0) throw new ServiceError('storage_full', 'The disk is full.')
  }

  async step(): Promise<void> {
    this.#left -= 1
    if (this.#left <= 0 && !this.#isOver) this.end()
    if (this.#isOver) await NEVER
  }
}

/** Returns a database as one life of the service sees it. */
export function databaseIn(life: Life, db: Database): Database {
  const stepping =
    <Args extends unknown[], T>(write: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      await life.step()
      life.requireSpace()
      const result = await write(...args)
      await life.step()
      return result
    }
  const own: Record<string | symbol, unknown> = {
    write: stepping((...args: Parameters<Database['write']>) => db.write(...args)),
    batch: stepping((...args: Parameters<Database['batch']>) => db.batch(...args)),
    script: stepping((...args: Parameters<Database['script']>) => db.script(...args)),
  }
  return new Proxy(db, {
    get(target, name) {
      const stepped = own[name]
      if (stepped !== undefined) return stepped
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
