import { describe, expect, it, onTestFinished } from 'vitest'
import { ChartPreferences } from '../../../src/core/chart/index.js'
import { Database } from '../../../src/core/storage/index.js'
import * as tables from '../../../src/core/storage/tables/svc/settings.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { tempFile } from '../../support/files/temp.js'
import { createTables } from '../../support/schema.js'

async function open() {
  const db = await Database.open({ file: tempFile(), schema: undefined })
  onTestFinished(() => db.close())
  await createTables(db, tables)
  return new ChartPreferences(db, new VirtualClock(0))
}

describe('chart preferences', () => {
  it('store texts unchanged and other values as JSON, by key and user', async () => {
    const preferences = await open()
    await preferences.merge('asha', { tv_theme: 'dark', panes: [1, { a: true }], zoom: 2, off: null })
    await preferences.merge('asha', { tv_theme: 'light' })
    await preferences.merge('ravi', { tv_theme: 'dark' })
    expect(await preferences.read('asha')).toEqual({
      tv_theme: 'light',
      panes: '[1,{"a":true}]',
      zoom: '2',
      off: 'null',
    })
    expect(await preferences.read('nobody')).toEqual({})
  })

  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'x']))

  it('accept up to fifty keys at once', async () => {
    const preferences = await open()
    await preferences.merge('asha', many(50))
    expect(Object.keys(await preferences.read('asha'))).toHaveLength(50)
  })

  it.each([
    ['none', {}, 'No preferences provided to update'],
    ['too many', many(51), 'Too many preference keys (max 50)'],
    ['a long key', { ['k'.repeat(51)]: 1 }, `Preference key too long: ${'k'.repeat(20)}... (max 50 chars)`],
    ['a large value', { big: 'x'.repeat(1_048_576) }, 'Preference value too large for key: big (max 1MB)'],
  ])('refuse %s and keep the stored values', async (_what, values, message) => {
    const preferences = await open()
    await preferences.merge('asha', { a: '1' })
    await expect(preferences.merge('asha', values)).rejects.toMatchObject({ code: 'validation', message })
    expect(await preferences.read('asha')).toEqual({ a: '1' })
  })
})
