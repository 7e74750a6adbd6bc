import { expect, test } from 'vitest'
import { filterAndSort } from '../../../../src/tui/components/list/use-list.js'
import type { Column } from '../../../../src/views/table/column.js'
import { threadTime } from '../../../support/turns.js'

const [TEXTS, FIGURES] = [['symbol', 'exchange', 'action'] as const, ['id', 'quantity', 'price'] as const]
const ROWS = Array.from({ length: 5000 }, (_, id) => ({
  symbol: `S${id}`,
  exchange: 'NSE',
  action: 'BUY',
  id,
  quantity: id % 9,
  price: 812.5,
}))
const figures: readonly Column[] = FIGURES.map((key) => ({
  key,
  kind: key === 'price' ? 'price' : 'quantity',
}))
const texts: readonly Column[] = TEXTS.map((key) => ({ key }))

const found = (columns: readonly Column[], filter: string) =>
  filterAndSort(ROWS, columns, { filter, sort: undefined }).length

/** Returns the processor time of some filters, in milliseconds. */
function cost(columns: readonly Column[]): number {
  const before = threadTime()
  for (const filter of ['1', '12', '123', '1234']) found(columns, filter)
  return threadTime() - before
}

test('a filter finds the figures as the table shows them', () => {
  expect([found(figures, '4,999'), found(texts, 's4999'), found(figures, '!812.50')]).toEqual([1, 1, 0])
})

test('figures cost a filter of thousands of rows little more than texts: the keys wait for it', () => {
  const [ofTexts, ofFigures] = [cost(texts), cost(figures)]
  expect(ofFigures).toBeLessThan(8 * ofTexts + 50)
})
