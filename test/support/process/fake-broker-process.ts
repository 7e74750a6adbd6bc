import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LedgerEntry } from '../../fixtures/fake-broker/ledger.js'
import { type Child, startChild } from './children.js'
import { DaemonProcess, type Env } from './daemon-process.js'
import type { FakeBroker } from './fake-brokers.js'

/**
 * The environment variable with the folder of the programs of the fake brokers, which the global setup builds: from its
 * sources a fake starts several times more slowly.
 */
export const FAKE_BROKERS_VARIABLE = 'SVC_FAKE_BROKERS'

export type Placed = LedgerEntry & { event: 'placed' }

/**
 * A fake broker in its own process: it survives every kill of the daemon, so its ledger is the record of
 * what really happened.
 */
export class FakeBrokerProcess {
  readonly port: number
  readonly #broker: FakeBroker
  readonly #child: Child
  readonly #folder: string

  private constructor(broker: FakeBroker, port: number, child: Child, folder: string) {
    this.port = port
    this.#broker = broker
    this.#child = child
    this.#folder = folder
  }

  static async start(broker: FakeBroker): Promise<FakeBrokerProcess> {
    const folder = mkdtempSync(join(tmpdir(), `svc-fake-${broker.id}-`))
    const programs = process.env[FAKE_BROKERS_VARIABLE]
    if (!programs) throw new Error('the e2e tests run under their global setup')
    const program = join(programs, `${broker.id}.mjs`)
    const args = [program, '--port', '0', '--ledger', join(folder, 'ledger.jsonl')]
    const child = startChild(process.execPath, args)
    const { stdout } = child.process
    if (!stdout) throw new Error('no output to read the port from')
    for await (const line of createInterface({ input: stdout })) {
      const { port }: { port: number } = JSON.parse(line)
      return new FakeBrokerProcess(broker, port, child, folder)
    }
    throw new Error('the fake broker did not start')
  }

  /** The environment that makes a daemon use this broker instead of the real one. */
  get env(): Env {
    const endpoints = Object.entries(this.#broker.endpoints(`127.0.0.1:${this.port}`))
    return { BROKER_ENDPOINTS: endpoints.map(([name, address]) => `${name}=${address}`).join(',') }
  }

  /** Returns a running daemon that trades live through this broker. */
  async desk(env: Env = {}): Promise<DaemonProcess> {
    const daemon = await DaemonProcess.ready({ ...this.env, ...env })
    await this.connect(daemon)
    return daemon
  }

  /** Selects this broker in the daemon, signs in, and checks that the sign-in also loaded its instruments. */
  async connect(daemon: DaemonProcess): Promise<void> {
    const { id, fields } = this.#broker
    await must(daemon.request('POST', '/broker/use', { broker: id }))
    await must(daemon.request('POST', '/broker/login', { fields }))
    const { body } = await daemon.request<{ data: { instruments: { broker: string } } }>(
      'GET',
      '/broker/status',
    )
    const { broker } = body.data.instruments
    if (broker !== id) throw new Error(`the instruments are those of ${broker}`)
  }

  /**
   * Scripts the next calls of a route, see test/fixtures/fake-broker/script.ts; afterwards the route answers
   * normally.
   */
  script(route: string, ...actions: string[]): Promise<unknown> {
    return this.control('POST', '_script', { route, actions })
  }

  /** Scripts every call of a route, at random. */
  chances(route: string, probabilities: Record<string, number>, seed: number): Promise<unknown> {
    return this.control('POST', '_script', { route, probabilities, seed })
  }

  /** Removes all scripts. */
  reset(): Promise<unknown> {
    return this.control('POST', '_reset')
  }

  /** Keeps orders in each state for this long, so that no update reports them before the test wants it. */
  holdBack(stepMs: number): Promise<unknown> {
    return this.control('POST', '_progress', { stepMs })
  }

  /** Returns every order that the broker accepted, oldest first. */
  async placed(): Promise<Placed[]> {
    const { data } = await this.control<{ data: LedgerEntry[] }>('GET', '_ledger')
    return data.filter((entry): entry is Placed => entry.event === 'placed')
  }

  async dispose(): Promise<void> {
    this.#child.process.kill('SIGKILL')
    await this.#child.exited
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async control<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.port}/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return (await response.json()) as T
  }
}

async function must(reply: ReturnType<DaemonProcess['request']>): Promise<void> {
  const { status, text } = await reply
  if (status !== 200) throw new Error(`${status} ${text}`)
}
