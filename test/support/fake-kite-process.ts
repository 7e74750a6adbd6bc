import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { LedgerEntry } from '../fixtures/fake-kite/ledger.js'
import { FAKE_ACCOUNT } from '../fixtures/fake-kite/server.js'
import { type Child, startChild } from './children.js'
import { DaemonProcess, type Env } from './daemon-process.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MAIN = 'test/fixtures/fake-kite/main.ts'

export type Placed = LedgerEntry & { event: 'placed' }

/**
 * The fake broker as a process of its own: it outlives every kill of the daemon, and what its ledger says it did
 * is what really happened.
 */
export class FakeKiteProcess {
  readonly port: number
  readonly #child: Child
  readonly #folder: string

  private constructor(port: number, child: Child, folder: string) {
    this.port = port
    this.#child = child
    this.#folder = folder
  }

  static async start(): Promise<FakeKiteProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-fake-kite-'))
    const args = [
      '--import',
      'tsx',
      join(ROOT, MAIN),
      '--port',
      '0',
      '--ledger',
      join(folder, 'ledger.jsonl'),
    ]
    const child = startChild(process.execPath, args)
    const { stdout } = child.process
    if (!stdout) throw new Error('no output to read the port from')
    for await (const line of createInterface({ input: stdout })) {
      const { port }: { port: number } = JSON.parse(line)
      return new FakeKiteProcess(port, child, folder)
    }
    throw new Error('the fake broker did not start')
  }

  /** What makes a daemon talk to this broker instead of the real one. */
  get env(): Env {
    const at = `127.0.0.1:${this.port}`
    return { BROKER_ENDPOINTS: `zerodha.api=http://${at},zerodha.ticker=ws://${at}` }
  }

  /** A running daemon that trades live through this broker. */
  async desk(env: Env = {}): Promise<DaemonProcess> {
    const daemon = await DaemonProcess.ready({ ...this.env, ...env })
    await this.connect(daemon)
    return daemon
  }

  /** Makes it the daemon's broker, signs in, and sees that its instruments have come with that. */
  async connect(daemon: DaemonProcess): Promise<void> {
    await must(daemon.request('POST', '/broker/use', { broker: 'zerodha' }))
    const { apiKey, accessToken } = FAKE_ACCOUNT
    const fields = { api_key: apiKey, access_token: accessToken }
    await must(daemon.request('POST', '/broker/login', { fields }))
    const { body } = await daemon.request<{ data: { instruments: { broker: string } } }>(
      'GET',
      '/broker/status',
    )
    const { broker } = body.data.instruments
    if (broker !== 'zerodha') throw new Error(`the instruments are those of ${broker}`)
  }

  /** The next calls of a route, see test/fixtures/fake-kite/script.ts; afterwards it answers again. */
  script(route: string, ...actions: string[]): Promise<unknown> {
    return this.control('POST', '_script', { route, actions })
  }

  /** Every call of a route, by chance. */
  chances(route: string, probabilities: Record<string, number>, seed: number): Promise<unknown> {
    return this.control('POST', '_script', { route, probabilities, seed })
  }

  /** Forgets every script. */
  reset(): Promise<unknown> {
    return this.control('POST', '_reset')
  }

  /** Orders wait this long in each state, so that no update tells of them before the test wants it. */
  holdBack(stepMs: number): Promise<unknown> {
    return this.control('POST', '_progress', { stepMs })
  }

  /** Every order the broker accepted, oldest first. */
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
