// Stores the code that V8 compiles for a short command: runs `svc order list` from the one file of the given folder, beside
// a server that answers with an order book.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { compileIn } from '../src/cli/compiled-program.js'

const ORDER = {
  timestamp: '2026-01-02 10:15:00',
  orderid: '1',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  product: 'MIS',
  pricetype: 'MARKET',
  quantity: 1,
  filled_quantity: 1,
  price: 0,
  trigger_price: 0,
  average_price: 970.8,
  order_status: 'complete',
}

const [folder = ''] = process.argv.slice(2)
const home = mkdtempSync(join(tmpdir(), 'svc-build-'))
process.on('exit', () => rmSync(home, { recursive: true, force: true }))
const server = createServer((request, response) => {
  request.resume()
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify({ status: 'success', data: { orders: [ORDER], statistics: {} } }))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

const { program, store } = compileIn(resolve(folder), 'commands')
process.env.SVC_API_KEY = 'of-the-build'
await program.begin(['order', 'list', '--home', home, '--url', `http://127.0.0.1:${port}`])
if (process.exitCode === 0) store()
server.closeAllConnections()
server.close()
