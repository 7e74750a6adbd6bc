import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../../bin/svc', import.meta.url))

export const USERNAME = 'asha'
export const PASSWORD = 'Passw0rd!'

export interface Reply<T = Record<string, unknown>> {
  status: number
  headers: Headers
  body: T & { status?: string; message?: string }
}

export interface StartOptions {
  env?: Record<string, string>
  /** Does not wait for readiness (a start that is expected to fail). */
  expectFailure?: boolean
}

/** Limits that would only slow a test down. */
const WIDE_OPEN = {
  ORDER_RATE_LIMIT: '1000000 per second',
  API_RATE_LIMIT: '1000000 per second',
  LOGIN_RATE_LIMIT_MIN: '1000 per minute',
  LOGIN_RATE_LIMIT_HOUR: '10000 per hour',
}

/**
 * The real daemon as a child process, started by the real command, on a home of its own. It can be killed and
 * started again on the same home, which is what most of these tests are about.
 */
export class DaemonProcess {
  readonly home: string
  url = ''
  apikey = ''
  token = ''
  output = ''
  #child: ChildProcess | undefined
  #exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }> | undefined

  constructor(home = mkdtempSync(join(tmpdir(), 'svc-e2e-'))) {
    this.home = home
  }

  /** A daemon with its first user set up and signed in, ready for orders. */
  static async ready(options: StartOptions = {}): Promise<DaemonProcess> {
    const daemon = new DaemonProcess()
    useTemplate(daemon.home)
    await daemon.start(options)
    await daemon.signUp()
    return daemon
  }

  async start({ env = {}, expectFailure = false }: StartOptions = {}): Promise<void> {
    rmSync(join(this.home, 'daemon.json'), { force: true })
    this.output = ''
    const child = spawn(process.execPath, [BIN, 'up', '--home', this.home, '--port', '0', '--ws-port', '0'], {
      env: { PATH: process.env.PATH, HOME: this.home, ...WIDE_OPEN, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        this.output = (this.output + String(chunk)).slice(-100_000)
      })
    }
    this.#exit = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
    })
    if (expectFailure) return
    let ended = false
    void this.#exit.then(() => {
      ended = true
    })
    const facts = join(this.home, 'daemon.json')
    await eventually(() => ended || existsSync(facts), 30_000)
    if (ended) throw new Error(`the daemon did not start:\n${this.output}`)
    this.url = (JSON.parse(readFileSync(facts, 'utf8')) as { url: string }).url
    keepTemplate(this.home)
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** SIGKILL: no goodbye. Resolves when the process is gone. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#exit
  }

  /** A signal, and the exit that follows. */
  async signal(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.#child?.kill(signal)
    return this.exited()
  }

  async exited(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return (await this.#exit) ?? { code: null, signal: null }
  }

  /** Ends the process and removes its home. */
  async dispose(): Promise<void> {
    await this.kill()
    rmSync(this.home, { recursive: true, force: true })
  }

  async signUp(): Promise<void> {
    const account = { username: USERNAME, email: 'asha@example.org', password: PASSWORD }
    const { body } = await this.request<{ apikey: string }>('POST', '/setup', account)
    this.apikey = body.apikey
    await this.signIn()
  }

  async signIn(): Promise<void> {
    const credentials = { username: USERNAME, password: PASSWORD }
    this.token = (await this.request<{ token: string }>('POST', '/auth/login', credentials)).body.token
  }

  /** A session request; signed in once {@link signIn} has happened. */
  async request<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply<T>> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(this.token && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Reply<T>['body'],
    }
  }

  /** A call of `/api/v1` with the user's key. */
  api<T = Record<string, unknown>>(
    name: string,
    fields: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<Reply<T>> {
    return this.request<T>('POST', `/api/v1/${name}`, { apikey: this.apikey, ...fields }, headers)
  }

  /** A market order for ten shares, unless told otherwise. */
  place(fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
    return this.api<{ orderid?: string; pending_order_id?: number; order_ref?: string }>(
      'placeorder',
      {
        strategy: 'e2e',
        symbol: 'SBIN',
        exchange: 'NSE',
        action: 'BUY',
        quantity: 10,
        product: 'CNC',
        ...fields,
      },
      headers,
    )
  }

  analyze(on: boolean) {
    return this.request('POST', `/settings/analyze-mode/${on ? 1 : 0}`)
  }

  orderMode(mode: 'auto' | 'semi_auto') {
    return this.request('POST', '/apikey/mode', { user_id: USERNAME, mode })
  }
}

/** Waits until something is so, looking often; fails loudly when it never is. */
export async function eventually(isSo: () => boolean | Promise<boolean>, limitMs = 15_000): Promise<void> {
  const until = Date.now() + limitMs
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error(`not within ${limitMs} ms: ${isSo}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/**
 * The first start generates the instrument master, which takes a second or two. One home per test run is kept as
 * it is after that, without users, and copied for the tests that follow.
 */
const TEMPLATE = join(tmpdir(), `svc-e2e-template-${process.ppid}`)

function useTemplate(home: string): void {
  if (existsSync(join(TEMPLATE, 'complete'))) cpSync(TEMPLATE, home, { recursive: true })
}

function keepTemplate(home: string): void {
  if (existsSync(TEMPLATE)) return
  mkdirSync(TEMPLATE, { mode: 0o700 })
  for (const name of ['config.env', 'svc.db', 'svc.db-wal', 'svc.db-instruments']) {
    if (existsSync(join(home, name))) cpSync(join(home, name), join(TEMPLATE, name))
  }
  cpSync(join(home, 'config.env'), join(TEMPLATE, 'complete'))
}
