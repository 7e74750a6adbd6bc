import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BYTE_ORDER_MARK } from '../../../src/core/csv/index.js'
import { CliDesk } from '../../support/desk/cli-desk.js'

/** The commands that write CSV, each in its own way. */
const WRITERS = [
  'order list -o csv',
  'fund list -o csv',
  'order list -o csv --no-headers',
  'pnl export',
  'log export',
  'log export --log analyzer',
  'audit export',
]

test('CSV begins with a byte order mark with --bom alone', async () => {
  const desk = await CliDesk.open()
  await desk.svc('order place SBIN NSE BUY 1 --product MIS --strategy "दीपावली ₹"')
  for (const command of WRITERS) {
    const plain = await desk.svc(command)
    const marked = await desk.svc(`${command} --bom`)
    expect([command, plain.exit, marked.exit]).toEqual([command, 0, 0])
    expect(plain.stdout, command).not.toBe('')
    expect([command, plain.stdout.includes(BYTE_ORDER_MARK)]).toEqual([command, false])
    expect([command, marked.stdout.lastIndexOf(BYTE_ORDER_MARK)]).toEqual([command, 0])
  }
  const file = join(desk.home, 'day.csv')
  expect((await desk.svc(`log export --bom --file ${file}`)).exit).toBe(0)
  expect(readFileSync(file, 'utf8').startsWith(`${BYTE_ORDER_MARK}ID,`)).toBe(true)
})

test('what is no CSV has none', async () => {
  const desk = await CliDesk.open()
  await desk.svc('order place SBIN NSE BUY 1 --product MIS')
  for (const format of ['json', 'jsonl', 'yaml', 'tsv', 'name', 'table']) {
    const { exit, stdout } = await desk.svc(`order list -o ${format} --bom`)
    expect([format, exit, stdout.includes(BYTE_ORDER_MARK)]).toEqual([format, 0, false])
  }
  expect((await desk.svc('audit export --format jsonl --bom')).stdout.startsWith('{')).toBe(true)
})
