import { expect, test } from 'vitest'
import type { Column } from '../../../src/cli/output/tables/column.js'
import { filterAndSort } from '../../../src/tui/components/use-list.js'

const COLUMNS: readonly Column[] = [
  { key: 'id', kind: 'quantity' },
  { key: 'quantity', kind: 'quantity' },
  { key: 'price', kind: 'price' },
  { key: 'symbol' },
]
const ROWS = Array.from({ length: 5000 }, (_, id) => ({
  id,
  quantity: id % 9,
  price: 812.5,
  symbol: `S${id}`,
}))

test('a filter finds the figures as the table shows them', () => {
  const found = (filter: string) => filterAndSort(ROWS, COLUMNS, { filter, sort: undefined }).length
  expect([found('4,999'), found('s4999'), found('!812.50')]).toEqual([1, 1, 0])
})

test('a filter of thousands of rows leaves time for the keys', () => {
  const before = process.cpuUsage()
  for (const filter of ['s', 's4', 's49']) filterAndSort(ROWS, COLUMNS, { filter, sort: undefined })
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(600)
})
