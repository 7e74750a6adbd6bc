import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../support/files/temp.js'
import { Terminal } from '../../support/terminal.js'

const WORKFLOW = `name: Buys
nodes:
  go: {type: start, next: quote}
  quote: {type: getQuote, with: {symbol: SBIN, exchange: NSE, outputVariable: quote}, next: buy}
  buy: {type: placeOrder, with: {symbol: SBIN, exchange: NSE, action: BUY, quantity: 10}}
`
const BUYS =
  '- {name: buys ten, at: "2026-11-20T10:00:00", market: {NSE:SBIN: 812}, expect: {orders: [{symbol: SBIN, exchange: NSE, action: BUY, quantity: 10}]}}\n'
const NOTHING =
  '- {name: buys nothing, at: "2026-11-20T10:00:00", market: {NSE:SBIN: 812}, expect: {status: failed, orders: []}}\n'
const BARS = `datetime,open,high,low,close,volume
2026-11-20T09:58:00+05:30,700,701,699,700.5,1000
2026-11-20T09:59:00+05:30,700.5,702,700,701.5,1000
`

function folder(files: Readonly<Record<string, string>>): string {
  const directory = tempDir()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  return directory
}

const test = (...words: string[]) =>
  new Terminal({ home: join(tempDir(), 'home') }).svc(['flow', 'test', ...words])

