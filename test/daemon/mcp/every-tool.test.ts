import { expect, test } from 'vitest'
import { TOOLS } from '../../../src/daemon/mcp/tools/index.js'
import { assistantOn } from '../../support/mcp/assistant.js'
import { EVERY_TOOL } from '../../support/mcp/every-tool.js'
import { oauthRig } from '../../support/oauth/oauth-rig.js'

const ALL = 'read:market read:account write:orders'
const MANY = '10000 per minute'
const WIDE = { MCP_RATE_LIMIT: MANY, MCP_RATE_LIMIT_READ: MANY, MCP_RATE_LIMIT_WRITE: MANY }

test('there are the 49 tools of the public system and explain_why, by scope', () => {
  const count = (scope: string) => TOOLS.filter((tool) => tool.scope === scope).length
  expect([count('write:orders'), count('read:account'), count('read:market')]).toEqual([11, 11, 28])
  expect(TOOLS.map(({ name }) => name)).toEqual(Object.keys(EVERY_TOOL).sort())
})

test('the official client calls every tool, and each answer fits the schema of its tool', async () => {
  const rig = await oauthRig({ embeddedMarket: true, env: WIDE })
  const { desk, app } = rig.http
  await desk.service.modeSwitch.set(true, 'asha')
  const { access } = await rig.connect(await rig.client({ scope: ALL }), { scope: ALL })
  const { call, client } = await assistantOn(app, access)
  const { tools } = await desk.settled(client.listTools())
  expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))

  const chain = await desk.settled(call('get_option_chain', { underlying: 'NIFTY', strike_count: 1 }))
  const { chain: strikes, expiry_date: expiry } = Object(chain.structured?.data)
  const { lotsize: lot, symbol: option } = strikes[0].ce
  const failed: unknown[] = []
  for (const [name, given] of Object.entries(EVERY_TOOL)) {
    const placed = await desk.settled(call('place_order', EVERY_TOOL.place_order))
    const values: Record<string, unknown> = { $expiry: expiry, $lot: lot, $option: option }
    values.$open = Object(placed.structured?.data).orderid
    const answer = await desk.settled(call(name, filledIn(given, values)))
    // No bot runs in this process: the refusal shows that the tool reached it.
    const refusal = name === 'send_telegram_alert' ? 'conflict' : undefined
    if (Object(answer.text.error).error_type !== refusal) failed.push([name, answer.text])
  }
  expect(failed).toEqual([])
})

function filledIn(value: unknown, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = JSON.stringify(value).replaceAll(/"(\$\w+)"/g, (_, name: string) =>
    JSON.stringify(values[name]),
  )
  return JSON.parse(text)
}
