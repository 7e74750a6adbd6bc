import type { Context } from '../../framework/context.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import type { Finding } from './checks.js'

export type Found = Finding & { check: string }

/** Shows findings as a list. @returns 1 when one of them fails */
export async function showFindings(context: Context, found: readonly Found[]): Promise<ExitStatus> {
  await context.out.list({
    rows: found.map(({ check, status, detail, fix }) => ({ check, status, detail, fix: fix ?? '' })),
    columns: [
      { key: 'status', title: '', kind: 'status' },
      { key: 'check' },
      { key: 'detail' },
      { key: 'fix' },
    ],
    id: 'check',
    empty: '',
  })
  return found.some(({ status }) => status === 'fail') ? EXIT.failed : EXIT.done
}
