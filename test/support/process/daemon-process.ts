import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HOUR_MS, istTime } from '../../../src/core/time/index.js'
import { eventually } from '../eventually.js'
import { type Child, type Exit, startChild } from './children.js'
import { todaysTemplate } from './todays-template.js'

/** The command, as a user starts it. */
export const SVC = fileURLToPath(new URL('../../../bin/svc', import.meta.url))

export const USERNAME = 'asha'
export const PASSWORD = 'Passw0rd!'
const ACCOUNT = { username: USERNAME, email: 'asha@example.org', password: PASSWORD }

export interface Reply<T = Record<string, unknown>> {
  status: number
  headers: Headers
  /** The kind of refusal (`X-Svc-Code`), null for a success. */
  code: string | null
  /** The exact text of the body. */
  text: string
  body: T & { status?: string; message?: string }
}

export type Env = Record<string, string>

export interface StartOptions {
  /** Applies to this start only and overrides the daemon's own environment. */
  env?: Env
  /** Does not wait for readiness (a start that is expected to fail). */
  expectFailure?: boolean
  /** The port that a client already knows; by default any free port. */
  port?: number
  /** Keeps the files that another daemon, which runs in the same home, has written about itself. */
  beside?: boolean
  /** Closes the reading end of its standard output at the start. */
  deaf?: boolean
}

/** Limits high enough not to slow a test down. */
const WIDE_OPEN: Env = {
  ORDER_RATE_LIMIT: '1000000 per second',
  API_RATE_LIMIT: '1000000 per second',
  DATA_RATE_LIMIT: '1000000 per second',
  SEARCH_RATE_LIMIT: '1000000 per second',
  GREEKS_RATE_LIMIT: '1000000 per second',
  SMART_ORDER_RATE_LIMIT: '1000000 per second',
  LOGIN_RATE_LIMIT_MIN: '1000 per minute',
  LOGIN_RATE_LIMIT_HOUR: '10000 per hour',
  // The session of the template is as old as the run.
  REAUTH_MINUTES: '1440',
}

/**
 * Returns a time of day at which no session ends during a test. A run that crosses 03:00 in India, the default,
 * would otherwise be signed out.
 */
function farTimeOfDay(): Env {
  const later = Date.now() + 12 * HOUR_MS
  return { SESSION_EXPIRY_TIME: istTime(later).slice(0, 5) }
}

/** Ends a wait for an answer that never comes, as `eventually` does. */
const REQUEST_LIMIT_MS = 120_000
const OUTPUT_KEPT = 100_000

/**
 * The real daemon as a child process, started by the real command, with its own home. Most of its tests kill
 * it and start it again on the same home.
 */
export class DaemonProcess {
  readonly home: string
  readonly env: Env
  url = ''
  apikey = ''
  token = ''
  output = ''
  #child: Child | undefined

  /** `env` applies to every start. */
  constructor({ home = mkdtempSync(join(tmpdir(), 'svc-e2e-')), env = {} as Env } = {}) {
    this.home = home
    this.env = env
  }

  /** Returns a running daemon with its first user set up and signed in, ready for orders. */
  static async ready(env: Env = {}): Promise<DaemonProcess> {
    const daemon = DaemonProcess.prepared(env)
    await daemon.start()
    return daemon
  }

  /** Returns the same daemon before its start. */
  static prepared(env: Env = {}, home?: string): DaemonProcess {
    const daemon = new DaemonProcess({ env, ...(home !== undefined && { home }) })
    const template = todaysTemplate()
    cpSync(template, daemon.home, { recursive: true })
    const { apikey, token }: Pick<DaemonProcess, 'apikey' | 'token'> = JSON.parse(
      readFileSync(join(template, ACCOUNT_FILE), 'utf8'),
    )
    rmSync(join(daemon.home, ACCOUNT_FILE))
    return Object.assign(daemon, { apikey, token })
  }

