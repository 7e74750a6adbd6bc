import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isStorageBusy, SqliteConnection, storageIdle } from '../../../src/core/storage/sqlite.js'

async function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return SqliteConnection.open(join(folder, 'a.db'), 'writable')
}

test('closing waits for the statements that run or are being prepared', async () => {
  const connection = await opened()
  const slow =
    'with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) select max(i) m from n'
  const running = connection.all(slow)
  const prepared = Array.from({ length: 300 }, (_, i) => connection.all(`select ${i} as i`))
  await connection.close()
  expect(await running).toEqual([{ m: 200_000 }])
  expect(await Promise.all(prepared)).toHaveLength(300)
})

test('a connection that closes refuses new statements', async () => {
  const connection = await opened()
  await connection.all('select 1')
  const closed = connection.close()
  const late = Array.from({ length: 20 }, (_, i) => connection.all(`select ${i} as late`))
  const outcomes = await Promise.allSettled(late)
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
  await closed
})

test('whoever waits for idle storage continues after the last statement of all connections', async () => {
  const [one, other] = [await opened(), await opened()]
  await storageIdle()
  const ended: string[] = []
  const idle = storageIdle().then(() => ended.push('idle at once'))
  await idle
  const work = [one.all('select 1'), other.all('select 2'), other.run('create table t (a)')]
  const all = work.map((statement) => statement.then(() => ended.push('statement')))
  expect(isStorageBusy()).toBe(true)
  await Promise.all([storageIdle(), storageIdle()])
  expect(isStorageBusy()).toBe(false)
  await Promise.all(all)
  expect(ended).toEqual(['idle at once', 'statement', 'statement', 'statement'])
  await Promise.all([one.close(), other.close()])
})
