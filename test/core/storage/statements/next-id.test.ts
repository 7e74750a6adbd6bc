import { expect, test } from 'vitest'
import { Database, nextIdIn } from '../../../../src/core/storage/index.js'
import { tempFile } from '../../../support/files/temp.js'

test('the next id follows every one that was given, also those of rows that are gone', async () => {
  const db = await Database.open({ file: tempFile(), schema: 'svc' })
  const next = () => nextIdIn(db, 'strategy_webhook_events')
  const add = (id: number) =>
    db.write((tx) =>
      tx.exec(
        `insert into strategy_webhook_events (id, ip, received_at, result) values (${id}, '127.0.0.1', 1, 'ok')`,
      ),
    )
  expect(await next()).toBe(1)
  await add(7)
  expect(await next()).toBe(8)
  await db.write((tx) => tx.exec('delete from strategy_webhook_events'))
  expect(await next()).toBe(8)
  await db.close()
})
