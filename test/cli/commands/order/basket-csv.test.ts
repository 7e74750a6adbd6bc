import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ordersOfCsv } from '../../../../src/cli/commands/order/basket/csv.js'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { tempDir } from '../../../support/files/temp.js'

const HEADER = 'symbol,exchange,action,quantity,product,pricetype,price,trigger_price'

test('a CSV has one order on each line; an empty cell leaves its field out', () => {
  const text = `\uFEFF${HEADER},amo\r\n"SBIN",NSE,buy,10,CNC,LIMIT,900.5,,true\r\n\r\nM&M,NSE,SELL,5,,,,,\r\n`
  expect(ordersOfCsv(text, 'b.csv')).toEqual([
    {
      symbol: 'SBIN',
      exchange: 'NSE',
      action: 'BUY',
      quantity: 10,
      product: 'CNC',
      pricetype: 'LIMIT',
      price: 900.5,
      amo: true,
    },
    { symbol: 'M&M', exchange: 'NSE', action: 'SELL', quantity: 5 },
  ])
})

const START = 'symbol,exchange,action,quantity,price'
test.each([
  ['an unknown column', `${START},limit\nSBIN,NSE,BUY,1,,9`, 'the column "limit" is not a field of an order'],
  ['a result of an order', `${START},orderid\nSBIN,NSE,BUY,1,,9`, 'the column "orderid"'],
  ['the strategy', `${START},strategy\nSBIN,NSE,BUY,1,,x`, 'the column "strategy"'],
  ['a column twice', `${START},price\nSBIN,NSE,BUY,1,,`, 'has the column price twice'],
  ['a missing column', 'symbol,exchange,action\nSBIN,NSE,BUY', 'has no column quantity'],
  ['a cell too few', `${START}\nSBIN,NSE,BUY,1,9\nTCS,NSE,BUY,1`, 'b.csv line 3 has 4 cells'],
  ['a cell too many', `${START}\nSBIN,NSE,BUY,1,000,9`, 'b.csv line 2 has 6 cells'],
  ['grouped units', `${START}\nSBIN,NSE,BUY,"1,000",`, 'b.csv line 2: quantity: Not a valid number.'],
  ['a power', `${START}\nSBIN,NSE,BUY,1e3,`, 'b.csv line 2: quantity: Must be in plain digits'],
  ['an open quote', `${START}\n"SBIN,NSE,BUY,1,\nTCS,NSE,BUY,1,`, 'b.csv line 2'],
  ['an open quote in the last cell', `${START}\nSBIN,NSE,BUY,1,"\nTCS,NSE,BUY,1,`, 'b.csv line 2'],
  ['semicolons', 'symbol;exchange;action;quantity\nSBIN;NSE;BUY;1', 'is not a field of an order'],
])('%s is refused', (_, text, problem) => {
  expect(() => ordersOfCsv(text, 'b.csv')).toThrow(problem)
})

test('svc order basket places the orders of a CSV, from a file and from stdin', async () => {
  const desk = await CliDesk.open()
  const text = 'symbol,exchange,action,quantity,product\nSBIN,NSE,BUY,1,MIS\nINFY,NSE,BUY,2,MIS\n'
  const file = join(tempDir(), 'b.csv')
  writeFileSync(file, text)
  for (const [line, stdin] of [
    [`order basket ${file} --yes`, ''],
    ['order basket - --yes', text],
  ] as const) {
    const { exit, stderr } = await desk.svc(line, { stdin })
    expect([line, exit, stderr]).toEqual([line, 0, expect.stringContaining('2 of 2 orders placed')])
  }
  expect(JSON.parse((await desk.svc('order list -o json')).stdout)).toHaveLength(4)
})

test('another text is refused with the forms of a basket, and errors count its orders from 1', async () => {
  const desk = await CliDesk.open()
  const other = await desk.svc('order basket - --yes', { stdin: 'hello' })
  expect([other.exit, other.stderr]).toEqual([2, expect.stringContaining('orders as JSON, YAML or CSV')])
  const stdin = JSON.stringify([{ symbol: 'SBIN', action: 'BUY', quantity: 1 }])
  const { stderr } = await desk.svc('order basket - --yes', { stdin })
  expect(stderr).toContain('order 1, exchange')
  expect(stderr).not.toContain('orders.0')
})
