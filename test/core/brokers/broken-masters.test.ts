import { createServer } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { angel } from '../../../src/core/brokers/angel/index.js'
import type { BrokerPlugin, BrokerSession } from '../../../src/core/brokers/broker.js'
import { dhan } from '../../../src/core/brokers/dhan/index.js'
import { CallBudgets } from '../../../src/core/brokers/kit/budget/call-budgets.js'
import { upstox } from '../../../src/core/brokers/upstox/index.js'
import { zerodha } from '../../../src/core/brokers/zerodha/index.js'
import { InMemoryDirectory, Instruments } from '../../../src/core/instruments/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { Database } from '../../../src/core/storage/index.js'
import * as tables from '../../../src/core/storage/tables/svc/instruments.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { masterText as angelMaster } from '../../fixtures/fake-angel/catalogue.js'
import { masterText as dhanMaster } from '../../fixtures/fake-dhan/catalogue.js'
import { instrumentsCsv } from '../../fixtures/fake-kite/catalogue.js'
import { masterFile } from '../../fixtures/fake-upstox/catalogue.js'
import { tempFile } from '../../support/files/temp.js'
import { createTables } from '../../support/schema.js'
import { SESSION as KITE } from './zerodha/rig.js'

type Body = string | Uint8Array

interface Broker {
  plugin: BrokerPlugin
  session?: BrokerSession
  file: string
}

const BROKERS: readonly Broker[] = [
  { plugin: zerodha, session: KITE, file: instrumentsCsv() },
  { plugin: dhan, file: dhanMaster() },
  { plugin: angel, file: angelMaster() },
  { plugin: upstox, file: gunzipSync(masterFile()).toString('utf8') },
]

/** Returns the first rows of a list, as a file that is whole. */
function firstRows(file: string, part: number): string {
  if (!file.startsWith('[')) {
    const lines = file.trimEnd().split('\n')
    return `${lines.slice(0, Math.ceil(lines.length * part)).join('\n')}\n`
  }
  const rows: unknown = JSON.parse(file)
  return JSON.stringify(Array.isArray(rows) ? rows.slice(0, Math.ceil(rows.length * part)) : [])
}

const BROKEN: readonly (readonly [name: string, made: (file: string) => { body: Body; status?: number }])[] =
  [
    ['an empty file', () => ({ body: '' })],
    ['a list without rows', (file) => ({ body: file.startsWith('[') ? '[]' : firstRows(file, 0.001) })],
    ['a page', () => ({ body: '<!DOCTYPE html><html><body>Under maintenance, please wait</body></html>' })],
    ['a packed page', () => ({ body: gzipSync('<html>\n<body>, ,</body>\n</html>') })],
    ['an error with status 200', () => ({ body: '{"status":"error","message":"no"}' })],
    ['a packed file that is cut', (file) => ({ body: gzipSync(file).subarray(0, -40) })],
    ['a packed file with a wrong sum', (file) => ({ body: withWrongSum(gzipSync(file)) })],
    ['a file that is cut within a row', (file) => ({ body: file.slice(0, Math.floor(file.length * 0.9)) })],
    ['the first third of the rows', (file) => ({ body: firstRows(file, 1 / 3) })],
    ['a gateway that is down', () => ({ body: '<html>503</html>', status: 503 })],
  ]

function withWrongSum(packed: Buffer): Buffer {
  const broken = Buffer.from(packed)
  broken.writeUInt32LE(1, broken.length - 8)
  return broken
}

async function rig({ file, plugin, session }: Broker) {
  const served: { body: Body; status?: number } = { body: gzipSync(file) }
  const server = createServer((_request, response) => {
    response.writeHead(served.status ?? 200).end(served.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const host = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const clock = new VirtualClock('2026-11-27T09:00:00+05:30')
  const db = await Database.open({ file: tempFile('svc.db'), schema: undefined })
  await createTables(db, tables)
  onTestFinished(async () => {
    server.close()
    await db.close()
  })
  const instruments = new Instruments({ db, clock, log: silentLogger, freezeQuantities: [] })
  const context = {
    clock,
    endpoints: { api: host, master: host },
    instruments: InMemoryDirectory.of([]),
    log: silentLogger,
    budgets: new CallBudgets({}, clock),
    stateDir: '',
  }
  const load = () =>
    instruments.replace(plugin.manifest.id, 'broker', plugin.instruments.download(session, context), true)
  return { instruments, load, served }
}

it.each(
  BROKERS.flatMap((broker) =>
    BROKEN.map(([name, made]) => ({ id: broker.plugin.manifest.id, name, broker, made })),
  ),
)(
  'the master of $id stays, and the reason is told, when the broker sends $name',
  async ({ broker, made }) => {
    const { instruments, load, served } = await rig(broker)
    // Kite's dump is not packed.
    if (broker.plugin === zerodha) served.body = broker.file
    await load()
    const before = instruments.status()
    expect(before.record?.count).toBeGreaterThan(5)

    Object.assign(served, { status: undefined }, made(broker.file))
    const failure = await load().then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({ message: expect.stringMatching(/\w{3}/) })
    const { record } = instruments.status()
    expect(record).toMatchObject({ count: before.record?.count, checksum: before.record?.checksum })
    expect(record?.lastError).toMatch(/\w{3}/)
    expect(instruments.directory.find('INFY', 'NSE')).toBeDefined()
  },
)
