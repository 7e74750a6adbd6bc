import { expect, test } from 'vitest'
import { HttpDesk } from '../../../support/desk/http-desk.js'

const ORDER = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', action: 'BUY', quantity: 1 }

/** Sends an order over a real connection; `bytes` makes its body of the text. */
async function sent(strategy: string, bytes: (text: string) => Uint8Array, headers: Record<string, string>) {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const text = JSON.stringify({ apikey: http.apikey, strategy, ...ORDER })
  const reply = await http.desk.settled(
    fetch(`http://127.0.0.1:${port}/api/v1/placeorder`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: bytes(text),
    }),
  )
  const { text: book } = await http.request('POST', '/api/v1/orderbook', { body: { apikey: http.apikey } })
  return { status: reply.status, text: await reply.text(), placed: book.includes('"orderid"') }
}

const utf8 = (text: string) => new TextEncoder().encode(text)

test('a body that is not UTF-8 is refused, and nothing is executed', async () => {
  const { status, text, placed } = await sent('caf\u00e9', (body) => Buffer.from(body, 'latin1'), {})
  expect([status, placed]).toEqual([400, false])
  expect(text).toContain('The body is not valid UTF-8')
})

test('a body in UTF-8 is taken', async () => {
  expect(await sent('caf\u00e9', utf8, {})).toMatchObject({ status: 200, placed: true })
})

test('a compressed body is refused', async () => {
  const { status, text, placed } = await sent('zip', utf8, { 'content-encoding': 'gzip' })
  expect([status, placed]).toEqual([415, false])
  expect(text).toContain('Content-Encoding')
})
