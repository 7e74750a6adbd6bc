import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BrokerError } from '../../../src/core/brokers/index.js'
import { FREEZE_QUANTITIES, simulatedMaster } from '../../../src/core/brokers/simulated/index.js'
import { parseKiteDump } from '../../../src/core/brokers/zerodha/master/kite-dump.js'
import { type Instrument, Instruments } from '../../../src/core/instruments/index.js'
import { SearchStore } from '../../../src/core/instruments/search/store.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { Database } from '../../../src/core/storage/index.js'
import * as tables from '../../../src/core/storage/tables/svc/instruments.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { tempFile } from '../../support/files/temp.js'
import { createTables } from '../../support/schema.js'
import { future, option, share } from './samples.js'

const clock = new VirtualClock('2026-11-23T09:00:00+05:30')

async function open(file = tempFile('svc.db')) {
  const isNew = !existsSync(file)
  const db = await Database.open({ file, schema: undefined })
  let open = true
  const close = async () => {
    if (open) await db.close()
    open = false
  }
  onTestFinished(close)
  if (isNew) await createTables(db, tables)
  const instruments = new Instruments({ db, clock, log: silentLogger, freezeQuantities: FREEZE_QUANTITIES })
  return { db, file, instruments, close, snapshot: `${file}-instruments` }
}

const ROWS = [
  share('SBIN', '3045'),
  future('NIFTY', '24-NOV-26', '9001'),
  option('NIFTY', '24-NOV-26', 26000, 'CE', '9002'),
  { ...share('BTCUSDFUT', '27'), exchange: 'CRYPTO', instrumentType: 'PERPFUT', contractValue: 0.001 },
] satisfies Instrument[]

/** Simulates the next start on the same file. */
async function reopened(rig: Awaited<ReturnType<typeof open>>) {
  await rig.close()
  const next = await open(rig.file)
  await next.instruments.load()
  return next
}

describe('the instrument master', () => {
  it('is empty before the first load', async () => {
    const { instruments } = await open()
    expect(await instruments.load()).toEqual({ state: 'empty', record: undefined })
    expect(instruments.directory.find('SBIN', 'NSE')).toBeUndefined()
  })

  it('replaces the master at once behind the same directory object', async () => {
    const { instruments } = await open()
    await instruments.load()
    const { directory } = instruments
    const result = await instruments.replace('simulated', 'generated', [ROWS.slice(0, 2), ROWS.slice(2)])
    expect(result).toMatchObject({ count: 4, dropped: 0 })
    expect(directory.find('SBIN', 'NSE')).toEqual(ROWS[0])
    expect(directory.find('BTCUSDFUT', 'CRYPTO')).toEqual(ROWS[3])
    expect(instruments.status()).toMatchObject({
      state: 'ready',
      record: { brokerId: 'simulated', source: 'generated', count: 4, generatedFor: '2026-11-23' },
    })
  })

  it('stores every row in the table, with the column names of the public API', async () => {
    const { db, instruments } = await open()
    await instruments.replace('simulated', 'generated', [ROWS])
    const rows = await db.queryRaw('select * from instruments order by id')
    expect(rows).toHaveLength(4)
    expect(rows[2]).toEqual({
      id: 3,
      symbol: 'NIFTY24NOV2626000CE',
      brsymbol: 'NIFTY24NOV2626000CE',
      name: 'NIFTY',
      exchange: 'NFO',
      brexchange: 'NFO',
      token: '9002',
      expiry: '24-NOV-26',
      strike: 26000,
      lotsize: 750,
      instrumenttype: 'CE',
      tick_size: 0.05,
      contract_value: null,
    })
    expect(rows[3]).toMatchObject({ contract_value: 0.001, id: 4 })
  })

  it.each([
    ['the file beside the database', () => undefined],
    ['the table alone when the file is gone', (file: string) => rmSync(file)],
    ['the table alone when the file is damaged', (file: string) => writeFileSync(file, 'x'.repeat(5000))],
    ['the table alone when the file is empty', (file: string) => writeFileSync(file, '')],
  ])('is loaded at the next start from %s', async (_, harm) => {
    const rig = await open()
    await rig.instruments.replace('simulated', 'generated', [ROWS])
    const packed = readFileSync(rig.snapshot)
    harm(rig.snapshot)
    const { instruments } = await reopened(rig)
    for (const row of ROWS) expect(instruments.directory.find(row.symbol, row.exchange)).toEqual(row)
    expect(instruments.status()).toMatchObject({ state: 'ready', record: { count: 4 } })
    expect(readFileSync(rig.snapshot)).toEqual(packed)
  })

  it('ignores a snapshot file of another master', async () => {
    const rig = await open()
    await rig.instruments.replace('simulated', 'generated', [ROWS])
    const old = readFileSync(rig.snapshot)
    await rig.instruments.replace('simulated', 'generated', [[share('INFY', '1594')]])
    writeFileSync(rig.snapshot, old)
    const { instruments } = await reopened(rig)
    expect(instruments.directory.count).toBe(1)
    expect(instruments.directory.find('INFY', 'NSE')?.token).toBe('1594')
    expect(instruments.directory.find('SBIN', 'NSE')).toBeUndefined()
  })

  it('uses the table if it was changed after the snapshot', async () => {
    const rig = await open()
    await rig.instruments.replace('simulated', 'generated', [ROWS])
    await rig.db.write(async (tx) => {
      await tx.exec("update instruments set lotsize = 25 where symbol = 'NIFTY24NOV26FUT'")
    })
    rmSync(rig.snapshot)
    const once = await reopened(rig)
    expect(once.instruments.directory.find('NIFTY24NOV26FUT', 'NFO')?.lotSize).toBe(25)
    const twice = await reopened(once)
    expect(twice.instruments.directory.find('NIFTY24NOV26FUT', 'NFO')?.lotSize).toBe(25)
  })
})

