import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { loadStorage } from '../compiled.js'

/**
 * The floor of the order path: the same server stack with one durable insert of the same size through the
 * same group commit, and nothing else.
 */
const { BatchStatement, Database } = await loadStorage()

const [folder = '.'] = process.argv.slice(2)
const database = await Database.open({ file: join(folder, 'floor.db'), schema: undefined })
await database.write((tx) =>
  tx.exec(
    'create table orders (id integer primary key, user_id text, api_type text, order_data text, created_at integer)',
  ),
)
const insert = new BatchStatement({
  table: 'orders',
  columns: ['id', 'user_id', 'api_type', 'order_data', 'created_at'],
})

let orders = 0
const app = new Hono()
app.post('/order', async (c) => {
  const { apikey: _, ...order } = await c.req.json<Record<string, unknown>>()
  const id = ++orders
  await database.batch(insert, [[id, 'asha', 'placeorder', JSON.stringify(order), Date.now()]])
  return c.json({ status: 'success', orderid: String(id) })
})

const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
server.once('listening', () => process.send?.((server.address() as AddressInfo).port))
