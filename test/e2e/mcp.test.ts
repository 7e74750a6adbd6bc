import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { assistantAt, callerOf } from '../support/mcp/assistant.js'
import { EVERY_TOOL } from '../support/mcp/every-tool.js'
import { type OAuthProcess, oauthProcess } from '../support/oauth/process.js'
import { SVC } from '../support/process/daemon-process.js'

/* The official client against the real process: over HTTP with the tokens of OAuth, and over stdio with the API key. */

const ALL = 'read:market read:account write:orders'
const MANY = '10000 per minute'
const WIDE = { MCP_RATE_LIMIT: MANY, MCP_RATE_LIMIT_READ: MANY, MCP_RATE_LIMIT_WRITE: MANY }

let rig: OAuthProcess
beforeAll(async () => {
  rig = await oauthProcess(WIDE)
})
afterAll(() => rig.daemon.dispose())

/** Starts `svc mcp` as a desktop client does. */
async function stdioAssistant(url: string, ...args: string[]) {
  const { apikey, home } = rig.daemon
  const client = new Client({ name: 'test', version: '1' })
  const env = { PATH: process.env.PATH ?? '', HOME: home, SVC_URL: url, SVC_API_KEY: apikey }
  await client.connect(
    new StdioClientTransport({ command: SVC, args: ['mcp', ...args], env, stderr: 'pipe' }),
  )
  onTestFinished(() => client.close())
  return { client, call: callerOf(client) }
}

const dataOf = ({ structured }: { structured: Record<string, unknown> | undefined }) =>
  Object(structured?.data)

/** Calls every tool and returns those that failed; the client checks each answer against the schema of its tool. */
async function failuresOf(call: ReturnType<typeof callerOf>): Promise<unknown[]> {
  const { chain, expiry_date: $expiry } = dataOf(
    await call('get_option_chain', { underlying: 'NIFTY', strike_count: 1 }),
  )
  const { lotsize: $lot, symbol: $option } = chain[0].ce
  const failed: unknown[] = []
  for (const [name, given] of Object.entries(EVERY_TOOL)) {
    const $open = dataOf(await call('place_order', EVERY_TOOL.place_order)).orderid
    const values: Record<string, unknown> = { $expiry, $lot, $option, $open }
    const text = JSON.stringify(given).replaceAll(/"(\$\w+)"/g, (_, one: string) =>
      JSON.stringify(values[one]),
    )
    const answer = await call(name, JSON.parse(text))
    // No Telegram bot runs here: the refusal shows that the tool reached it.
    const refusal = name === 'send_telegram_alert' ? 'conflict' : undefined
    if (Object(answer.text.error).error_type !== refusal) failed.push([name, answer.text])
  }
  return failed
}

test('a hosted assistant calls every tool over HTTP, and nothing more once its access is revoked', async () => {
  await rig.daemon.analyze(true)
  const clientId = await rig.client({ scope: ALL })
  const { access } = await rig.connect(clientId, { scope: ALL })
  const { call, client } = await assistantAt(`${rig.daemon.url}/mcp`, access)
  expect(client.getServerVersion()).toMatchObject({ name: 'svc' })
  expect((await client.listTools()).tools).toHaveLength(50)
  expect(await failuresOf(call)).toEqual([])

  const stream = await fetch(`${rig.daemon.url}/mcp`, {
    headers: { authorization: `Bearer ${access}`, accept: 'text/event-stream' },
  })
  expect(stream.status).toBe(200)
  const ended = stream.text()
  const revoked = await rig.admin('POST', `oauth/clients/${clientId}/revoke`, { confirm: true })
  expect(revoked.status).toBe(200)
  expect(await ended).not.toContain('data:')
  await expect(call('get_quote', { symbol: 'SBIN' })).rejects.toThrow()
})

test('an assistant on this machine calls every tool over stdio', async () => {
  await rig.daemon.analyze(true)
  const { call, client } = await stdioAssistant(rig.daemon.url)
  expect((await client.listTools()).tools).toHaveLength(50)
  expect(await failuresOf(call)).toEqual([])
})

test('its live orders wait for approval, and without a daemon it says what to do', async () => {
  await rig.daemon.analyze(false)
  const { call } = await stdioAssistant(rig.daemon.url)
  expect(dataOf(await call('place_order', EVERY_TOOL.place_order))).toMatchObject({
    pending_order_id: expect.any(Number),
  })
  const reading = await stdioAssistant(
    rig.daemon.url,
    '--read-only',
    '--toolset',
    'orders',
    '--toolset',
    'account',
  )
  expect((await reading.client.listTools()).tools.map(({ name }) => name)).not.toContain('place_order')
  await expect(stdioAssistant('http://127.0.0.1:9')).rejects.toThrow(/svc up/)
})