describe('the replacement of a master', () => {
  const shares = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => share(`${name}${at}`, String(at)))

  it('lets other writes run between its transactions', async () => {
    const { db, instruments } = await open()
    await instruments.load()
    await instruments.replace('simulated', 'generated', [shares('A', 20_000)])
    let replaced = false
    const replacement = instruments.replace('simulated', 'generated', [shares('B', 20_000)]).then(() => {
      replaced = true
    })
    let between = 0
    for (; !replaced; between++) {
      await db.write((tx) =>
        tx.exec("update qty_freeze set freeze_qty = freeze_qty + 1 where symbol = 'NIFTY'"),
      )
    }
    await replacement
    // 20 transactions write the new rows, one makes them current, 20 delete the old ones.
    expect(between).toBeGreaterThanOrEqual(40)
  })

  it.each([
    ['after some rows were written', 'insert on instruments when new.id = 4500', 2000],
    ['before the new rows became current', 'update on master_contract_status', 2000],
    ['after some old rows were deleted', 'delete on instruments when old.id = 1500', 3000],
  ])('that ends %s leaves one whole master, and the next start deletes the rest', async (_, event, count) => {
    const rig = await open()
    await rig.instruments.replace('simulated', 'generated', [shares('A', 2000)])
    await rig.db.write((tx) =>
      tx.exec(`create trigger stop before ${event} begin select raise(abort, 'stopped'); end`),
    )
    await rig.instruments.replace('simulated', 'generated', [shares('B', 3000)]).catch(() => undefined)
    await rig.db.write((tx) => tx.exec('drop trigger stop'))
    rmSync(rig.snapshot)
    const { db, instruments } = await reopened(rig)
    const kind = count === 2000 ? 'A' : 'B'
    expect(instruments.directory.count).toBe(count)
    expect(instruments.directory.find(`${kind}${count - 1}`, 'NSE')).toMatchObject({
      token: String(count - 1),
    })
    expect(instruments.status().record).toMatchObject({ count })
    const stored = await db.queryRaw('select symbol from instruments order by id')
    expect(stored).toEqual(shares(kind, count).map(({ symbol }) => ({ symbol })))
  })

  it.each<[string, (close: () => void, rows: Instrument[]) => AsyncIterable<Instrument[]>]>([
    [
      'while its rows come in',
      async function* (close, rows) {
        yield rows
        close()
        yield rows
      },
    ],
    [
      'while its rows are written',
      async function* (close, rows) {
        yield rows
        // The first rows are written some turns after the last ones came in.
        setImmediate(() => setImmediate(() => setImmediate(close)))
      },
    ],
  ])('that the end of the service cuts off %s is no failure, and leaves the master', async (_, download) => {
    const rig = await open()
    await rig.instruments.replace('simulated', 'generated', [shares('A', 2000)])
    let closed: Promise<void> | undefined
    const close = () => {
      closed = rig.instruments.close()
    }
    const rows = download(close, shares('B', 20_000))
    await expect(rig.instruments.replace('simulated', 'generated', rows)).rejects.toThrow(
      'The service is stopping.',
    )
    await closed
    expect(rig.instruments.status()).toMatchObject({
      state: 'ready',
      record: { count: 2000, lastError: null },
    })
    const { instruments } = await reopened(rig)
    expect(instruments.directory.find('A1999', 'NSE')).toBeDefined()
    expect(instruments.directory.find('B1999', 'NSE')).toBeUndefined()
  })

  it('hides rows that are not of the current master from searches', async () => {
    const { db, instruments } = await open()
    await instruments.replace('simulated', 'generated', [shares('A', 10)])
    await db.write((tx) =>
      tx.exec(
        "insert into instruments select id + 1000, 'LEFT', 'LEFT', name, exchange, brexchange, token, expiry, strike, lotsize, instrumenttype, tick_size, contract_value from instruments where id = 1",
      ),
    )
    expect(await new SearchStore(db).find({ text: 'LEFT', limit: 10 })).toEqual([])
    expect(await new SearchStore(db).find({ text: 'A9', limit: 10 })).toHaveLength(1)
  })
})

