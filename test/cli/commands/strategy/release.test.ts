import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

const ANALYZING = {
  username: 'asha',
  broker: 'simulated',
  order_mode: 'auto',
  analyze_mode: true,
  confirm_live: 'never',
}

/** Runs a command against a server that accepts everything; returns the bodies of the changes that it got. */
async function changesOf(command: string): Promise<unknown[]> {
  const bodies: unknown[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += String(part)
    if (request.method === 'POST') bodies.push(JSON.parse(text))
    response.setHeader('content-type', 'application/json')
    const data = request.url === '/strategy/api/strategies' ? [{ id: 1, name: 'morning' }] : ANALYZING
    response.end(JSON.stringify({ status: 'success', message: 'Released', data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const desk = await CliDesk.open()
  const env = { SVC_URL: `http://127.0.0.1:${address.port}`, SVC_TOKEN: 'svc_token' }
  const { exit, stderr } = await desk.svc(command, { env })
  expect(exit, stderr).toBe(0)
  return bodies
}

test.each([
  ['', { reason: 'sold', closed_by_hand: true }],
  [' --positions-checked', { reason: 'sold', closed_by_hand: true, positions_checked: true }],
])('a release%s sends what its options say', async (options, body) => {
  expect(await changesOf(`strategy release 1 --run 5 --reason sold --yes${options}`)).toEqual([body])
})
