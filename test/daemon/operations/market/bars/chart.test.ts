import { expect, onTestFinished, test } from 'vitest'
import { ChartPreferences } from '../../../../../src/core/chart/index.js'
import { Database } from '../../../../../src/core/storage/index.js'
import * as tables from '../../../../../src/core/storage/tables/svc/settings.js'
import { TestDesk, USER } from '../../../../support/desk/desk.js'
import { deskClock } from '../../../../support/desk/desk-clock.js'
import { mounted } from '../../../../support/desk/mounted.js'
import { tempFile } from '../../../../support/files/temp.js'
import { createTables } from '../../../../support/schema.js'

const WITHOUT_SOCKET = {}

async function openApp() {
  const { service } = await TestDesk.open()
  const db = await Database.open({ file: tempFile('chart.db'), schema: undefined })
  onTestFinished(() => db.close())
  await createTables(db, tables)
  const { identity } = service
  const apikey = (await identity.apiKeys.rotate(USER)).apiKey
  const chart = new ChartPreferences(db, deskClock(0))
  const app = mounted(identity, undefined, { chart })
  const post = async (body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await app.request('/api/v1/chart', init, WITHOUT_SOCKET)
    return { status: response.status, body: await response.json() }
  }
  const get = async (query: string) => {
    const response = await app.request(`/api/v1/chart${query}`, undefined, WITHOUT_SOCKET)
    return { status: response.status, body: await response.json() }
  }
  return { apikey, post, get }
}

test('preferences are kept and read back, large ones too', async () => {
  const { apikey, post, get } = await openApp()
  const large = 'x'.repeat(1_000_000)
  expect(await post({ apikey, tv_theme: 'dark', large, more: large })).toEqual({
    status: 200,
    body: { status: 'success', message: 'Preferences updated successfully' },
  })
  expect((await get(`?apikey=${apikey}`)).body).toEqual({
    status: 'success',
    data: { tv_theme: 'dark', large, more: large },
  })
})

test('a refusal says why', async () => {
  const { apikey, post, get } = await openApp()
  expect(await get('')).toMatchObject({ status: 400, body: { message: 'Missing apikey parameter' } })
  expect(await get('?apikey=wrong')).toMatchObject({ status: 403, body: { message: 'Invalid svc apikey' } })
  expect(await post({})).toMatchObject({ status: 400, body: { message: 'No data provided' } })
  expect(await post(null)).toMatchObject({ status: 400, body: { message: 'No data provided' } })
  expect(await post({ a: 1 })).toMatchObject({
    status: 400,
    body: { errors: { apikey: ['Missing data for required field.'] } },
  })
  expect(await post({ apikey: 'wrong', a: 1 })).toMatchObject({ status: 403 })
  expect(await post({ apikey })).toMatchObject({
    status: 400,
    body: { message: 'No preferences provided to update' },
  })
})