describe('a master that cannot be loaded', () => {
  it.each<[string, () => AsyncIterable<Instrument[]> | Iterable<Instrument[]>, RegExp]>([
    [
      'a truncated download',
      async function* () {
        yield [share('INFY', '1594')]
        throw new BrokerError('network', 'connection reset', { sent: 'maybe' })
      },
      /connection reset/,
    ],
    ['no rows', () => [], /no usable row/],
    ['only unusable rows', () => [[{ ...share('INFY', '1'), lotSize: 0 }]], /no usable row/],
  ])('%s keeps the current one, in memory and on disk', async (_, rows, message) => {
    const rig = await open()
    await rig.instruments.replace('simulated', 'generated', [ROWS])
    await expect(rig.instruments.replace('zerodha', 'broker', rows())).rejects.toThrow(message)
    expect(rig.instruments.directory.find('SBIN', 'NSE')).toEqual(ROWS[0])
    const { instruments } = await reopened(rig)
    expect(instruments.directory.count).toBe(4)
    expect(instruments.status().record).toMatchObject({
      brokerId: 'simulated',
      lastError: expect.stringMatching(message),
      failedAt: clock.now(),
    })
  })

  it('a database error keeps the current rows and record', async () => {
    const rig = await open()
    await rig.instruments.replace('simulated', 'generated', [ROWS])
    await rig.db.write(async (tx) => {
      await tx.exec(
        "create trigger stop before insert on instruments when new.symbol = 'INFY' begin select raise(abort, 'stopped'); end",
      )
    })
    await expect(
      rig.instruments.replace('zerodha', 'broker', [[share('TCS', '1'), share('INFY', '2')]]),
    ).rejects.toThrow('stopped')
    const { instruments, db } = await reopened(rig)
    expect(await db.queryRaw('select count(*) as n from instruments')).toEqual([{ n: 4 }])
    expect(instruments.directory.find('SBIN', 'NSE')).toEqual(ROWS[0])
    expect(instruments.status().record?.brokerId).toBe('simulated')
  })

  it('refuses a second load while one is running', async () => {
    const { instruments } = await open()
    const first = instruments.replace('simulated', 'generated', [ROWS])
    expect(instruments.status().state).toBe('loading')
    await expect(instruments.replace('zerodha', 'broker', [ROWS])).rejects.toMatchObject({ code: 'conflict' })
    await first
    expect(instruments.status()).toMatchObject({ state: 'ready', record: { brokerId: 'simulated' } })
  })

  it('skips repeated symbols and unusable rows, and counts them', async () => {
    const { instruments } = await open()
    const bad = { ...share('BAD', '8'), tickSize: Number.NaN }
    const result = await instruments.replace('x', 'broker', [[...ROWS, share('SBIN', '77'), bad]])
    expect(result).toMatchObject({ count: 4, dropped: 2 })
    expect(instruments.directory.find('SBIN', 'NSE')?.token).toBe('3045')
  })
})

