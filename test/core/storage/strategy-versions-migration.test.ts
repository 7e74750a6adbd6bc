import { expect, test } from 'vitest'
import { type Migration, migrate, migrationsOf } from '../../../src/core/storage/migrate.js'
import { SqliteConnection } from '../../../src/core/storage/sqlite.js'
import { execute, query } from '../../support/files/files.js'
import { tempFile } from '../../support/files/temp.js'

const MIGRATION = migrationsOf('svc').find(({ sql }) =>
  sql.join().includes('CREATE TABLE `strategy_versions`'),
)

async function apply(file: string, migrations: readonly Migration[]): Promise<void> {
  const connection = await SqliteConnection.open(file, 'writable')
  await migrate(connection, file, migrations).finally(() => connection.close())
}

const strategy = (id: number, name: string) =>
  `insert into strategies (id, user_id, name, config, webhook_token_hash, created_at, updated_at)
     values (${id}, 'asha', '${name}', '{"name":"${name}"}', 'h${id}', 1, 9);`
const event = (of: number, ts: number, kind: string, payload: string | null) =>
  `insert into strategy_events (strategy_id, user_id, ts, kind, severity, message, payload)
     values (${of}, 'asha', ${ts}, '${kind}', 'info', 'x', ${payload === null ? 'null' : `'${payload}'`});`

test('the strategies of an earlier version get their configuration of now as a version, under the number it had', async () => {
  const file = tempFile('svc.db')
  const all = migrationsOf('svc')
  const before = all.slice(0, MIGRATION === undefined ? 0 : all.indexOf(MIGRATION))
  await apply(file, before)
  await execute(
    file,
    [
      strategy(1, 'by hand'),
      event(1, 10, 'strategy_created', null),
      strategy(2, 'applied'),
      event(2, 11, 'strategy_created', '{"file":"a.yaml","commit":"abc"}'),
      event(2, 12, 'strategy_updated', '{"fields":["product"],"file":"b.yaml","commit":"def"}'),
      event(2, 13, 'live_enabled', null),
      strategy(3, 'changed here'),
      event(3, 14, 'strategy_created', '{"file":"c.yaml"}'),
      event(3, 15, 'strategy_updated', '{"fields":["product"]}'),
      strategy(4, 'no event'),
      strategy(5, 'no JSON'),
      event(5, 16, 'strategy_created', 'x'),
    ].join('\n'),
  )
  await apply(file, all)
  const row = { by: 'asha', credential: 'unknown', credential_id: null, rolled_back_to: null }
  const named = (strategy_id: number, name: string) => ({
    ...{ strategy_id, name, config: `{"name":"${name}"}` },
    ...row,
  })
  const none = { file: null, commit: null }
  expect(await query(file, 'select * from strategy_versions order by strategy_id')).toEqual([
    { ...named(1, 'by hand'), version: 1, at: 10, origin: 'edit', ...none },
    { ...named(2, 'applied'), version: 2, at: 12, origin: 'apply', file: 'b.yaml', commit: 'def' },
    { ...named(3, 'changed here'), version: 2, at: 15, origin: 'edit', file: 'c.yaml', commit: null },
    { ...named(4, 'no event'), version: 1, at: 9, origin: 'edit', ...none },
    { ...named(5, 'no JSON'), version: 1, at: 16, origin: 'edit', ...none },
  ])
})
