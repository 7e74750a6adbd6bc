import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import WebSocket from 'ws'
import { chance } from '../support/chance/chance.js'
import { eventually, pause } from '../support/eventually.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { EventClient } from '../support/traffic/event-client.js'

let daemon: DaemonProcess
let clients: EventClient[] = []
beforeAll(async () => {
  daemon = await DaemonProcess.ready()
})
afterEach(async () => {
  for (const client of clients) await client.disconnect()
  clients = []
})
afterAll(() => daemon.dispose())

async function connected(since?: number): Promise<EventClient> {
  const client = new EventClient(daemon)
  clients.push(client)
  await client.connect(since)
  return client
}

const orderIds = (client: EventClient) => client.events('order_event').map(({ data }) => data.orderid)
/** Returns the numbers of the received events after a given one: events of an earlier test may still arrive. */
const numbers = (client: EventClient, after: number) =>
  client.frames.map(({ seq }) => seq).filter((seq) => seq > after)
/** Waits until both clients have received the same events after a given one. */
const expectSame = (one: EventClient, other: EventClient, after: number) =>
  eventually(() => numbers(one, after).join() === numbers(other, after).join(), 'both have the same events')

it('a client that reconnects gets exactly the missed events in order, then the new ones', async () => {
  const witness = await connected()
  const client = await connected()
  const start = client.lastSeq
  const ids: unknown[] = [(await daemon.place()).body.orderid]
  await eventually(() => orderIds(client).length === 1)
  await client.disconnect()
  const since = client.lastSeq
  for (let missed = 0; missed < 3; missed++) ids.push((await daemon.place()).body.orderid)
  await client.connect(since)
  expect(client.welcome?.data).toMatchObject({ gap: false })
  ids.push((await daemon.place()).body.orderid)
  await eventually(() => orderIds(client).length === ids.length && orderIds(witness).length === ids.length)
  expect(orderIds(client)).toEqual(ids)
  await expectSame(client, witness, start)
})

it('a client that reconnects under load gets every event once', async () => {
  const random = chance('events')
  const witness = await connected()
  const client = await connected()
  const start = client.lastSeq
  let placing = true
  const orders = (async () => {
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 10 }, () => daemon.place()))
    placing = false
  })()
  while (placing) {
    await pause(random.between(0, 40))
    await client.disconnect()
    await pause(random.between(0, 40))
    await client.connect(client.lastSeq)
  }
  await orders
  await eventually(() => orderIds(witness).length === 100)
  await expectSame(client, witness, start)
  const received = numbers(client, start)
  expect(received).toEqual(received.map((_, index) => start + 1 + index))
})

it('a client that resumes after a restart of the daemon gets a gap event', async () => {
  const client = await connected()
  await daemon.place()
  await eventually(() => client.frames.length > 0)
  await client.disconnect()
  const since = client.lastSeq
  await daemon.crash()
  await client.connect(since)
  expect(client.welcome?.data).toMatchObject({ gap: true })
  await daemon.place()
  await eventually(() => client.lastSeq > since, 'numbers go on rising')
})

it('a ticket opens one connection', async () => {
  const { body } = await daemon.request<{ ticket: string }>('POST', '/auth/ws-ticket')
  const open = () =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/events?ticket=${body.ticket}`)
      socket.onmessage = ({ data }) => {
        socket.close()
        resolve(String(JSON.parse(String(data)).event))
      }
      socket.onerror = () => resolve('refused')
    })
  expect(await open()).toBe('connected')
  expect(await open()).toBe('refused')
})