describe('imported dumps', () => {
  const HEADER =
    'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange'

  it('replace the master and report the rows that could not be read', async () => {
    const { instruments } = await open()
    const text = [
      HEADER,
      '256265,1001,NIFTY 50,NIFTY 50,0,,0,0,0,EQ,INDICES,NSE',
      '9001,35,NIFTY26NOVFUT,NIFTY,0,2026-11-24,0,0.1,65,FUT,NFO-FUT,NFO',
      '9002,35,NIFTY26NOVFUT,NIFTY,0,never,0,0.1,65,FUT,NFO-FUT,NFO',
      '9003,36,NIFTY26NOVFUT,NIFTY,0,2026-11-24,0,0.1,65,FUT,NFO-FUT,NFO',
    ].join('\n')
    expect(await instruments.importDump(text, parseKiteDump, 'simulated')).toMatchObject({
      count: 2,
      dropped: 2,
      problems: [
        { line: 4, reason: 'the expiry "never" is not a date' },
        { line: 5, reason: 'NIFTY24NOV26FUT on NFO is already listed on line 3' },
      ],
    })
    expect(instruments.directory.byBrokerSymbol('NSE', 'NIFTY 50')?.symbol).toBe('NIFTY')
    expect(instruments.status().record?.source).toBe('file')
  })

  describe('much smaller than the current master', () => {
    const line = (exchange: string, at: number) =>
      `${exchange}${at},${at},${exchange}S${at},NAME,0,,0,0.05,1,EQ,${exchange},${exchange}`
    const dump = (counts: Record<string, number>) =>
      [HEADER]
        .concat(
          ...Object.entries(counts).map(([exchange, count]) =>
            Array.from({ length: count }, (_, at) => line(exchange, at)),
          ),
        )
        .join('\n')
    const loaded = { NSE: 100, BSE: 40 }

    it.each([
      [{ NSE: 50, BSE: 20 }, undefined],
      [{ NSE: 49, BSE: 40 }, 'NSE 100 → 49 (all 140 → 89)'],
      [{ NSE: 100 }, 'BSE 40 → 0 (all 140 → 100)'],
      [{ NSE: 1, MCX: 300 }, 'NSE 100 → 1, BSE 40 → 0 (all 140 → 301)'],
    ])('%j is loaded unless it halves an exchange: %s', async (offered, refusal) => {
      const { instruments } = await open()
      await instruments.importDump(dump(loaded), parseKiteDump, 'zerodha')
      const attempt = instruments.importDump(dump(offered), parseKiteDump, 'zerodha')
      if (refusal === undefined) await expect(attempt).resolves.toMatchObject({ count: 70 })
      else {
        await expect(attempt).rejects.toMatchObject({
          code: 'conflict',
          message: expect.stringContaining(refusal),
        })
        expect(instruments.directory.countByExchange()).toEqual(loaded)
        expect(instruments.status().record).toMatchObject({ count: 140 })
        await instruments.importDump(dump(offered), parseKiteDump, 'zerodha', true)
      }
      expect(instruments.directory.countByExchange()).toEqual(offered)
    })

    it('are refused as a download too, with a text of its own', async () => {
      const { instruments } = await open()
      await instruments.importDump(dump(loaded), parseKiteDump, 'zerodha')
      await expect(instruments.replace('zerodha', 'broker', [ROWS], true)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(
          /^The broker's download lists fewer than half .* svc broker sync --force$/,
        ),
      })
      expect(instruments.directory.countByExchange()).toEqual(loaded)
    })

    it("are loaded if the master is another broker's, and without the guard", async () => {
      const { instruments } = await open()
      await instruments.importDump(dump(loaded), parseKiteDump, 'simulated')
      await instruments.importDump(dump({ NSE: 1 }), parseKiteDump, 'zerodha')
      expect(instruments.directory.count).toBe(1)
      await instruments.replace('zerodha', 'broker', [ROWS])
      await instruments.replace('zerodha', 'broker', [ROWS.slice(0, 1)])
      expect(instruments.directory.count).toBe(1)
    })
  })

  it('that are truncated change nothing, even if most rows are there', async () => {
    const { instruments } = await open()
    await instruments.replace('zerodha', 'broker', [ROWS])
    const lines = ['1,1,SBIN,STATE BANK,0,,0,0.05,1,EQ,NSE,NSE', '2,2,INFY,INFOSYS,0,,0,0.']
    await expect(
      instruments.importDump([HEADER, ...lines].join('\n'), parseKiteDump, 'zerodha', true),
    ).rejects.toThrow('The dump is truncated')
    expect(instruments.directory.count).toBe(4)
  })

  it('in another format change nothing', async () => {
    const { instruments } = await open()
    await instruments.replace('simulated', 'generated', [ROWS])
    await expect(instruments.importDump('hello', parseKiteDump, 'zerodha')).rejects.toMatchObject({
      code: 'validation',
    })
    expect(instruments.directory.count).toBe(4)
  })
})

