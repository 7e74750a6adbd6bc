import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { decodeLog } from '../../../../src/core/flows/engine/run-log.js'
import { Database } from '../../../../src/core/storage/index.js'
import { tempFile } from '../../../support/files/temp.js'

const MIGRATION = new URL(
  '../../../../src/core/storage/migrations/svc/0005_unfinished_runs.sql',
  import.meta.url,
)

test('logs that an earlier version stored with member names are still readable', async () => {
  const db = await Database.open({ file: tempFile('svc.db'), schema: 'svc' })
  onTestFinished(() => db.close())
  const [rewrite = ''] = readFileSync(MIGRATION, 'utf8').split('--> statement-breakpoint').slice(-1)
  const old = [
    { time: '2026-11-20T09:15:00.123+05:30', message: 'Starting "it"', level: 'info' },
    { time: '2026-11-20T09:15:01.000+05:30', message: '', level: 'error' },
  ]
  await db.write(async (tx) => {
    for (const logs of [old, []]) {
      await tx.exec(
        `insert into flow_workflow_executions (workflow_id, started_at, trigger, version, logs) values (1, 0, 'manual', 1, ?)`,
        [JSON.stringify(logs)],
      )
    }
    await tx.exec(rewrite)
  })
  const rows = await db.queryRaw('select logs from flow_workflow_executions order by id')
  const at = Date.parse('2026-11-20T09:15:00.123+05:30')
  expect(rows.map(({ logs }) => decodeLog(String(logs)))).toEqual([
    [
      { at, message: 'Starting "it"', level: 'info' },
      { at: at + 877, message: '', level: 'error' },
    ],
    [],
  ])
})
