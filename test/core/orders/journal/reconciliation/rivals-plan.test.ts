import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { DoubtStore } from '../../../../../src/core/orders/journal/reconciliation/doubt-store.js'
import { Database } from '../../../../../src/core/storage/index.js'
import { SqliteConnection } from '../../../../../src/core/storage/sqlite.js'
import { tempDir } from '../../../../support/files/temp.js'

const UNPROVEN = /USING INDEX order_journal_unproven \(broker=\? AND updated_at>\?\)/

test.each(['order', 'gtt'] as const)(
  'the rivals of a doubt about an %s are found without all that was ever rejected',
  async (kind) => {
    const db = await Database.open({ file: join(tempDir(), 'svc.db'), schema: 'svc' })
    const all = vi.spyOn(SqliteConnection.prototype, 'all')
    await new DoubtStore(db).rivals('zerodha', kind, 7)
    const asked = all.mock.calls.map(([sql, params = []]) => ({ sql, params }))
    all.mockRestore()
    const plans: string[] = []
    for (const { params, sql } of asked) {
      const plan = await db.queryRaw(`explain query plan ${sql}`, params)
      plans.push(plan.map(({ detail }) => String(detail)).join('; '))
    }
    await db.close()
    const unproven = expect.stringMatching(UNPROVEN)
    // GTTs that may still fire are few, and found by their state.
    const open = expect.stringContaining('order_journal_page')
    expect(plans).toEqual(kind === 'order' ? [unproven, open, unproven] : [unproven])
  },
)
