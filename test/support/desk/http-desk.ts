import type { Hono } from 'hono'
import { onTestFinished } from 'vitest'
import type { Scope } from '../../../src/core/identity/index.js'
import { createApp } from '../../../src/daemon/app.js'
import { Daemon } from '../../../src/daemon/daemon.js'
import { createHttpServer, listen } from '../../../src/daemon/http/http-server.js'
import type { AppEnv } from '../../../src/daemon/process/env.js'
import { marketSocketsOf } from '../../../src/daemon/process/listening-ports.js'
import { EventSockets } from '../../../src/daemon/stream/event-socket.js'
import { type DeskOptions, TestDesk, USER } from './desk.js'

export const PASSWORD = 'Passw0rd!'

/**
 * Limits high enough for tests: other tests check the limits, and with a virtual clock they would never end.
 */
const WIDE_OPEN = {
  ORDER_RATE_LIMIT: '1000000 per second',
  API_RATE_LIMIT: '1000000 per second',
  LOGIN_RATE_LIMIT_MIN: '100000 per minute',
  LOGIN_RATE_LIMIT_HOUR: '100000 per hour',
  RESET_RATE_LIMIT: '100000 per hour',
  STRATEGY_RATE_LIMIT: '1000000 per second',
  // The process is that of many tests, not of a daemon.
  HEALTH_MEMORY_CRITICAL_THRESHOLD: '1000000',
  HEALTH_FD_CRITICAL_THRESHOLD: '1000000',
  HEALTH_THREAD_CRITICAL_THRESHOLD: '100000',
}

export interface Call {
  body?: unknown
  /** Sent unchanged instead of `body`. */
  text?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
}

export interface Reply {
  status: number
  code: string | null
  headers: Headers
  text: string
  body: Record<string, unknown>
}

/** The whole daemon in this process: a desk, its routes, and on demand a server with its streams. */
export class HttpDesk {
  private constructor(
    readonly desk: TestDesk,
    readonly daemon: Daemon,
    readonly app: Hono<AppEnv>,
    readonly apikey: string,
  ) {}

  static async open(options: DeskOptions = {}): Promise<HttpDesk> {
    const desk = await TestDesk.open({ ...options, env: { ...WIDE_OPEN, ...options.env } })
    const daemon = new Daemon(desk.service)
    daemon.setReady(true)
    const apikey = desk.service.identity.apiKeys.reveal(USER) ?? ''
    return new HttpDesk(desk, daemon, createApp(daemon), apikey)
  }

  async request(method: string, path: string, call: Call = {}): Promise<Reply> {
    const body = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
    const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...call.headers }
    const init = { method, headers, ...(body !== undefined && { body }) }
    const response = await this.app.request(path, init, {})
    const text = await response.text()
    return {
      status: response.status,
      code: response.headers.get('x-svc-code'),
      headers: response.headers,
      text,
      body: text.startsWith('{') && !isLines(response) ? JSON.parse(text) : {},
    }
  }

  /** Returns the token of a new session. */
  async signIn(password = PASSWORD): Promise<string> {
    const { body } = await this.request('POST', '/auth/login', {
      body: { username: USER, password },
    })
    return String(body.token)
  }

  /** Returns a new personal access token. */
  async tokenOf(...scopes: Scope[]): Promise<string> {
    const name = `${scopes.join(' ') || 'none'} ${Math.random()}`
    return (await this.desk.service.identity.tokens.create(USER, { name, scopes })).token
  }

  /** Serves on a free loopback port until the test ends, or until `close`. */
  async listen() {
    const { identity, stream, clock, config, log } = this.desk.service
    const { strategyRooms: strategies, tickets } = this.daemon
    const sockets = new EventSockets({
      identity,
      stream,
      tickets,
      strategies,
      clock,
      log,
      cookieName: config.SESSION_COOKIE_NAME,
    })
    const prices = marketSocketsOf(this.daemon)
    const server = createHttpServer(this.daemon, this.app, [
      (upgrade) => sockets.upgrade(upgrade),
      (upgrade) => prices.upgrade(upgrade),
    ])
    const port = await listen(server, '127.0.0.1', 0)
    let closed: Promise<void> | undefined
    const end = async () => {
      sockets.close()
      prices.close()
      await this.desk.clock.advance(2000)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
    const close = () => {
      closed ??= end()
      return closed
    }
    onTestFinished(close)
    return { port, server, sockets, close }
  }
}

const isLines = ({ headers }: Response) => headers.get('content-type') === 'application/x-ndjson'

export const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` })