describe('freeze quantities', () => {
  it("start with the exchanges' values and follow each change", async () => {
    const { instruments } = await open()
    await instruments.load()
    await instruments.replace('simulated', 'generated', [ROWS])
    const nifty = instruments.directory.find('NIFTY24NOV26FUT', 'NFO')
    if (!nifty) throw new Error('no future')
    expect(instruments.directory.freezeQuantity(nifty)).toBe(1800)
    const entry = instruments.freeze.list().find(({ symbol }) => symbol === 'NIFTY')
    await instruments.freeze.set(entry?.id ?? 0, 900)
    expect(instruments.directory.freezeQuantity(nifty)).toBe(900)
  })

  it('removed by a user stay removed at the next start', async () => {
    const rig = await open()
    await rig.instruments.load()
    await rig.db.write(async (tx) => {
      await tx.exec("delete from qty_freeze where symbol <> 'BANKNIFTY'")
    })
    const { instruments, db } = await reopened(rig)
    await instruments.load()
    expect(await db.queryRaw('select symbol from qty_freeze')).toEqual([{ symbol: 'BANKNIFTY' }])
  })
})

describe('the full simulated master', () => {
  it('is the same after a restart, row by row', async () => {
    const rig = await open()
    await rig.instruments.replace('simulated', 'generated', simulatedMaster({ now: clock.now() }))
    rmSync(rig.snapshot)
    const fromTable = await reopened(rig)
    const fromFile = await reopened(fromTable)
    const { directory } = fromFile.instruments
    const rows = [...simulatedMaster({ now: clock.now() })].flat()
    expect(rows.filter((row) => directory.find(row.symbol, row.exchange)?.token !== row.token)).toEqual([])
    expect(directory.count).toBe(rows.length)
  })
})
