import { expect, test } from 'vitest'
import { FREEZE_EXCHANGES } from '../../../../src/core/instruments/index.js'
import { adminRig } from './admin-rig.js'

interface Row {
  id: number
  exchange: string
  symbol: string
  freeze_qty: number
}

type Rig = Awaited<ReturnType<typeof adminRig>>

const rowsOf = async ({ call }: Rig): Promise<Row[]> => (await call('GET', 'freeze')).body.data as Row[]
const ofExchange = async (rig: Rig, exchange: string) =>
  (await rowsOf(rig))
    .filter((row) => row.exchange === exchange)
    .map(({ symbol, freeze_qty }) => [symbol, freeze_qty])

test('the list has the exchanges’ own values at first, by symbol', async () => {
  const rig = await adminRig()
  const rows = await rowsOf(rig)
  expect(rows.find(({ symbol }) => symbol === 'NIFTY')).toMatchObject({ exchange: 'NFO', freeze_qty: 1800 })
  expect(rows.map(({ symbol }) => symbol)).toEqual(rows.map(({ symbol }) => symbol).toSorted())
  const { freeze_count: count, holiday_count: holidays } = (await rig.call('GET', 'stats')).body
  expect(count).toBe(rows.length)
  expect(holidays).toBe(rig.service.calendar.holidayCount)
})

test('an entry is added, changed and deleted', async () => {
  const rig = await adminRig()
  const added = await rig.call('POST', 'freeze', { symbol: ' zomato ', freeze_qty: '2500' })
  const { id } = added.body.data as Row
  expect(added).toMatchObject({
    status: 200,
    body: {
      message: 'Added freeze qty for ZOMATO: 2500',
      data: { id, exchange: 'NFO', symbol: 'ZOMATO', freeze_qty: 2500 },
    },
  })
  expect(await rig.call('POST', 'freeze', { symbol: 'Zomato', freeze_qty: 1 })).toMatchObject({
    status: 400,
    body: { message: 'ZOMATO already exists for NFO' },
  })
  expect((await rig.call('PUT', `freeze/${id}`, { freeze_qty: 2600 })).body).toMatchObject({
    message: 'Updated freeze qty for ZOMATO: 2600',
    data: { freeze_qty: 2600 },
  })
  expect((await rig.call('DELETE', `freeze/${id}`)).body).toEqual({
    status: 'success',
    message: 'Deleted freeze qty for ZOMATO',
  })
  for (const [method, body] of [['PUT', { freeze_qty: 5 }], ['DELETE']] as const) {
    expect(await rig.call(method, `freeze/${id}`, body)).toMatchObject({
      status: 404,
      body: { message: 'Entry not found' },
    })
  }
})

test('of many who add the same entry at once, one succeeds', async () => {
  const rig = await adminRig()
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => rig.call('POST', 'freeze', { symbol: 'ZOMATO', freeze_qty: 10 })),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
})

const WRONG_QUANTITY = 'Must be a whole number from 1 to 1000000000.'

test.each<[string, object, string]>([
  ['no symbol', { freeze_qty: 1 }, 'symbol: Missing data for required field.'],
  ['no quantity', { symbol: 'A' }, 'freeze_qty: Missing data for required field.'],
  ['a zero', { symbol: 'A', freeze_qty: 0 }, WRONG_QUANTITY],
  ['a negative number', { symbol: 'A', freeze_qty: -5 }, WRONG_QUANTITY],
  ['a fraction', { symbol: 'A', freeze_qty: 1.5 }, 'freeze_qty: Not a valid integer.'],
  ['a number that is too large', { symbol: 'A', freeze_qty: 1e9 + 1 }, WRONG_QUANTITY],
  ['a word', { symbol: 'A', freeze_qty: 'many' }, 'freeze_qty: Not a valid number.'],
  ['a null', { symbol: 'A', freeze_qty: null }, 'freeze_qty: Field may not be null.'],
  ['an object', { symbol: {}, freeze_qty: 1 }, 'symbol: Not a valid string.'],
  [
    'an exchange of shares',
    { exchange: 'NSE', symbol: 'A', freeze_qty: 1 },
    'Exchange must be one of: NFO, BFO, CDS, MCX',
  ],
  ['an unknown field', { symbol: 'A', freeze_qty: 1, qty: 2 }, 'qty: Unknown field.'],
])('%s is refused', async (_what, body, message) => {
  const rig = await adminRig()
  const before = await rowsOf(rig)
  expect(await rig.call('POST', 'freeze', body)).toMatchObject({ status: 400, body: { message } })
  expect(await rowsOf(rig)).toEqual(before)
})

