import { expect, onTestFinished, test } from 'vitest'
import { Database, RowsFirst, type StatementRows, storedWith } from '../../../../src/core/storage/index.js'
import { BatchStatement } from '../../../../src/core/storage/statements/batch.js'
import { tempFile } from '../../../support/files/temp.js'
import { commitsIn } from '../../../support/files/wal.js'

const NOTE = new BatchStatement({ table: 'notes', columns: ['text'] })
const NOWHERE = new BatchStatement({ table: 'no_such_table', columns: ['text'] })

async function desk(statement = NOTE) {
  const db = await Database.open({ file: tempFile(), schema: undefined })
  onTestFinished(() => db.close())
  await db.write((tx) => tx.exec('create table notes (text text not null)'))
  const first = new RowsFirst(db, () => [{ statement, rows: [['first']] }])
  const write = (text: string) => (rows: readonly StatementRows[]) =>
    db.script(() => [...rows, { statement: NOTE, rows: [[text]] }])
  const texts = async () =>
    (await db.queryRaw('select text from notes order by rowid')).map(({ text }) => text)
  return { db, first, texts, write }
}

test('the first write takes the rows along in its own commit, and later ones do not', async () => {
  const { db, first, texts, write } = await desk()
  const before = commitsIn(db.file)
  await first.storeWith(write('a'))
  expect(commitsIn(db.file) - before).toBe(1)
  await first.storeWith(write('b'))
  await first.store()
  expect(await texts()).toEqual(['first', 'a', 'b'])
})

test('rows that are stored alone are stored once', async () => {
  const { first, texts, write } = await desk()
  await Promise.all([first.store(), first.store(), first.storeWith(write('a'))])
  expect(await texts()).toEqual(['first', 'a'])
})

test('a write waits for the write that has the rows', async () => {
  const { db, first, texts, write } = await desk()
  const release = await db.hold()
  const taken = first.storeWith(write('a'))
  let isSettled = false
  const later = first.storeWith(async () => {
    isSettled = true
  })
  const settled = first.settled()
  await new Promise((resolve) => setImmediate(resolve))
  expect(isSettled).toBe(false)
  release()
  await Promise.all([taken, later, settled])
  expect(await texts()).toEqual(['first', 'a'])
})

test('rows that cannot be stored stop their write and every later one', async () => {
  const { first, texts, write } = await desk(NOWHERE)
  await first.settled()
  const fault = 'no such table: no_such_table'
  await expect(first.storeWith(write('a'))).rejects.toThrow(fault)
  await expect(first.storeWith(write('b'))).rejects.toThrow(fault)
  await expect(first.store()).rejects.toThrow(fault)
  await expect(first.settled()).rejects.toThrow(fault)
  expect(await texts()).toEqual([])
})

test('a write that has no rows to wait for runs alone', async () => {
  const { first, texts, write } = await desk()
  await storedWith(undefined, write('a'))
  await storedWith(first, write('b'))
  expect(await texts()).toEqual(['a', 'first', 'b'])
})