describe('svc flow test', () => {
  it('passing cases are exit 0', async () => {
    const file = join(folder({ 'a.yaml': WORKFLOW, 'a.test.yaml': BUYS }), 'a.test.yaml')
    expect(await test(file)).toEqual({
      exit: 0,
      stdout: `ok    ${file}: buys ten\n`,
      stderr: '1 case, 0 failed.\n',
    })
  })

  it('a failing case is exit 1, with its place and differences, and the others run', async () => {
    const file = join(folder({ 'a.yaml': WORKFLOW, 'a.test.yaml': NOTHING + BUYS }), 'a.test.yaml')
    expect(await test(file)).toEqual({
      exit: 1,
      stdout: [
        `FAIL  ${file}:1: buys nothing`,
        '      status: expected failed, was completed',
        '      order 1: unexpected BUY 10 NSE:SBIN MARKET at 812 MIS',
        `ok    ${file}: buys ten`,
        '',
      ].join('\n'),
      stderr: '2 cases, 1 failed.\n',
    })
  })

  it('a failing case names the node that failed, and its error', async () => {
    const workflow = WORKFLOW.replace(
      'go: {type: start, next: quote}',
      'go: {type: start, next: sum}',
    ).replace(
      '  buy:',
      '  sum: {type: mathExpression, label: Half, with: {expression: "1 / 0"}, next: quote}\n  buy:',
    )
    const file = join(folder({ 'a.yaml': workflow, 'a.test.yaml': BUYS }), 'a.test.yaml')
    expect((await test(file)).stdout).toBe(
      [
        `FAIL  ${file}:1: buys ten`,
        '      order 1: expected BUY 10 NSE:SBIN, none was sent',
        "      node 'sum' (Half) failed: division by zero",
        '',
      ].join('\n'),
    )
  })

  it('mistakes in a file are one line each', async () => {
    const file = join(
      folder({ 'a.yaml': WORKFLOW, 'a.test.yaml': '- {nam: x}\n- {nam: y}\n' }),
      'a.test.yaml',
    )
    const { exit, stderr } = await test(file)
    expect([exit, stderr.includes('u000a')]).toEqual([2, false])
    expect(stderr.split('\n').filter((line) => line.includes('error[')).length).toBeGreaterThan(1)
  })

  it('a case that cannot run fails with its reason, and the others run', async () => {
    const odd = BUYS.replace('buys ten', 'odd').replace('NSE:SBIN:', 'NFO:SBIN01JAN2010CE:')
    const file = join(folder({ 'a.yaml': WORKFLOW, 'a.test.yaml': odd + BUYS }), 'a.test.yaml')
    const { exit, stdout } = await test(file)
    expect(exit).toBe(1)
    expect(stdout).toBe(
      `FAIL  ${file}:1: odd\n      NFO:SBIN01JAN2010CE is not listed on the day of the case\nok    ${file}: buys ten\n`,
    )
  })

  it('--filter selects the cases whose name contains the text', async () => {
    const directory = folder({ 'a.yaml': WORKFLOW, 'a.test.yaml': NOTHING + BUYS })
    const { exit, stdout, stderr } = await test(directory, '--filter', 'ten')
    expect([exit, stderr]).toEqual([0, '1 case, 0 failed.\n'])
    expect(stdout).toContain('buys ten')
  })

  it('--filter without a match is an error, because nothing was tested', async () => {
    const directory = folder({ 'a.yaml': WORKFLOW, 'a.test.yaml': BUYS })
    const { exit, stdout, stderr } = await test(directory, '--filter', 'twenty')
    expect([exit, stdout]).toEqual([2, ''])
    expect(stderr).toContain('No case name contains "twenty".')
  })

  it('--json prints the cases as data', async () => {
    const file = join(folder({ 'a.yaml': WORKFLOW, 'a.test.yaml': NOTHING + BUYS }), 'a.test.yaml')
    const { exit, stdout } = await test(file, '--json')
    expect(exit).toBe(1)
    expect(JSON.parse(stdout)).toEqual([
      {
        file,
        line: 1,
        name: 'buys nothing',
        status: 'failed',
        differences: [
          'status: expected failed, was completed',
          'order 1: unexpected BUY 10 NSE:SBIN MARKET at 812 MIS',
        ],
        failures: [],
      },
      { file, line: 2, name: 'buys ten', status: 'ok', differences: [], failures: [] },
    ])
  })

  it('a folder: runs all cases below it, each with the workflow beside it, of any file extension', async () => {
    const directory = folder({
      'a.yaml': WORKFLOW,
      'a.test.yaml': BUYS,
      'deep/b.json': '{"name": "B", "nodes": {"go": {"type": "start"}}}',
      'deep/b.flow-test.yaml': '- {name: runs, at: "2026-11-20T10:00:00", expect: {status: completed}}\n',
      'alone.yaml': WORKFLOW,
    })
    const { exit, stdout } = await test(directory)
    expect(exit).toBe(0)
    expect(stdout).toBe(
      `ok    ${join(directory, 'a.test.yaml')}: buys ten\nok    ${join(directory, 'deep/b.flow-test.yaml')}: runs\n`,
    )
  })

  it('--replay sets recorded bars for a symbol', async () => {
    const priced =
      '- {name: at the last close, at: "2026-11-20T10:00:00", expect: {variables: {quote.ltp: 701.5}}}\n'
    const directory = folder({ 'a.yaml': WORKFLOW, 'a.test.yaml': priced, 'bars.csv': BARS })
    const { exit, stdout } = await test(
      join(directory, 'a.test.yaml'),
      '--replay',
      `NSE:SBIN=${join(directory, 'bars.csv')}`,
    )
    expect([exit, stdout]).toEqual([0, `ok    ${join(directory, 'a.test.yaml')}: at the last close\n`])
  })

  it.each([
    ['without a file', 'NSE:SBIN', 2, 'is not EXCHANGE:SYMBOL=FILE'],
    ['without an exchange', 'SBIN=bars.csv', 2, 'is not EXCHANGE:SYMBOL=FILE'],
    ['with an empty file name', 'NSE:SBIN=', 2, 'is not EXCHANGE:SYMBOL=FILE'],
    ['of a file that is not there', 'NSE:SBIN=none.csv', 4, 'There is no file'],
    ['of another table', 'NSE:SBIN=other.csv', 2, 'the heading lacks: open, high, low, close, volume'],
    ['with a bar that is none', 'NSE:SBIN=torn.csv', 2, 'line 3 is not a bar'],
    ['without a bar', 'NSE:SBIN=empty.csv', 2, 'has no bars'],
  ])('--replay %s is refused', async (_, given, status, message) => {
    const directory = folder({
      'a.yaml': WORKFLOW,
      'a.test.yaml': BUYS,
      'other.csv': 'time,price\n1,2\n',
      'torn.csv': BARS.replace('700.5,702', '700.5,69'),
      'empty.csv': 'datetime,open,high,low,close,volume\n',
    })
    const [symbol, file] = given.split('=')
    const option = file ? `${symbol}=${join(directory, file)}` : given
    const { exit, stdout, stderr } = await test(directory, '--replay', option)
    expect([exit, stdout]).toEqual([status, ''])
    expect(stderr).toContain(message)
  })

  it.each([
    ['no scenario file', { 'a.yaml': WORKFLOW }, '', 2, 'No scenario file found.'],
    ['a path that is not there', {}, 'none.test.yaml', 4, 'There is no file'],
    ['no workflow beside', { 'a.test.yaml': BUYS }, '', 2, 'a.yaml is missing'],
    [
      'scenarios that are not YAML',
      { 'a.yaml': WORKFLOW, 'a.test.yaml': '- {name: a\n  b' },
      '',
      2,
      'a.test.yaml:2:4: error[syntax]',
    ],
    [
      'a mistyped key',
      { 'a.yaml': WORKFLOW, 'a.test.yaml': BUYS.replace('market', 'markt') },
      '',
      2,
      'a.test.yaml:1:47: error[unknown_key]',
    ],
    [
      'a workflow that cannot be read',
      { 'a.yaml': `${WORKFLOW}: x`, 'a.test.yaml': BUYS },
      '',
      2,
      'a.yaml:6:',
    ],
  ])('%s: nothing is played', async (_, files, path, status, message) => {
    const { exit, stdout, stderr } = await test(join(folder(files), path))
    expect([exit, stdout]).toEqual([status, ''])
    expect(stderr).toContain(message)
  })
})