  async start({
    env = {},
    expectFailure = false,
    beside = false,
    deaf = false,
    port = 0,
  }: StartOptions = {}): Promise<void> {
    const facts = join(this.home, 'daemon.json')
    if (!beside) rmSync(facts, { force: true })
    this.output = ''
    const args = [SVC, 'up', '--home', this.home, '--port', String(port), '--ws-port', '0']
    const child = startChild(process.execPath, args, {
      HOME: this.home,
      ...WIDE_OPEN,
      ...farTimeOfDay(),
      ...this.env,
      ...env,
    })
    this.#child = child
    for (const stream of [child.process.stdout, child.process.stderr]) {
      stream?.on('data', (chunk) => {
        this.output = (this.output + String(chunk)).slice(-OUTPUT_KEPT)
      })
    }
    if (deaf) child.process.stdout?.destroy()
    if (expectFailure) return
    await eventually(() => !this.running || existsSync(facts), 'the daemon is ready')
    if (!this.running) throw new Error(`the daemon did not start:\n${this.output}`)
    this.url = (JSON.parse(readFileSync(facts, 'utf8')) as { url: string }).url
  }

  /** Kills the daemon (SIGKILL) and starts it again on the same home. */
  async crash(options: StartOptions = {}): Promise<void> {
    await this.kill()
    await this.start(options)
  }

  get running(): boolean {
    const child = this.#child?.process
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  get pid(): number {
    return this.#child?.process.pid ?? 0
  }

  /** Sends SIGKILL. Resolves when the process is gone. */
  async kill(): Promise<void> {
    await this.signal('SIGKILL')
  }

  /** Sends a signal and waits for the exit. */
  async signal(signal: NodeJS.Signals): Promise<Exit> {
    this.#child?.process.kill(signal)
    return this.exited()
  }

  async exited(): Promise<Exit> {
    return (await this.#child?.exited) ?? { code: null, signal: null }
  }

  /** Ends the process and removes its home. */
  async dispose(): Promise<void> {
    await this.kill()
    // A client that the test left running may still write its state into the home.
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }

  async signUp(): Promise<void> {
    this.apikey = (await this.request<{ apikey: string }>('POST', '/setup', ACCOUNT)).body.apikey
    await this.signIn()
  }

  async signIn(): Promise<void> {
    const credentials = { username: USERNAME, password: PASSWORD }
    this.token = (await this.request<{ token: string }>('POST', '/auth/login', credentials)).body.token
  }

  /** Sends a session request; with the session after {@link signIn}. */
  request<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply<T>> {
    return this.send<T>(path, {
      method,
      headers: {
        ...(this.token && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  /** Sends a request exactly as given. */
  async send<T = Record<string, unknown>>(path: string, init: RequestInit = {}): Promise<Reply<T>> {
    const response = await fetch(this.url + path, { ...init, signal: AbortSignal.timeout(REQUEST_LIMIT_MS) })
    const text = await response.text()
    const { status, headers } = response
    return { status, headers, code: headers.get('x-svc-code'), text, body: JSON.parse(text) }
  }

  /** Calls `/api/v1` with the user's key. */
  api<T = Record<string, unknown>>(
    name: string,
    fields: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<Reply<T>> {
    return this.request<T>('POST', `/api/v1/${name}`, { apikey: this.apikey, ...fields }, headers)
  }

  /** Places a market order for ten shares; `fields` may override it. */
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

  /**
   * Returns whole rupees at a share of the last price, which moves from day to day: 0.95 rests below the market, within the price
   * band of the day.
   */
  async priceAt(share: number, symbol = 'SBIN'): Promise<number> {
    const { body } = await this.api<{ data: { ltp: number } }>('quotes', { symbol, exchange: 'NSE' })
    return Math.floor(body.data.ltp * share)
  }

  analyze(on: boolean) {
    return this.request('POST', `/settings/analyze-mode/${on ? 1 : 0}`)
  }

  orderMode(mode: 'auto' | 'semi_auto') {
    return this.request('POST', '/apikey/mode', { user_id: USERNAME, mode })
  }
}

/** The credentials of the template's user, beside the files of the home. */
export const ACCOUNT_FILE = 'account.json'
