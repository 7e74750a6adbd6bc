import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openRig, SBIN, tickOf } from './rig.js'

const PAGE = readFileSync(new URL('../../../docs/websocket.md', import.meta.url), 'utf8')
const [, AFTER = ''] = PAGE.split('<!-- checked: dialogue -->')
const ROWS = [...AFTER.matchAll(/^\| (.+) \| `(\{.*\})` \|$/gm)].map(
  ([, sent = '', got = '']) => [sent, got] as const,
)

test('the dialogue of docs/websocket.md goes as it is printed', async () => {
  const { apiKey, connect, hub } = await openRig()
  const client = await connect()
  expect(ROWS.length).toBeGreaterThan(6)
  for (const [sent, got] of ROWS) {
    if (sent.startsWith('`')) client.send(sent.replaceAll('`', '').replace('<key>', apiKey))
    else hub.publish(tickOf(SBIN))
    expect(await client.next(), sent).toMatchObject(JSON.parse(got))
  }
})
