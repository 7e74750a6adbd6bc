import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeSession } from '../../../src/daemon/broker/session-view.js'
import { recordingLogger } from '../../core/logging/recording-logger.js'
import { ACCOUNT as ANGEL } from '../../fixtures/fake-angel/server.js'
import { ACCOUNT as DHAN } from '../../fixtures/fake-dhan/sign-in.js'
import { FAKE_ACCOUNT as KITE } from '../../fixtures/fake-kite/server.js'
import { FAKE_ACCOUNT as UPSTOX } from '../../fixtures/fake-upstox/sign-in.js'
import type { TestDesk } from '../../support/desk/desk.js'
import { FakeDesk } from '../../support/desk/fake-desk.js'

type Fields = Readonly<Record<string, string>>

interface Kind {
  id: 'zerodha' | 'upstox' | 'angel' | 'dhan'
  name: string
  /** The fields of the sign-in. */
  fields: Fields
  /** Further secrets that the broker issues with it; the beginnings of those that it counts up. */
  issued: readonly string[]
  /** The fields of the sign-in that nobody may see again. */
  secret: readonly string[]
}

const KINDS: readonly Kind[] = [
  {
    id: 'zerodha',
    name: 'a pasted token',
    fields: { api_key: KITE.apiKey, access_token: KITE.accessToken },
    issued: [],
    secret: ['access_token'],
  },
  {
    id: 'zerodha',
    name: 'a request token',
    fields: { api_key: KITE.apiKey, api_secret: KITE.apiSecret, request_token: KITE.requestToken },
    issued: [KITE.accessToken],
    secret: ['api_secret', 'request_token'],
  },
  {
    id: 'upstox',
    name: 'a pasted token',
    fields: { api_key: UPSTOX.apiKey, access_token: UPSTOX.accessToken },
    issued: [],
    secret: ['access_token'],
  },
  {
    id: 'angel',
    name: 'PIN and TOTP secret',
    fields: {
      api_key: ANGEL.apiKey,
      client_code: ANGEL.clientCode,
      pin: ANGEL.pin,
      totp_secret: ANGEL.totpSecret,
    },
    issued: ['angeljwt00', 'angelfeed00', 'angelrefresh00'],
    secret: ['pin', 'totp_secret'],
  },
  {
    id: 'dhan',
    name: 'PIN and TOTP secret',
    fields: { client_id: DHAN.clientId, pin: DHAN.pin, totp_secret: DHAN.totpSecret },
    issued: ['fakedhantoken'],
    secret: ['pin', 'totp_secret'],
  },
  {
    id: 'dhan',
    name: 'a pasted token',
    fields: { client_id: DHAN.clientId, access_token: DHAN.accessToken },
    issued: [],
    secret: ['access_token'],
  },
]

/** A short value, such as a PIN, is also part of other numbers in a file. */
const LONG = 8

/** Returns the names of the files below a folder that contain one of the texts. */
function filesWith(folder: string, texts: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter((entry) => {
      const bytes = readFileSync(join(entry.parentPath, entry.name))
      return texts.some((text) => bytes.includes(text))
    })
    .map(({ name }) => name)
}

/** The routes of the sign-in at each fake. */
const SIGN_IN_ROUTES = ['session', 'login', 'generate', 'profile']

/** The words of everything that fails: calls whose refusals repeat a secret, wrong fields, and sockets that drop. */
async function failures(
  desk: TestDesk,
  broker: FakeDesk,
  { fields, secret }: Kind,
  echoed: readonly string[],
) {
  const words: string[] = []
  const failed = (call: Promise<unknown>) =>
    desk.settled(
      call.then(
        (answer) => void words.push(JSON.stringify(answer)),
        (error: unknown) =>
          void words.push(
            `${String(error)} ${JSON.stringify(error)} ${error instanceof Error ? error.stack : ''}`,
          ),
      ),
    )
  for (const text of echoed) {
    const refusal = `reject:X1:Bad value ${text} in ${encodeURIComponent(text)}`
    for (const route of ['orders', 'place', 'positions'])
      broker.fake.script.set({ route, actions: [refusal, 'garbage'] })
    for (let time = 0; time < 2; time++) {
      await failed(desk.place({ symbol: 'INFY', exchange: 'NSE', product: 'MIS', quantity: 1 }))
      await failed(Promise.resolve().then(() => desk.service.brokers.client().orders.list()))
      await failed(Promise.resolve().then(() => desk.service.brokers.client().portfolio.positions()))
    }
  }
  for (const name of secret)
    await failed(desk.service.brokers.login({ ...fields, [name]: `${fields[name]}wrong` }))
  for (const name of secret) {
    for (const route of SIGN_IN_ROUTES)
      broker.fake.script.set({ route, actions: [`reject:X1:Bad ${fields[name]}`] })
    await failed(desk.service.brokers.login(fields))
  }
  await broker.fake.stop()
  await desk.clock.advance(120_000)
  await failed(desk.service.brokers.login(fields))
  return words.join('\n')
}

test.each(KINDS)('no secret of a sign-in at $id with $name is told or stored in clear', async (kind) => {
  const log = recordingLogger()
  const broker = await FakeDesk.start(kind.id)
  const desk = await broker.desk(undefined, log)
  await desk.settled(desk.service.brokers.login(kind.fields))
  const secrets = [...kind.secret.map((name) => kind.fields[name] ?? ''), ...kind.issued]
  const { accessToken = '', feedToken = '' } = desk.service.brokers.currentSession() ?? {}
  const words = await failures(
    desk,
    broker,
    kind,
    [accessToken.split(':').at(-1) ?? '', feedToken].filter(Boolean),
  )
  expect(words).toContain('[redacted]')
  await desk.service.bus.idle()

  const told = {
    words,
    log: JSON.stringify(log.lines),
    events: JSON.stringify(desk.events),
    status: JSON.stringify([
      describeSession(desk.service.brokers.sessionStatus()),
      desk.service.brokers.list(),
      desk.service.brokers.failedCall,
    ]),
  }
  for (const secret of secrets) {
    for (const [where, text] of Object.entries(told))
      expect([where, text.includes(secret)]).toEqual([where, false])
  }
  const long = secrets.filter(({ length }) => length >= LONG)
  expect(filesWith(desk.home, long)).toEqual([])
})
