import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * Requests over some connections. Each connection sends its next request after the answer to the last one.
 */
export interface Load {
  port: number
  path: string
  /** The bodies, sent in turn. */
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

/** The process that plays the clients. It stays alive for the whole run. */
export class LoadClient {
  readonly #process: ChildProcess

  constructor() {
    this.#process = fork(CLIENT, { execArgv: ['--import', 'tsx'] })
  }

  /** @throws Error when a request fails or its answer has a status other than 200 */
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
