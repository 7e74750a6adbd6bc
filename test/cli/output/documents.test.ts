import { describe, expect, it } from 'vitest'
import { documentOf, LISTS } from '../../../src/cli/output/documents.js'

const INDIAN = { human: false, utc: false, now: 0 }
const COLUMNS = [{ key: 'id' }, { key: 'updated_at', kind: 'time' }] as const
const ROW = {
  id: 1,
  updated_at: '2026-11-22T21:48:09Z',
  created_at: '2026-11-22T21:48:09.644Z',
  created_at_ist: '2026-11-23 03:18:09 IST',
  reason: '2026-11-22T21:48:09Z',
  instruments: { loaded_at: '2026-11-22T21:47:30.167Z', count: 3 },
  logs: [{ time: '2026-11-23T03:21:16.641+05:30', level: 'info' }],
}

describe('a document', () => {
  it('has every time in one form, also in fields that no column declares', () => {
    expect(documentOf(ROW, COLUMNS, INDIAN)).toEqual({
      id: 1,
      updated_at: '2026-11-23T03:18:09+05:30',
      created_at: '2026-11-23T03:18:09.644+05:30',
      created_at_ist: '2026-11-23T03:18:09+05:30',
      // A text may be anything.
      reason: '2026-11-22T21:48:09Z',
      instruments: { loaded_at: '2026-11-23T03:17:30.167+05:30', count: 3 },
      logs: [{ time: '2026-11-23T03:21:16.641+05:30', level: 'info' }],
    })
  })

  it('has them all in UTC with --utc', () => {
    expect(documentOf(ROW, COLUMNS, { ...INDIAN, utc: true })).toMatchObject({
      updated_at: '2026-11-22T21:48:09Z',
      created_at: '2026-11-22T21:48:09.644Z',
      created_at_ist: '2026-11-22T21:48:09Z',
      instruments: { loaded_at: '2026-11-22T21:47:30.167Z' },
      logs: [{ time: '2026-11-22T21:51:16.641Z' }],
    })
  })

  it('without columns is the answer as it is', () => {
    expect(documentOf(ROW, [], INDIAN)).toEqual(ROW)
  })
})

it('CSV has a byte order mark on request, except on a terminal and where there is nothing', async () => {
  const written = { columns: [{ key: 'id' }], id: 'id', headers: true, bom: true }
  expect(await LISTS.csv([{ id: 1 }], { ...written, isTty: false })).toBe('\uFEFFid\r\n1\r\n')
  expect(await LISTS.csv([{ id: 1 }], { ...written, isTty: true })).toBe('id\r\n1\r\n')
  expect(await LISTS.csv([], { ...written, columns: [], isTty: false })).toBe('')
})
