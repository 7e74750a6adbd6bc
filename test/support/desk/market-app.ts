import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { simulatedMaster } from '../../../src/core/brokers/simulated/index.js'
import { loadConfig } from '../../../src/core/config/index.js'
import type { Instrument } from '../../../src/core/instruments/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import type { VirtualClock } from '../../../src/core/time/index.js'
import { createApp } from '../../../src/daemon/app.js'
import { prepareInstruments } from '../../../src/daemon/broker/instrument-loading.js'
import { Daemon } from '../../../src/daemon/daemon.js'
import type { AppEnv } from '../../../src/daemon/process/env.js'
import { closeService, openService, recover, type Service } from '../../../src/daemon/service.js'
import { FRIDAY_11, USER } from './desk.js'
import { deskClock } from './desk-clock.js'

/** Underlyings of the small master: enough for every kind of contract. */
const ROOTS = new Set(['NIFTY', 'SBIN', 'RELIANCE', 'CRUDEOIL', 'USDINR', 'BTC', 'SENSEX'])
const SYMBOLS = new Set([...ROOTS, 'INFY', 'TCS', 'BTCINR'])

/**
 * Limits high enough for tests; days begin and end as on the exchange, not at midnight as in demonstrations.
 */
const SETTINGS = {
  API_RATE_LIMIT: '100000 per second',
  DATA_RATE_LIMIT: '100000 per second',
  SEARCH_RATE_LIMIT: '100000 per second',
  GREEKS_RATE_LIMIT: '100000 per second',
  SIM_SESSIONS: 'market',
}

const NO_SOCKET = {}

let master: Instrument[] | undefined

function smallMaster(): Instrument[] {
  master ??= [...simulatedMaster({ now: Date.parse(FRIDAY_11) })]
    .flat()
    .filter((row) => SYMBOLS.has(row.symbol) || (row.instrumentType !== 'EQ' && ROOTS.has(row.name)))
  return master
}

export interface Reply {
  status: number
  code: string | null
  type: string
  text: string
  body: Record<string, unknown>
}

/** The whole HTTP surface over a real service on real files, with a small master and a virtual clock. */
export class MarketApp {
  private constructor(
    readonly service: Service,
    readonly clock: VirtualClock,
    readonly apikey: string,
    readonly app: Hono<AppEnv>,
    readonly token: string,
    readonly close: () => Promise<void>,
  ) {}

  static async open(env: Record<string, string> = {}): Promise<MarketApp> {
    const home = mkdtempSync(join(tmpdir(), 'svc-market-'))
    const clock = deskClock(FRIDAY_11)
    const loaded = loadConfig({ home, env: { ...SETTINGS, ...env } })
    const simulated = { master: () => [smallMaster()] }
    const service = await openService({ home, config: loaded.values, clock, log: silentLogger, simulated })
    await prepareInstruments(service)
    await recover(service)
    const password = 'Passw0rd!'
    const { apiKey } = await service.identity.users.setup({
      username: USER,
      email: 'a@example.org',
      password,
    })
    const daemon = new Daemon(service)
    daemon.setReady(true)
    const app = createApp(daemon)
    const login = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: USER, password }),
    }
    const signedIn = await app.request('/auth/login', login, NO_SOCKET)
    const { token } = (await signedIn.json()) as { token: string }
    return new MarketApp(service, clock, apiKey, app, token, async () => {
      await closeService(service)
      rmSync(home, { recursive: true, force: true })
    })
  }

  /** Sends a POST to `/api/v1`, with the key unless the body has its own. */
  post(path: string, body: unknown): Promise<Reply> {
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
    const keyed = isObject && !Object.hasOwn(body, 'apikey') ? { apikey: this.apikey, ...body } : body
    return this.#send(`/api/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(keyed),
    })
  }

  /** Sends a GET to `/api/v1` with the key as a parameter. */
  get(path: string, query: Record<string, string> = {}): Promise<Reply> {
    const parameters = new URLSearchParams({ apikey: this.apikey, ...query })
    return this.#send(`/api/v1/${path}?${parameters}`, {})
  }

  /** Sends a GET to a session route. */
  session(path: string, token: string | undefined = this.token): Promise<Reply> {
    return this.#send(path, { headers: token ? { authorization: `Bearer ${token}` } : {} })
  }

  /** Returns the response itself. There is no socket: every caller has the loopback address. */
  async raw(path: string, init: RequestInit = {}): Promise<Response> {
    return this.app.request(path, init, NO_SOCKET)
  }

  async #send(path: string, init: RequestInit): Promise<Reply> {
    const response = await this.raw(path, init)
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    const body = type.startsWith('application/json') ? JSON.parse(text) : {}
    return { status: response.status, code: response.headers.get('X-Svc-Code'), type, text, body }
  }
}
