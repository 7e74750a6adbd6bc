import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../src/core/config/index.js'
import { SystemClock } from '../../../src/core/time/index.js'
import { guardConnections } from '../../../src/daemon/http/admission/connections.js'
import { TrustedProxies } from '../../../src/daemon/http/client.js'
import { DaemonRequest } from '../../../src/daemon/http/request.js'
import { recordTraffic } from '../../../src/daemon/http/traffic.js'
import { eventually } from '../../support/eventually.js'
import { tempDir } from '../../support/files/temp.js'

interface Recorded {
  clientIp: string
  method: string
  target: string
  statusCode: number
  error?: string | undefined
}

/** A server whose requests are recorded. */
async function serving(answer: RequestListener, env: Record<string, string> = {}) {
  const rows: Recorded[] = []
  const server = createServer({ IncomingMessage: DaemonRequest }, answer)
  guardConnections(server, { isShared: () => true })
  recordTraffic(server, {
    traffic: { record: (row) => void rows.push(row) },
    clock: new SystemClock(),
    proxies: new TrustedProxies(loadConfig({ home: tempDir(), env }).values),
    ignores: () => false,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const recorded = (count: number) => eventually(() => rows.length >= count, 'the request is recorded')
  return {
    rows,
    port,
    recorded,
    get: (path: string, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers }),
  }
}

const status =
  (code: number): RequestListener =>
  (_request, response) =>
    response.writeHead(code).end()

test('a request is recorded with its answer, whoever gave it', async () => {
  const { get, recorded, rows } = await serving(status(403))
  await get('/x?apikey=y')
  await recorded(1)
  expect(rows).toMatchObject([
    { clientIp: '127.0.0.1', method: 'GET', target: '/x?apikey=y', statusCode: 403, error: undefined },
  ])
})

test('the address is the one that a trusted proxy names', async () => {
  const env = { TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXIES: '127.0.0.1/32' }
  const { get, recorded, rows } = await serving(status(200), env)
  await get('/', { 'x-real-ip': '203.0.113.9' })
  await recorded(1)
  expect(rows).toMatchObject([{ clientIp: '203.0.113.9' }])
})

test('a look at the log is not recorded, a refused one is', async () => {
  const open = await serving(status(200))
  await open.get('/traffic/api/logs?limit=5')
  await open.get('/trafficker')
  await open.recorded(1)
  expect(open.rows).toMatchObject([{ target: '/trafficker' }])
  const closed = await serving(status(401))
  await closed.get('/traffic/api/logs')
  await closed.recorded(1)
  expect(closed.rows).toMatchObject([{ statusCode: 401 }])
})

test('a client that leaves before the answer has its row', async () => {
  const { port, recorded, rows } = await serving(() => undefined)
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  setTimeout(() => socket.destroy(), 50)
  await recorded(1)
  expect(rows).toMatchObject([{ target: '/slow', statusCode: 499, clientIp: '127.0.0.1' }])
})
