import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FAILED_RESETS, FAILED_SIGN_INS } from '../../../src/core/identity/store.js'
import { TestDesk } from '../../support/desk/desk.js'
import { query } from '../../support/files/files.js'

test('a start after a day of guessing at one name looks its last success up once, not for each guess', async () => {
  const desk = await TestDesk.open()
  for (const failures of [FAILED_SIGN_INS, FAILED_RESETS]) {
    const sql = `explain query plan ${failures}`
    const plan = await query<{ detail: string }>(join(desk.home, 'svc.db'), sql, [0, 10])
    expect(plan.filter(({ detail }) => detail.includes('CORRELATED'))).toEqual([])
  }
})
