import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesFor, pairsFor, testInTorture } from '../support/chance/cases.js'
import { type JournalEntry, journalOf } from '../support/desk/desk-state.js'
import { eventually } from '../support/eventually.js'
import type { DaemonProcess } from '../support/process/daemon-process.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { EVERY_FAKE_BROKER } from '../support/process/fake-brokers.js'

/*
 * For every broker: it has done what was asked, its answer is lost, and the daemon is killed before or after it noticed. The
 * broker's own ledger tells what really happened. `npm test` takes each loss of a placed order with one broker, and each
 * broker with a placed and a cancelled order.
 */

/** How an answer is lost. The slow one outlasts every patience, so the kill comes while the daemon waits for it. */
const LOST = ['slow:600000', 'drop_after', '5xx_after', 'garbage', 'no_id', 'cut_body']

const PLACED = pairsFor(EVERY_FAKE_BROKER, LOST)
const lossesOf = ({ id }: { id: string }) =>
  PLACED.flatMap(([broker, loss]) => (broker.id === id ? [loss] : []))

const isAnswered = (loss: string) => !loss.startsWith('slow')

describe.each(EVERY_FAKE_BROKER)('$id', (plugin) => {
  let broker: FakeBrokerProcess
  let daemon: DaemonProcess
  beforeAll(async () => {
    broker = await FakeBrokerProcess.start(plugin)
    daemon = await broker.desk()
  })
  afterAll(async () => {
    await daemon.dispose()
    await broker.dispose()
  })

  /** Starts the daemon again after a kill. */
  async function restarted(): Promise<void> {
    await daemon.kill()
    await broker.reset()
    await daemon.start()
  }

  async function entry(orderId: string | undefined): Promise<JournalEntry | undefined> {
    return (await journalOf(daemon)).find(({ orderid }) => orderid === orderId)
  }

  async function events(event: string, orderId: string): Promise<number> {
    const { data } = await broker.control<{ data: { event: string; orderId: string }[] }>('GET', '_ledger')
    return data.filter((line) => line.event === event && line.orderId === orderId).length
  }

  /** Places a buy order that rests below the market. */
  async function resting(): Promise<{ orderid: string; price: number }> {
    const price = await daemon.priceAt(0.95)
    const { status, body, text } = await daemon.place({ pricetype: 'LIMIT', price })
    expect([status, text]).toEqual([200, text])
    return { orderid: body.orderid ?? '', price }
  }

  for (const loss of lossesOf(plugin))
    it(`an accepted order (${loss}) is known after a kill, and its key sends nothing again`, async () => {
      const headers = { 'idempotency-key': `lost ${loss}` }
      const before = (await broker.placed()).length
      await broker.script('place', loss)
      const first = daemon.place({}, headers).catch(() => undefined)
      await eventually(async () => (await broker.placed()).length > before, 'the broker has the order')
      if (isAnswered(loss)) expect([200, 504]).toContain((await first)?.status)
      await restarted()
      await first

      const [sent, ...more] = (await broker.placed()).slice(before)
      expect(more).toEqual([])
      await eventually(async () => ['accepted', 'filled'].includes((await entry(sent?.orderId))?.state ?? ''))
      expect((await entry(sent?.orderId))?.order_ref).toBe(sent?.tag)
      const again = await daemon.place({}, headers)
      expect([again.status, again.body.orderid]).toEqual([200, sent?.orderId])
      expect((await broker.placed()).length).toBe(before + 1)
    })

  for (const loss of casesFor(
    LOST,
    (_, index) => index === LOST.length - 1 - EVERY_FAKE_BROKER.indexOf(plugin),
  ))
    it(`a cancelled order (${loss}) ends as cancelled after a kill, and is cancelled once`, async () => {
      const { orderid } = await resting()
      await broker.script('cancel', loss)
      const first = daemon.api('cancelorder', { strategy: 'e2e', orderid }).catch(() => undefined)
      await eventually(async () => (await events('cancelled', orderid)) === 1, 'the broker has cancelled it')
      if (isAnswered(loss)) await first
      await restarted()
      await first
      await eventually(async () => (await entry(orderid))?.state === 'cancelled', 'the journal knows it')
      expect(await events('cancelled', orderid)).toBe(1)
    })

  const testOfOne = plugin.id === 'zerodha' ? it : testInTorture

  testOfOne(
    'a changed order whose answer was lost is changed once, and cancelled by its id after a kill',
    async () => {
      const { orderid, price } = await resting()
      await broker.script('modify', 'slow:600000')
      const change = {
        pricetype: 'LIMIT',
        quantity: 9,
        price: price - 1,
        trigger_price: 0,
        disclosed_quantity: 0,
      }
      const line = { strategy: 'e2e', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', product: 'CNC' }
      const first = daemon.api('modifyorder', { ...line, orderid, ...change }).catch(() => undefined)
      await eventually(async () => (await events('modified', orderid)) === 1, 'the broker has changed it')
      await restarted()
      await first
      const { status } = await daemon.api('cancelorder', { strategy: 'e2e', orderid })
      expect(status).toBe(200)
      await eventually(async () => (await entry(orderid))?.state === 'cancelled', 'it is cancelled')
      expect(await events('modified', orderid)).toBe(1)
    },
  )

  testOfOne('an order that is on its way at a new sign-in has its answer, and is sent once', async () => {
    const before = (await broker.placed()).length
    await broker.script('place', 'slow:2000')
    const first = daemon.place()
    await eventually(async () => (await broker.placed()).length > before, 'the broker has the order')
    await broker.connect(daemon)
    const { status, body } = await first
    const [sent, ...more] = (await broker.placed()).slice(before)
    expect([status, body.orderid, more]).toEqual([200, sent?.orderId, []])
    expect((await entry(sent?.orderId))?.order_ref).toBe(sent?.tag)
  })

  testInTorture('orders that never arrived are never sent by a start', async () => {
    for (const loss of ['drop_before', '5xx_before']) {
      const before = (await broker.placed()).length
      await broker.script('place', loss)
      const { status } = await daemon.place()
      expect(status).toBe(504)
      await restarted()
      await restarted()
      expect((await broker.placed()).length).toBe(before)
    }
  })
})