test.each(['', ' ', '\u0000', 'A B', '__proto__', '../x', 'a\nb', '\u202eA', '💣', 'A'.repeat(51), "x'--"])(
  'the symbol %j is refused',
  async (symbol) => {
    const rig = await adminRig()
    expect(await rig.call('POST', 'freeze', { symbol, freeze_qty: 1 })).toMatchObject({
      status: 400,
      body: { errors: { symbol: [expect.stringMatching(/^Must be an underlying/)] } },
    })
  },
)

test.each(['0', '-1', '1.0', '1e3', 'abc', '%00', '9'.repeat(30), '__proto__'])(
  'an entry %s does not exist',
  async (id) => {
    const rig = await adminRig()
    expect((await rig.call('PUT', `freeze/${id}`, { freeze_qty: 1 })).status).toBe(404)
    expect((await rig.call('DELETE', `freeze/${id}`)).status).toBe(404)
  },
)

test('an upload replaces the entries of its exchange, and reports each row', async () => {
  const rig = await adminRig()
  const others = (await rowsOf(rig)).filter(({ exchange }) => exchange !== 'BFO')
  const kept = (await rowsOf(rig)).find(({ exchange, symbol }) => exchange === 'BFO' && symbol === 'SENSEX')
  const reply = await rig.upload(
    '\ufeffS.No., SYMBOL ,VOL_FRZ_QTY\r\n1,sensex,1500\r\n\r\n2, NEW , 40 \n3,BANKEX,900\n',
    'bfo',
  )
  expect(reply.status).toBe(200)
  expect(reply.body).toEqual({
    status: 'success',
    message: 'Successfully loaded 3 freeze quantities for BFO',
    count: 3,
    data: {
      exchange: 'BFO',
      added: 1,
      changed: 1,
      unchanged: 1,
      removed: [{ symbol: 'SENSEX50', freeze_qty: 1800 }],
      rows: [
        { line: 2, symbol: 'SENSEX', freeze_qty: 1500, outcome: 'changed', previous: 1000 },
        { line: 4, symbol: 'NEW', freeze_qty: 40, outcome: 'added', previous: null },
        { line: 5, symbol: 'BANKEX', freeze_qty: 900, outcome: 'unchanged', previous: 900 },
      ],
    },
  })
  expect(await ofExchange(rig, 'BFO')).toEqual([
    ['BANKEX', 900],
    ['NEW', 40],
    ['SENSEX', 1500],
  ])
  // An entry that stays keeps its id, so that a page that shows it can still change it.
  expect((await rowsOf(rig)).find(({ symbol }) => symbol === 'SENSEX')?.id).toBe(kept?.id)
  expect((await rowsOf(rig)).filter(({ exchange }) => exchange !== 'BFO')).toEqual(others)
})

test('an upload comes as a form, as browsers send it', async () => {
  const rig = await adminRig()
  const form = new FormData()
  form.set('exchange', 'mcx')
  form.set('csv_file', new File(['SYMBOL,VOL_FRZ_QTY\nGOLD,2000\n'], 'Freeze.CSV', { type: 'text/csv' }))
  expect(await rig.uploadForm(form)).toMatchObject({
    status: 200,
    body: { count: 1, data: { exchange: 'MCX' } },
  })
  expect(await ofExchange(rig, 'MCX')).toEqual([['GOLD', 2000]])
})

test.each<[string, () => FormData, string]>([
  ['no file', () => new FormData(), 'No file selected'],
  ['text instead of a file', () => formWith('csv_file', 'SYMBOL,FRZ'), 'No file selected'],
  [
    'another kind of file',
    () => formWith('csv_file', new File(['x'], 'freeze.xlsx')),
    'Please upload a CSV file',
  ],
])('a form with %s is refused', async (_what, form, message) => {
  const rig = await adminRig()
  expect(await rig.uploadForm(form())).toMatchObject({ status: 400, body: { message } })
})

function formWith(name: string, value: string | File): FormData {
  const form = new FormData()
  if (typeof value === 'string') form.set(name, value)
  else form.set(name, value)
  return form
}

