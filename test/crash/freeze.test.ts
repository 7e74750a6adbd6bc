import { afterAll, beforeAll, expect, test } from 'vitest'
import { DaemonProcess } from '../support/process/daemon-process.js'

const FREEZE_MS = 2_500
const ORDER = { strategy: 'freeze', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1 }

let daemon: DaemonProcess
beforeAll(async () => {
  daemon = await DaemonProcess.ready()
})
afterAll(() => daemon.dispose())

const place = (seconds: number, key: string, signal?: AbortSignal) =>
  fetch(`${daemon.url}/api/v1/placeorder`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-request-timeout': String(seconds),
      'idempotency-key': key,
      connection: 'close',
    },
    body: JSON.stringify({ apikey: daemon.apikey, ...ORDER }),
    ...(signal && { signal }),
  })

/** Stops the daemon for a while; `during` sends requests meanwhile. */
async function freeze<T>(during: () => T): Promise<Awaited<T>> {
  process.kill(daemon.pid, 'SIGSTOP')
  const sent = during()
  await new Promise((resolve) => setTimeout(resolve, FREEZE_MS))
  process.kill(daemon.pid, 'SIGCONT')
  return await sent
}

const ordersSoFar = async () => (await daemon.api('orderbook')).text.split('"orderid"').length - 1

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

test('all of a long backlog counts as received at the start of the freeze', async () => {
  await daemon.analyze(false)
  const before = await ordersSoFar()
  // Reading them takes the daemon many turns of its event loop, and other work takes turns in between.
  const replies = await freeze(() =>
    Promise.all(Array.from({ length: 400 }, (_, index) => place(1, `long-${index}`))),
  )
  const codes = new Set(replies.map(({ headers }) => headers.get('x-svc-code')))
  expect([...codes]).toEqual(['request_expired'])
  expect(await ordersSoFar()).toBe(before)
})

test.each(['live', 'analyze'] as const)(
  'an order whose caller hung up during a freeze is not executed, also when its deadline is far (%s)',
  async (mode) => {
    await daemon.analyze(mode === 'analyze')
    const before = await ordersSoFar()
    const ends = await freeze(() =>
      Promise.allSettled(
        Array.from({ length: 100 }, (_, index) =>
          place(30, `gone-${mode}-${index}`, AbortSignal.timeout(1_000)),
        ),
      ),
    )
    expect(ends.filter(({ status }) => status === 'fulfilled')).toEqual([])
    // Its reply comes after the daemon has handled everything that it read before.
    expect((await place(30, `after-${mode}`)).status).toBe(200)
    expect(await ordersSoFar()).toBe(before + 1)
  },
)
