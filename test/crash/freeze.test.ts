import { afterAll, beforeAll, expect, test } from 'vitest'
import { DaemonProcess } from '../support/process/daemon-process.js'

const FREEZE_MS = 2_500
const ORDER = { strategy: 'freeze', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1 }

let daemon: DaemonProcess
beforeAll(async () => {
  daemon = await DaemonProcess.ready()
})
afterAll(() => daemon.dispose())

const place = (seconds: number, key: string) =>
  fetch(`${daemon.url}/api/v1/placeorder`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-request-timeout': String(seconds),
      'idempotency-key': key,
      connection: 'close',
    },
    body: JSON.stringify({ apikey: daemon.apikey, ...ORDER }),
  })

test.each(['live', 'analyze'] as const)(
  'after a freeze, orders whose callers have gone are refused and stored nowhere (%s)',
  async (mode) => {
    await daemon.analyze(mode === 'analyze')
    process.kill(daemon.pid, 'SIGSTOP')
    const late = Array.from({ length: 20 }, (_, index) => place(1, `${mode}-${index}`))
    const patient = place(60, `${mode}-patient`)
    await new Promise((resolve) => setTimeout(resolve, FREEZE_MS))
    process.kill(daemon.pid, 'SIGCONT')
    for (const reply of await Promise.all(late)) {
      expect(reply.status).toBe(503)
      expect(reply.headers.get('x-svc-code')).toBe('request_expired')
    }
    expect((await patient).status).toBe(200)
    const { body } = await daemon.api('orderbook')
    expect(JSON.stringify(body).split('"orderid"')).toHaveLength(2)
    // The refusal used up no key, and a new request is in time.
    const again = await place(60, `${mode}-0`)
    expect(again.status).toBe(200)
  },
)
