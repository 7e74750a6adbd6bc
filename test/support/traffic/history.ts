import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The outcome of an operation for its client. `ok`: acknowledged. `fail`: refused, so it must not have
 * happened. `info`: unknown (the connection broke, or the answer was "not known"), so it may have happened or
 * not.
 */
export type Outcome = 'ok' | 'fail' | 'info'

export interface Operation {
  /**
   * Unique. It travels with the request (as an order's strategy), so that a test can trace an order back to
   * it.
   */
  readonly id: string
  readonly client: number
  /** The idempotency key, when the request had one: operations of one key are one order. */
  readonly key?: string
  readonly invokedAt: number
  outcome?: Outcome
  endedAt?: number
  /** The order id of an acknowledged operation. */
  orderId?: string
  /** The answer, for the reader of the history. */
  answer?: string
}

/** The requests of all clients and their outcomes, in the order of the requests: the input of the checker. */
export class History {
  readonly operations: Operation[] = []

  invoke(operation: Pick<Operation, 'id' | 'client' | 'key'>): Operation {
    const started: Operation = { ...operation, invokedAt: Date.now() }
    this.operations.push(started)
    return started
  }

  end(operation: Operation, outcome: Outcome, detail: Pick<Operation, 'orderId' | 'answer'> = {}): void {
    Object.assign(operation, detail, { outcome, endedAt: Date.now() })
  }

  count(outcome: Outcome): number {
    return this.operations.filter((operation) => operation.outcome === outcome).length
  }

  /** Writes the history as JSON lines. @returns the file */
  save(name: string): string {
    const file = join(tmpdir(), `${name}.jsonl`)
    writeFileSync(file, this.operations.map((operation) => `${JSON.stringify(operation)}\n`).join(''))
    return file
  }
}
