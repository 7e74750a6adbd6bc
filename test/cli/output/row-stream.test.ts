import { expect, test } from 'vitest'
import { CliError } from '../../../src/cli/framework/errors.js'
import { readSettings } from '../../../src/cli/framework/globals.js'
import { Output, type StreamView } from '../../../src/cli/output/output.js'
import { ioOf } from '../support/terminal.js'

/* A list that goes on: its columns and its query are checked once, before the first row. */

const TICKS: StreamView = {
  columns: [{ key: 'symbol' }, { key: 'ltp', title: 'LAST', kind: 'price' }, { key: 'age', human: true }],
  id: 'symbol',
  record: 'tick',
}
const ROWS = [
  { symbol: 'SBIN', ltp: 812.5, oi: 7 },
  { symbol: 'NIFTY', ltp: 26000 },
]

function output(options: Record<string, unknown>) {
  const out: string[] = []
  const io = ioOf(out, [])
  return { io, written: out, output: new Output(io, readSettings(options, io)) }
}

/** Returns what a stream of the two rows prints. */
async function printed(options: Record<string, unknown>, view = TICKS): Promise<string> {
  const { output: into, written } = output(options)
  const { write } = await into.begin(view)
  for (const row of ROWS) await write(row)
  return written.join('')
}

test.each([
  [{ columns: 'symbol,oi' }, '{"symbol":"SBIN","oi":7}\n{"symbol":"NIFTY","oi":null}\n'],
  [{ columns: 'oi,LAST', json: true }, '{"oi":7,"ltp":812.5}\n{"oi":null,"ltp":26000}\n'],
  [{ columns: 'symbol,oi', output: 'csv' }, 'symbol,oi\r\nSBIN,7\r\nNIFTY,\r\n'],
  [{ columns: 'symbol,oi', output: 'csv', headers: false }, 'SBIN,7\r\nNIFTY,\r\n'],
  [{ columns: 'symbol,oi', output: 'tsv' }, 'symbol\toi\nSBIN\t7\nNIFTY\t\n'],
  [{ columns: 'symbol,oi', output: 'yaml' }, '- symbol: SBIN\n  oi: 7\n- symbol: NIFTY\n  oi: null\n'],
  [{ quiet: true }, 'SBIN\nNIFTY\n'],
  [{ template: '{{symbol}}={{oi}}\\n' }, 'SBIN=7\nNIFTY=\n'],
  [{ template: '{"of":{"{{symbol}}":{{{oi}}}}\\n' }, '{"of":{"SBIN":{7}}\n{"of":{"NIFTY":{}}\n'],
  [{ jq: '.oi // "none"' }, '7\nnone\n'],
])('%j: a row without a value has an empty cell', async (options, text) => {
  expect(await printed(options)).toBe(text)
})

test('CSV without --columns has every field of the record in one heading', async () => {
  const [heading, ...lines] = (await printed({ output: 'csv' })).trimEnd().split('\r\n')
  expect(heading).toMatch(/^symbol,ltp,exchange,mode,.*\boi,open_interest\b/)
  expect(heading?.split(',')).not.toContain('age')
  const cells = (line = '') => line.split(',').length
  expect(lines.map(cells)).toEqual([cells(heading), cells(heading)])
})

test('a stream without a record has the fields of its columns and of the rows that are there', async () => {
  const view = { columns: TICKS.columns, id: 'symbol', rows: ROWS.slice(0, 1) }
  expect(await printed({ columns: 'symbol,oi' }, view)).toContain('"oi":null')
  await expect(printed({ columns: 'symbol,bid_price' }, view)).rejects.toThrow(
    'There is no column "bid_price".',
  )
})

test.each([
  [{ columns: 'symbol,nope' }, 'There is no column "nope".'],
  [{ template: '{{nope}}' }, '--template: there is no field "nope".'],
  [{ template: '{{oi}}', columns: 'symbol' }, '--template: there is no field "oi".'],
  [{ template: '{{symbol' }, '--template: "{{symbol" is no place for a value.'],
  [{ template: '{{symbol}}={{oi} {{ltp}}' }, '--template: "{{oi}" is no place for a value.'],
  [{ jq: '.[' }, '--jq: '],
])('%j is refused before the first row', async (options, message) => {
  const { output: into } = output(options)
  await expect(into.begin(TICKS)).rejects.toMatchObject({
    exit: 2,
    message: expect.stringContaining(message),
  })
})

test.each([
  [{ columns: 'nope' }, 'There is no column "nope"'],
  [{ template: '{{nope}}' }, 'there is no field "nope"'],
  [{ jq: '.symbol + 1' }, 'cannot be added'],
])('%j after an order was sent is an outcome to check, not a wrong command', async (options, message) => {
  const { io, output: into } = output(options)
  io.sent.begin()
  io.sent.answered({ orderid: '26112900000001' }, undefined)
  const error = await into
    .record({ record: { symbol: 'SBIN' }, fields: [{ key: 'symbol' }], id: 'symbol' })
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CliError)
  expect(error).toMatchObject({
    exit: 8,
    message: expect.stringContaining(message),
    hint: 'Check with: svc order status 26112900000001',
  })
})
