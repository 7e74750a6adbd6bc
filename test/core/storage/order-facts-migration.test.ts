import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { expect, test } from 'vitest'
import { Database } from '../../../src/core/storage/index.js'
import { execute } from '../../support/files/files.js'
import { tempDir } from '../../support/files/temp.js'

const FOLDER = fileURLToPath(new URL('../../../src/core/storage/migrations/svc', import.meta.url))
/** The index of the migration that moves facts from texts into columns. */
const FACTS = 8

/** A journal of the previous version. */
async function oldFile(rows: string): Promise<string> {
  const file = join(tempDir(), 'svc.db')
  const migrations = readMigrationFiles({ migrationsFolder: FOLDER }).slice(0, FACTS)
  const ledger = `create table __migrations (created_at integer primary key, hash text not null, applied_at integer not null)`
  const applied = migrations.map(
    ({ folderMillis, hash }) => `insert into __migrations values (${folderMillis}, '${hash}', 0)`,
  )
  await execute(file, [ledger, ...migrations.flatMap(({ sql }) => sql), ...applied, rows].join(';\n'))
  return file
}

const order = (ref: string, fields: Record<string, string | number | null>) => {
  const row = {
    ...{
      order_ref: ref,
      user_id: 'asha',
      api_type: 'placeorder',
      source: 'api',
      mode: 'live',
      broker: 'kite',
    },
    ...{ state: 'accepted', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: '10', product: 'MIS' },
    ...{ request: '{"strategy":"orb"}', created_at: 1, updated_at: 1, ...fields },
  }
  const values = Object.values(row).map((value) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : value,
  )
  return `insert into order_journal (${Object.keys(row).join(', ')}) values (${values.join(', ')})`
}
const event = (ref: string, from: string | null, to: string, detail: string | null) =>
  `insert into order_events (order_ref, at, from_state, to_state, detail) values ('${ref}', 7, ${from ? `'${from}'` : 'null'}, '${to}', ${detail ? `'${detail}'` : 'null'})`

const NOT_SENT = 'Not sent: the service stopped before it came to this order.'

test('the migration moves the facts from texts into columns', async () => {
  const rejected = { state: 'rejected' }
  const file = await oldFile(
    [
      order('filled', { state: 'filled', order_id: '1' }),
      event('filled', 'accepted', 'partial', 'filled 4 of 10 at 951.25'),
      event('filled', 'partial', 'filled', 'filled 10 of 10 at 951.3'),
      order('fraction', { state: 'partial', order_id: '2', request: '{"strategy":"it\'s"}' }),
      event('fraction', 'accepted', 'partial', 'filled 0.5 of 1.5 at 64000.5'),
      order('stopped', { ...rejected, reason: NOT_SENT }),
      order('gate', { ...rejected, reason: 'Too large' }),
      event('gate', 'claimed', 'rejected', 'Too large'),
      order('unreachable', { ...rejected, reason: 'No route' }),
      event('unreachable', 'claimed', 'sending', null),
      event('unreachable', 'sending', 'rejected', 'Never reached the broker: No route'),
      order('refused', {
        ...rejected,
        reason: 'RMS',
        answer: '{"status":400,"code":"broker_rejected","body":{}}',
      }),
      event('refused', 'claimed', 'sending', null),
      event('refused', 'sending', 'rejected', 'RMS'),
      order('exchange', {
        ...rejected,
        reason: 'Circuit',
        order_id: '3',
        answer: '{"status":200,"code":"ok","body":{}}',
      }),
      event('exchange', 'claimed', 'sending', null),
      event('exchange', 'accepted', 'rejected', 'filled 0 of 10 at 0'),
      order('lost', { ...rejected, reason: 'The broker never received it' }),
      order('person', { ...rejected, reason: 'Settled by asha: not there' }),
      order('older', { order_id: '9', created_at: 1 }),
      order('newer', { order_id: '9', created_at: 2 }),
      order('elsewhere', { order_id: '9', broker: 'simulated' }),
      order('trigger', { order_id: '9', api_type: 'placegttorder' }),
      order('close', { order_id: '10', api_type: 'closeposition', request: '{"strategy":"mine"}' }),
    ].join(';\n'),
  )
  const db = await Database.open({ file, schema: 'svc' })
  try {
    const rows = await db.queryRaw(
      'select order_ref, end_cause, strategy, order_id, trigger_id from order_journal order by rowid',
    )
    const column = (name: string) => Object.fromEntries(rows.map((row) => [row.order_ref, row[name]]))
    const causes = Object.entries(column('end_cause')).filter(([, cause]) => cause !== null)
    expect(Object.fromEntries(causes)).toEqual({
      stopped: 'stopped',
      gate: 'not_sent',
      unreachable: 'not_sent',
      refused: 'refused',
      exchange: 'exchange',
      lost: 'not_received',
      person: 'settled',
    })
    expect(column('strategy')).toMatchObject({ filled: 'orb', fraction: "it's", close: 'Squareoff' })
    expect(column('order_id')).toMatchObject({ older: null, newer: '9', elsewhere: '9', trigger: null })
    const triggers = Object.entries(column('trigger_id')).filter(([, id]) => id !== null)
    expect(triggers).toEqual([['trigger', '9']])
    expect(await db.queryRaw('select order_ref, quantity, price, at from order_fills order by id')).toEqual([
      { order_ref: 'filled', quantity: 4, price: 951.25, at: 7 },
      { order_ref: 'filled', quantity: 10, price: 951.3, at: 7 },
      { order_ref: 'fraction', quantity: 0.5, price: 64000.5, at: 7 },
    ])
  } finally {
    await db.close()
  }
})

test('the migration passes over what it cannot read: half an answer, a fill without a price, empty ids', async () => {
  const rejected = { state: 'rejected', reason: 'RMS' }
  const file = await oldFile(
    [
      order('half', { ...rejected, answer: '{"status":200,"code":"o' }),
      event('half', 'claimed', 'sending', null),
      order('none', rejected),
      event('none', 'claimed', 'sending', null),
      order('unpriced', { state: 'filled', order_id: '' }),
      event('unpriced', 'accepted', 'partial', 'filled 4 of 10 at 951.25'),
      event('unpriced', 'partial', 'partial', 'filled 4 of 10 at 0'),
      event('unpriced', 'partial', 'filled', 'filled 10 of 10 at undefined'),
      order('empty', { order_id: '' }),
    ].join(';\n'),
  )
  const db = await Database.open({ file, schema: 'svc' })
  try {
    expect(
      await db.queryRaw('select order_ref, end_cause, order_id from order_journal order by rowid'),
    ).toEqual([
      { order_ref: 'half', end_cause: 'refused', order_id: null },
      { order_ref: 'none', end_cause: 'refused', order_id: null },
      { order_ref: 'unpriced', end_cause: null, order_id: null },
      { order_ref: 'empty', end_cause: null, order_id: null },
    ])
    expect(await db.queryRaw('select quantity, price from order_fills')).toEqual([
      { quantity: 4, price: 951.25 },
    ])
  } finally {
    await db.close()
  }
})
