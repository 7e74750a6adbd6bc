import type { Hono } from 'hono'
import type { LedgerEntry } from '../../../src/core/brokers/simulated/index.js'
import type { Topic } from '../../../src/core/events/index.js'
import type { JournalRow } from '../../../src/core/orders/index.js'
import { createApp } from '../../../src/daemon/app.js'
import { Daemon } from '../../../src/daemon/daemon.js'
import type { AppEnv } from '../../../src/daemon/process/env.js'
import { type DeskOptions, TestDesk, USER } from '../../support/desk/desk.js'

export type Mode = 'live' | 'analyze' | 'semi_auto' | 'semi_auto_analyze'

export interface Reply {
  status: number
  code: string | null
  orderRef: string | null
  body: Record<string, unknown>
}

/**
 * High limits, because low ones would only slow tests down. The pause between the parts of a split is 0.1 s.
 */
const ENV = {
  ORDER_RATE_LIMIT: '10 per second',
  SMART_ORDER_RATE_LIMIT: '1000000 per second',
  API_RATE_LIMIT: '1000000 per second',
}

/** The HTTP surface over a complete service, in one of its modes. */
export class ApiRig {
  private constructor(
    readonly desk: TestDesk,
    readonly app: Hono<AppEnv>,
    readonly apikey: string,
  ) {}

  static async open(mode: Mode = 'live', options: DeskOptions = {}): Promise<ApiRig> {
    const desk = await TestDesk.open({ ...options, env: { ...ENV, ...options.env } })
    const daemon = new Daemon(desk.service)
    daemon.setReady(true)
    const { apiKeys } = desk.service.identity
    const apikey = apiKeys.reveal(USER) ?? (await apiKeys.rotate(USER)).apiKey
    const rig = new ApiRig(desk, createApp(daemon), apikey)
    await rig.switchTo(mode)
    return rig
  }

  async switchTo(mode: Mode): Promise<void> {
    const { identity, sandbox, settings } = this.desk.service
    const analyze = mode.endsWith('analyze')
    if (analyze) await sandbox.start()
    await settings.setAnalyzeMode(analyze)
    await identity.apiKeys.setOrderMode(USER, mode.startsWith('semi_auto') ? 'semi_auto' : 'auto')
  }

  /** Posts to `/api/v1` and advances the clock while the answer waits for it. */
  async post(path: string, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
    return this.settled(this.send(path, { apikey: this.apikey, ...body }, headers))
  }

  send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.sendText(path, JSON.stringify(body), headers)
  }

  /** Posts a body unchanged, without adding a key. */
  async sendText(path: string, body: string, headers: Record<string, string> = {}): Promise<Reply> {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
    // This request has no socket and so no client address.
    const response = await this.app.request(`/api/v1/${path}`, init, {})
    return {
      status: response.status,
      code: response.headers.get('x-svc-code'),
      orderRef: response.headers.get('x-order-ref'),
      body: (await response.json()) as Record<string, unknown>,
    }
  }

  settled<T>(promise: Promise<T>): Promise<T> {
    return this.desk.settled(promise)
  }

  ledger(): Promise<LedgerEntry[]> {
    return this.desk.ledger()
  }

  async journal(): Promise<JournalRow[]> {
    return (await this.desk.service.journal.list(USER, 1000)).reverse()
  }

  /** The kinds of request in the order log and the analyzer log, oldest first. */
  async logs(): Promise<{ orders: string[]; analyzer: string[] }> {
    const { bus, orderLogs } = this.desk.service
    await bus.idle()
    const kinds = async (mode: 'live' | 'analyze') =>
      (await orderLogs.list(mode, { limit: 100 })).map(({ apiType }) => apiType).reverse()
    return { orders: await kinds('live'), analyzer: await kinds('analyze') }
  }

  /**
   * Returns the topics published since the last call, without those that the engines publish on their own.
   */
  async topics(): Promise<Topic[]> {
    await this.desk.service.bus.idle()
    const topics = this.desk.events.map(({ topic }) => topic)
    this.desk.events.length = 0
    return topics.filter((topic) => topic !== 'order.update' && !topic.startsWith('sandbox.'))
  }
}

/** A MARKET order for ten shares of SBIN. */
export const ORDER = { strategy: 't', exchange: 'NSE', symbol: 'SBIN', action: 'BUY', quantity: 10 }
/** A limit far below the market, so that the order waits. */
export const RESTING = { ...ORDER, pricetype: 'LIMIT', price: 700 }
