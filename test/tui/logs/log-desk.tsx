import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { SvcClient } from '../../../src/client/index.js'
import type { EventMode } from '../../../src/core/events/index.js'
import { logs } from '../../../src/tui/logs/screen.js'
import type { Area } from '../../../src/tui/terminal/size.js'
import { orderPlaced } from '../../core/telemetry/fixtures.js'
import { liveDesk } from '../support/live-desk.js'
import { shown, TAB } from '../support/shown.js'

/** An address at which nobody listens. */
const NOBODY = 'http://127.0.0.1:1'

/** A daemon to whose logs a test adds rows. */
export async function logDesk() {
  const desk = await liveDesk()
  const { service, home } = desk.http.desk
  let isDown = false
  const access: DaemonAccess = {
    client: (timeoutMs) =>
      isDown ? new SvcClient({ url: NOBODY, timeoutMs }) : desk.access.client(timeoutMs),
  }
  mkdirSync(join(home, 'log'), { recursive: true })
  return {
    ...desk,
    /** Lets nobody answer from now on. */
    down: () => {
      isDown = true
    },
    request(mode: EventMode, request_data: object, response_data: object = {}) {
      service.orderLogs.record(
        orderPlaced({
          mode,
          request_data: { ...request_data },
          response_data: { status: 'success', ...response_data },
        }),
      )
    },
    traffic(target: string, more: object = {}) {
      const sample = { clientIp: '203.0.113.9', method: 'GET', target, statusCode: 200, durationMs: 1 }
      service.traffic.record({ ...sample, ...more })
    },
    latency(symbol: string, more: object = {}) {
      const sample = { orderType: 'PLACE', end: 'succeeded', symbol, broker: 'zerodha', rttMs: 12 } as const
      service.latency.record({ ...sample, ...more })
    },
    error(error: string, more: object = {}) {
      const line = {
        level: 'error',
        time: '2026-11-20T05:29:00.000Z',
        event: 'request.failed',
        error,
        ...more,
      }
      appendFileSync(join(home, 'log/errors.jsonl'), `${JSON.stringify(line)}\n`)
    },
    show: (size: Partial<Area> = {}) => shown(access, <logs.View width={80} height={21} {...size} />),
  }
}

export type LogDesk = Awaited<ReturnType<typeof logDesk>>

const PRESSES = {
  orders: 0,
  analyzer: 1,
  traffic: 2,
  latency: 3,
  errors: 4,
} as const

export type LogName = keyof typeof PRESSES

/** Shows a tab of a daemon. */
export async function opened(desk: LogDesk, tab: LogName, size = {}) {
  const screen = await desk.show(size)
  await screen.shows('[orders]')
  for (let press = 0; press < PRESSES[tab]; press += 1) await screen.press(TAB)
  await screen.shows(`[${tab}]`)
  return screen
}
