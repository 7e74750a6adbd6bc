import { describe, expect, it } from 'vitest'
import { rowsOf, shownRows, tileBelow } from '../../../src/tui/cockpit/grid.js'
import { DAY, PRESETS } from '../../../src/tui/cockpit/presets.js'

const tilesOf = (ids: readonly string[]) => ids.map((id) => ({ id, span: id === 'pnl' ? 2 : 1 }))
const DAY_TILES = tilesOf(DAY.tiles)

const rowsIn = (width: number, { leastWidth, tiles } = DAY) => rowsOf(tilesOf(tiles), { width, leastWidth })
const idsOf = (rows: readonly (readonly { tile: { id: string } }[])[]) =>
  rows.map((row) => row.map(({ tile }) => tile.id).join(' '))

describe('the tiles of the day', () => {
  it.each([
    [60, ['pnl', 'risk queue', 'orders exposure', 'margin feeds', 'broker strategies', 'workflows errors']],
    [80, ['pnl risk', 'queue orders exposure', 'margin feeds broker', 'strategies workflows errors']],
    [120, ['pnl risk queue', 'orders exposure margin feeds', 'broker strategies workflows errors']],
    [200, ['pnl risk queue', 'orders exposure margin feeds', 'broker strategies workflows errors']],
  ])('stand in rows that fill %i cells', (width, ids) => {
    const rows = rowsIn(width)
    expect(idsOf(rows)).toEqual(ids)
    for (const row of rows) {
      const last = row.at(-1)
      expect((last?.left ?? 0) + (last?.width ?? 0)).toBe(width)
      for (const { width: own } of row) expect(own).toBeGreaterThanOrEqual(DAY.leastWidth)
    }
  })

  it.each([
    [18, [6, 4, 4, 4]],
    [30, [9, 7, 7, 7]],
  ])('share %i lines: the first row has what is left', (height, heights) => {
    expect(shownRows(rowsIn(80), height, 'pnl').map((row) => row[0]?.height)).toEqual(heights)
  })

  it('are those around the cursor where not all rows fit', () => {
    const rows = rowsIn(60)
    expect(idsOf(shownRows(rows, 8, 'pnl'))).toEqual(['pnl', 'risk queue'])
    expect(idsOf(shownRows(rows, 8, 'errors'))).toEqual(['broker strategies', 'workflows errors'])
  })
})

describe('a move down or up', () => {
  it.each([
    ['pnl', 1, 'queue'],
    ['queue', -1, 'pnl'],
    ['orders', -1, 'pnl'],
    ['exposure', -1, 'risk'],
    ['risk', 1, 'exposure'],
    ['pnl', -1, 'pnl'],
    ['errors', 1, 'errors'],
  ])('from %s by %i is to %s', (from, by, to) => {
    expect(tileBelow(rowsIn(80), from, by)?.id).toBe(to)
  })
})

it('every preset shows tiles of the day, each once', () => {
  for (const { tiles } of PRESETS) {
    expect(new Set(tiles).size).toBe(tiles.length)
    for (const id of tiles) expect(DAY_TILES.map((tile) => tile.id)).toContain(id)
  }
})

it('a small preset has wide tiles: one column in 80 cells, three in 200', () => {
  const [, orders = DAY] = PRESETS
  expect(idsOf(rowsIn(80, orders))).toEqual(['queue', 'orders', 'risk'])
  expect(idsOf(rowsIn(120, orders))).toEqual(['queue orders', 'risk'])
  expect(idsOf(rowsIn(200, orders))).toEqual(['queue orders risk'])
})
