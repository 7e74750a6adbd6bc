import { expect, test } from 'vitest'
import { sortedBy } from '../../../src/views/table/sort.js'

const ROWS = [{ name: 'b', size: 10 }, { name: 'a', size: 9 }, { name: 'c' }]
const COLUMNS = [{ key: 'name', title: 'NOUN' }, { key: 'size' }]
const names = (sort: string) => sortedBy(ROWS, COLUMNS, sort)?.map((row) => Reflect.get(row, 'name'))

test('rows are in the order of a column, by value, and those without one come last', () => {
  expect(names('noun')).toEqual(['a', 'b', 'c'])
  expect(names('size')).toEqual(['a', 'b', 'c'])
  expect(names('-size')).toEqual(['b', 'a', 'c'])
})

test('there is no order for a column that does not exist', () => {
  expect(names('colour')).toBeUndefined()
})
