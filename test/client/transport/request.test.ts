import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { NoAnswerError, SvcClient } from '../../../src/client/index.js'

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const question = (url: string) => new SvcClient({ url, token: 'secret' }).request('GET /status', {})
const change = (url: string) =>
  new SvcClient({ url, token: 'secret' }).request('POST /action-center/approve-all', { body: {} })

test('a credential never follows a redirect', async () => {
  let followed = 0
  const elsewhere = await serving((_, response) => {
    followed += 1
    response.end('{}')
  })
  const url = await serving((_, response) => response.writeHead(302, { location: elsewhere }).end())
  await expect(question(url)).rejects.toThrow(NoAnswerError)
  expect(followed).toBe(0)
})

test('an answer that breaks off is none, and a change may have been executed', async () => {
  const url = await serving((_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"status":', () => response.destroy())
  })
  await expect(question(url)).rejects.toMatchObject({ message: expect.stringContaining('ECONNRESET') })
  await expect(change(url)).rejects.toMatchObject({ sent: true })
})

test('a change that met no daemon was certainly not executed', async () => {
  await expect(change('http://127.0.0.1:1')).rejects.toMatchObject({
    message: expect.stringContaining('ECONNREFUSED'),
    sent: false,
  })
})

test('a body in any script arrives whole', async () => {
  let body = ''
  const url = await serving(async (request, response) => {
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
    response.end('{"status":"success"}')
  })
  const order = {
    symbol: 'SBIN',
    exchange: 'NSE',
    strategy: 'रद्द "ü" 😀',
    action: 'BUY',
    quantity: 10,
    product: 'MIS',
  } as const
  await new SvcClient({ url }).call('placeorder', order)
  expect(JSON.parse(body)).toMatchObject(order)
})

test('a file arrives as text, and a refusal of it is an error', async () => {
  const url = await serving((request, response) => {
    if (request.headers.authorization === 'Bearer secret') return response.end('a 1\nb 2\n')
    return response.writeHead(403).end('{"status":"error","message":"no"}')
  })
  expect(await new SvcClient({ url, token: 'secret' }).text('GET /metrics', {})).toBe('a 1\nb 2\n')
  await expect(new SvcClient({ url, token: 'other' }).text('GET /metrics', {})).rejects.toThrow('no')
})
