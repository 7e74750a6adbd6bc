import { createServer, type Server } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { angel } from '../../../src/core/brokers/angel/index.js'
import type { BrokerInstruments } from '../../../src/core/brokers/broker.js'
import { dhan } from '../../../src/core/brokers/dhan/index.js'
import { upstox } from '../../../src/core/brokers/upstox/index.js'
import { compactMasterText } from '../../fixtures/fake-dhan/catalogue.js'
import * as angelRig from './angel/rig.js'
import * as dhanRig from './dhan/rig.js'
import * as upstoxRig from './upstox/rig.js'

/* BROKER_ENDPOINTS names hosts, hosts with a path, or the whole address of a file. */

type Endpoints = Readonly<Record<string, string>>

async function countOf(
  instruments: BrokerInstruments,
  context: Parameters<BrokerInstruments['download']>[1],
  endpoints: Endpoints,
) {
  let count = 0
  for await (const batch of instruments.download(undefined, { ...context, endpoints })) count += batch.length
  return count
}

test('the address of Dhan may have its version, or a slash at the end', async () => {
  const { clock, close, context, fake } = await dhanRig.startRig()
  onTestFinished(close)
  const host = `http://127.0.0.1:${fake.port}`
  for (const api of [host, `${host}/`, `${host}/v2`, `${host}/v2/`]) {
    const client = dhan.connect(dhanRig.SESSION, { ...context, clock, endpoints: { ...fake.endpoints, api } })
    await expect(client.orders.list()).resolves.toEqual([])
    await client.close()
  }
})

test('the addresses of Upstox may have a version, or a slash at the end', async () => {
  const { close, context, fake } = await upstoxRig.startRig()
  onTestFinished(close)
  const { api, hft } = fake.endpoints
  const given = [
    { api: `${api}/`, hft: `${hft}/` },
    { api: `${api}/v2`, hft: `${hft}/v3` },
  ]
  for (const endpoints of given) {
    const client = upstox.connect(upstoxRig.SESSION, {
      ...context,
      endpoints: { ...fake.endpoints, ...endpoints },
    })
    const { orderId } = await client.orders.place(upstoxRig.orderOf(), 'tag1')
    await expect(client.orders.order?.(orderId)).resolves.toMatchObject({ orderId })
    await client.close()
  }
  const login = `${api}/v2/`
  const signIn = { ...context, endpoints: { ...fake.endpoints, login } }
  const asked = { redirectUrl: 'http://127.0.0.1:5000/upstox/callback', state: 's' }
  const page = await upstox.auth.begin?.({ api_key: 'k' }, signIn, asked)
  expect(page?.address).toMatch(`${api}/v2/login/authorization/dialog?`)
})

test('the feeds of Angel One may have their paths', async () => {
  const { close, context, fake } = await angelRig.startRig()
  onTestFinished(close)
  const at = `ws://127.0.0.1:${fake.port}`
  const endpoints = { ...fake.endpoints, feed: `${at}/smart-stream`, orders: `${at}/smart-order-update/` }
  const client = angel.connect(angelRig.SESSION, { ...context, endpoints })
  await client.ticks?.open(() => undefined)
  await client.orderEvents?.open(() => undefined)
  expect(client.orderEvents?.state().connected).toBe(true)
  await client.close()
})

test('a master is at a host, or is the file of an address', async () => {
  const [atDhan, atAngel, atUpstox] = await Promise.all([
    dhanRig.startRig(),
    angelRig.startRig(),
    upstoxRig.startRig(),
  ])
  onTestFinished(async () => {
    await Promise.all([atDhan.close(), atAngel.close(), atUpstox.close()])
  })
  const each = [
    [dhan, atDhan, '/api-data/api-scrip-master-detailed.csv'],
    [dhan, atDhan, '/api-data/api-scrip-master.csv'],
    [angel, atAngel, '/OpenAPI_File/files/OpenAPIScripMaster.json'],
    [upstox, atUpstox, '/market-quote/instruments/exchange/complete.json.gz'],
  ] as const
  for (const [{ instruments }, { context, fake }, path] of each) {
    const host = `http://127.0.0.1:${fake.port}`
    const counts = [host, `${host}/`, `${host}${path}`].map((master) =>
      countOf(instruments, context, { master }),
    )
    const [first, ...others] = await Promise.all(counts)
    expect(first).toBeGreaterThan(5)
    expect(others).toEqual([first, first])
  }
})

test('where Dhan has no detailed master, the compact one counts', async () => {
  const { close, context } = await dhanRig.startRig()
  const server = await serving({ '/api-data/api-scrip-master.csv': compactMasterText() })
  onTestFinished(async () => {
    await close()
    server.close()
  })
  const address = server.address()
  const master = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  await expect(countOf(dhan.instruments, context, { master })).resolves.toBeGreaterThan(5)
})

function serving(files: Readonly<Record<string, string>>): Promise<Server> {
  const server = createServer(({ url = '' }, response) => {
    const file = files[url]
    response.writeHead(file === undefined ? 404 : 200).end(file)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}
