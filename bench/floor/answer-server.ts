import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

let answer = ''
process.on('message', (text: string) => {
  answer = text
  process.send?.('taken')
})

const app = new Hono()
app.post('/answer', async (c) => {
  await c.req.json()
  return c.body(answer, 200, { 'Content-Type': 'application/json' })
})

const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
server.once('listening', () => process.send?.((server.address() as AddressInfo).port))
