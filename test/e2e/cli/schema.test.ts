import { expect, test } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

/* `svc schema` describes what `-o json` prints. */

const desk = commandDesk()

interface Schema {
  $id: string
  properties: Record<string, unknown>
  required: string[]
}

test('lists the records, and prints one by its name or with its version', async () => {
  const rows: { record: string }[] = JSON.parse((await desk.terminal.svc('schema -o json')).stdout)
  expect(rows.map(({ record }) => record)).toEqual(expect.arrayContaining(['order', 'why', 'approval']))
  const { stdout } = await desk.terminal.svc('schema why')
  expect(JSON.parse(stdout)).toMatchObject({ $id: 'svc/why/1', title: 'why' })
  expect((await desk.terminal.svc('schema why/1')).stdout).toBe(stdout)
  expect((await desk.terminal.svc('schema why/9')).exit).toBe(4)
  expect((await desk.terminal.svc('schema nothing')).exit).toBe(4)
})

test.each([
  ['order', 'order list'],
  ['trade', 'trade list'],
  ['position', 'position list'],
  ['fund', 'fund list'],
  ['market-day', 'market hours'],
  ['bar', 'history SBIN NSE --interval 1h'],
  ['traffic-entry', 'log traffic'],
  ['latency-entry', 'log latency'],
])('%s is what svc %s -o json prints', async (record, line) => {
  await desk.terminal.svc('order place SBIN NSE BUY 1 --product MIS')
  const schema: Schema = JSON.parse((await desk.terminal.svc(`schema ${record}`)).stdout)
  const printed: unknown = JSON.parse((await desk.terminal.svc(`${line} -o json`)).stdout)
  const rows: object[] = [printed].flat().map(Object)
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) {
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(row)))
    expect(Object.keys(row)).toEqual(expect.arrayContaining(schema.required))
  }
})
