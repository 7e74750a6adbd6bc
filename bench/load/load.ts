import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Requests sent by some connections, each one after the answer to its last. */
export interface Load {
  port: number
  path: string
  /** Sent in turn. */
  bodies: readonly unknown[]
  connections: number
  seconds: number
}

export interface Measured {
  requests: number
  perSecond: number
  /** Milliseconds. */
  latencies: { p50: number; p99: number }
}

const CLIENT = fileURLToPath(new URL('./client.ts', import.meta.url))

/** The process that plays the clients, kept for the whole run. */
export class LoadClient {
  readonly #process: ChildProcess

  constructor() {
    this.#process = fork(CLIENT, { execArgv: ['--import', 'tsx'] })
  }

  /** @throws Error when a request failed or was answered with anything but 200 */
  async run(load: Load): Promise<Measured> {
    this.#process.send(load)
    const [{ measured, error }] = (await once(this.#process, 'message')) as [
      { measured?: Measured; error?: string },
    ]
    if (measured) return measured
    throw new Error(`${load.path}: ${error}`)
  }

  close(): void {
    this.#process.kill()
  }
}
