import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/docs/documents.js'
import { FAKE_ACCOUNT, FakeKite } from '../fixtures/fake-kite/server.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { type Ran, Terminal } from '../support/terminal.js'

/*
 * The page "Going live", followed word by word: every command of its examples, in their order, on a terminal, with the built
 * program, against the fake of Kite.
 */
const PAGE = readFileSync(join(ROOT, 'docs', 'going-live.md'), 'utf8')
const COMMANDS = [...PAGE.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
)

/** What a person answers to the questions of a command, and what it says in the end. */
interface Talk {
  asks: readonly (readonly [question: string, answer: string])[]
  ends: string
}
const TALKS: Readonly<Record<string, Talk>> = {
  'svc live check': {
    asks: [
      ['Largest value of one order', ''],
      ['Loss of a day', '5,000'],
      ['Largest distance of a price', ''],
    ],
    ends: 'Ready for Live mode. Next: svc analyze off',
  },
  'svc analyze off': { asks: [['Type LIVE', 'LIVE']], ends: 'LIVE: orders reach the broker zerodha' },
}

let fake: FakeKite
let daemon: DaemonProcess
beforeAll(async () => {
  fake = await FakeKite.start()
  const { api, login, ticker } = fake.endpoints
  daemon = await DaemonProcess.ready({
    BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.login=${login},zerodha.ticker=${ticker}`,
  })
  writeFileSync(join(daemon.home, 'api-key.txt'), `${FAKE_ACCOUNT.apiKey}\n`)
  writeFileSync(join(daemon.home, 'api-secret.txt'), `${FAKE_ACCOUNT.apiSecret}\n`)
})
afterAll(async () => {
  await daemon.dispose()
  await fake.stop()
})

const atHome = () =>
  new Terminal({ home: daemon.home, env: { SVC_TOKEN: daemon.token, SVC_API_KEY: daemon.apikey } })

const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].slice(1).map(([, quoted, plain]) => quoted ?? plain ?? '')

const done = (stdout = ''): Ran => ({ exit: 0, stdout, stderr: '' })

/** The commands that the test does in its own way: they start or stop the daemon, read a file, or need a browser. */
const OWN: Readonly<Record<string, (line: string) => Promise<Ran>>> = {
  'svc down': async () => {
    await daemon.signal('SIGTERM')
    return done()
  },
  'svc up --detach': async () => {
    await daemon.start()
    fake.signIn.redirectUrl = `${daemon.url}/zerodha/callback`
    return done()
  },
  'svc config set': (line) => atHome().shell(line.slice('svc '.length).replace('< ', `< ${daemon.home}/`)),
  'svc broker login': async (line) => {
    const command = atHome().start(wordsOf(line), { tty: 'all' })
    await command.says('Waiting for the callback')
    const [address = ''] = /http:\S+\/connect\/login\S+/.exec(command.stdout()) ?? []
    const page = await fetch(address, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('Signed in, close this page')
    return command.ended
  },
}

const found = <T>(table: Readonly<Record<string, T>>, line: string): T | undefined =>
  Object.entries(table).find(([begins]) => line.startsWith(begins))?.[1]

/** Does what the page says in one line. */
async function follow(line: string): Promise<Ran> {
  const own = found(OWN, line)
  if (own) return own(line)
  const command = atHome().start(wordsOf(line), { tty: 'all' })
  const { asks, ends } = found(TALKS, line) ?? { asks: [], ends: '' }
  for (const [place, [question, answer]] of asks.entries()) {
    if (place === 0) await command.says(question)
    await command.type(`${answer}\r`, asks[place + 1]?.[0] ?? ends)
  }
  return command.ended
}

const placed = () => fake.ledger.placed.map(({ fields }) => fields)

it('leads to one share bought and sold, as written', async () => {
  const said = new Map<string, string>()
  for (const line of COMMANDS) {
    const { exit, stdout, stderr } = await follow(line)
    expect([line, exit, exit === 0 ? '' : stdout + stderr]).toEqual([line, 0, ''])
    said.set(line, stripVTControlCharacters(stdout))
    if (line === 'svc analyze off') expect(placed()).toEqual([])
  }
  expect(said.get('svc broker status')).toMatch(/CALLS LEFT +order \d+ of 10\/s, \d+ of 400\/min/)
  expect(said.get('svc live check')).not.toContain('fail')
  expect(placed()).toMatchObject([
    { transaction_type: 'BUY', quantity: '1' },
    { transaction_type: 'SELL', quantity: '1' },
  ])
  expect(said.get('svc trade list')).toMatch(/SBIN[\s\S]+SBIN/)
  expect(said.get('svc risk show')).toMatch(/max_day_loss +5,000/)
})
