import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Hono } from 'hono'
import { loadStorage } from '../compiled.js'

/**
 * The floor of the order path: the same server stack with one durable insert of the same size through the
 * same group commit, and nothing else.
 */
const { Database, insertInto } = await loadStorage()

const [folder = '.'] = process.argv.slice(2)
const database = await Database.open({ file: join(folder, 'floor.db'), schema: undefined })
await database.write((tx) =>
  tx.exec(
    'create table orders (id integer primary key, user_id text, api_type text, order_data text, created_at integer)',
  ),
)
const table = sqliteTable('orders', {
  id: integer().primaryKey(),
  userId: text('user_id'),
  operation: text('api_type'),
  orderData: text('order_data'),
  createdAt: integer('created_at'),
})
const insert = insertInto(table, ['id', 'userId', 'operation', 'orderData', 'createdAt'])

let orders = 0
const app = new Hono()
app.post('/order', async (c) => {
  const { apikey: _, ...order } = await c.req.json<Record<string, unknown>>()
  const id = ++orders
  const row = { id, userId: 'asha', operation: 'placeorder', orderData: JSON.stringify(order) }
  await database.batch(insert.rows([{ ...row, createdAt: Date.now() }]))
  return c.json({ status: 'success', orderid: String(id) })
})

const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
server.once('listening', () => process.send?.((server.address() as AddressInfo).port))