test('an upload with unusable rows changes nothing, and reports them by line', async () => {
  const rig = await adminRig()
  const before = await rowsOf(rig)
  const reply = await rig.upload(
    [
      'SYMBOL,VOL_FRZ_QTY',
      'NIFTY,1800',
      'nifty,900',
      'SBIN,',
      'M M,5',
      'INFY,1e3',
      'TCS,-4',
      '"a',
      'b",7',
      'ABB',
    ].join('\n'),
  )
  expect(reply.status).toBe(400)
  expect(reply.body.message).toMatch(
    /^7 of 8 rows cannot be used; nothing was changed\. Line 3: NIFTY is on line 2 already\.$/,
  )
  expect(reply.body.results).toEqual([
    { line: 3, symbol: 'NIFTY', reason: 'NIFTY is on line 2 already.' },
    { line: 4, symbol: 'SBIN', reason: `Quantity "": ${WRONG_QUANTITY}` },
    { line: 5, symbol: 'M M', reason: expect.stringMatching(/^SYMBOL: Must be an underlying/) },
    { line: 6, symbol: 'INFY', reason: `Quantity "1e3": ${WRONG_QUANTITY}` },
    { line: 7, symbol: 'TCS', reason: `Quantity "-4": ${WRONG_QUANTITY}` },
    { line: 8, symbol: 'A\nB', reason: expect.stringMatching(/^SYMBOL: Must be an underlying/) },
    { line: 10, symbol: 'ABB', reason: `Quantity "": ${WRONG_QUANTITY}` },
  ])
  expect(await rowsOf(rig)).toEqual(before)
})

test.each<[string, string, string]>([
  ['an empty file', '', 'The first line has no column SYMBOL.'],
  ['no column of symbols', 'NAME,VOL_FRZ_QTY\nA,1', 'The first line has no column SYMBOL.'],
  ['no column of quantities', 'SYMBOL,QTY\nA,1', 'The first line has no column VOL_FRZ_QTY.'],
  [
    'two columns of quantities',
    'SYMBOL,FRZ1,FRZ2\nA,1,2',
    'The first line has more than one column with FRZ in its name.',
  ],
  [
    'two columns of symbols',
    'SYMBOL,Symbol,FRZ\nA,B,2',
    'The first line has more than one column with SYMBOL in its name.',
  ],
  ['only a header', 'SYMBOL,FRZ\n\n , \n', 'The file has no row: nothing was changed.'],
  ['too many rows', `SYMBOL,FRZ\n${'A,1\n'.repeat(5_001)}`, 'The file has more than 5000 rows.'],
  [
    'a quote that is not closed',
    `SYMBOL,FRZ\n"${'A\n'.repeat(40_000)}`,
    expect.stringMatching(/is a quote in it not closed/),
  ],
])('a file with %s is refused, and changes nothing', async (_what, text, message) => {
  const rig = await adminRig()
  const before = await rowsOf(rig)
  expect(await rig.upload(text)).toMatchObject({ status: 400, body: { message } })
  expect(await rowsOf(rig)).toEqual(before)
})

test('an upload for an unknown exchange, of another type or too large is refused', async () => {
  const rig = await adminRig()
  expect(await rig.upload('SYMBOL,FRZ\nA,1', 'NSE')).toMatchObject({
    status: 400,
    body: { message: `Exchange must be one of: ${FREEZE_EXCHANGES.join(', ')}` },
  })
  expect(await rig.call('POST', 'freeze/upload', { csv_file: 'SYMBOL,FRZ\nA,1' })).toMatchObject({
    status: 415,
  })
  expect(await rig.upload('x'.repeat(1_048_577))).toMatchObject({ status: 413 })
})

test('an upload that the disk refuses leaves the entries as they were', async () => {
  const rig = await adminRig()
  const before = await rowsOf(rig)
  await rig.service.databases.svc.write((tx) =>
    tx.exec(
      `create trigger full before insert on qty_freeze when new.symbol = 'LAST' begin select raise(abort, 'full'); end`,
    ),
  )
  const reply = await rig.upload('SYMBOL,FRZ\nNIFTY,5\nLAST,7\n')
  expect(reply.status).toBe(500)
  expect(await rowsOf(rig)).toEqual(before)
  expect(await rig.service.databases.svc.queryRaw(`select count(*) as n from qty_freeze`)).toEqual([
    { n: before.length },
  ])
})
