import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LedgerEntry } from '../../fixtures/fake-broker/ledger.js'
import { eventually } from '../eventually.js'
import { type Child, startChild } from './children.js'
import { DaemonProcess, type Env } from './daemon-process.js'
import type { FakeBroker } from './fake-brokers.js'

/**
 * The environment variable with the folder of the programs of the fake brokers, which the global setup builds: from its
 * sources a fake starts several times more slowly.
 */
export const FAKE_BROKERS_VARIABLE = 'SVC_FAKE_BROKERS'

interface BrokerState {
  data: { session: { state: string }; instruments: { broker: string | null } }
}

const SIGNED_IN: ReadonlySet<string> = new Set(['signed_in', 'expires_soon'])

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

  /** Selects this broker in the daemon and signs in. */
  async connect(daemon: DaemonProcess): Promise<void> {
    const { id, fields } = this.#broker
    await must(daemon.request('POST', '/broker/use', { broker: id }))
    await must(daemon.request('POST', '/broker/login', { fields }))
    await this.serves(daemon)
  }

  /** Starts a daemon again that was signed in, and waits for its session: a start does not wait for a slow broker. */
  async resume(daemon: DaemonProcess): Promise<void> {
    await daemon.start()
    await this.serves(daemon)
  }

  /**
   * Waits for the session and for the instruments of this broker. They come after a sign-in if others are loading at that time:
   * after midnight in India, those of a home of the day before.
   */
  serves(daemon: DaemonProcess): Promise<void> {
    const { id } = this.#broker
    return eventually(async () => {
      const { body } = await daemon.request<BrokerState>('GET', '/broker/status')
      const { instruments, session } = body.data
      return instruments.broker === id && SIGNED_IN.has(session.state)
    }, `the daemon is signed in to ${id} and has its instruments`)
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

  /** Lets the answers go that are `held`. */
  release(): Promise<unknown> {
    return this.control('POST', '_release')
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
