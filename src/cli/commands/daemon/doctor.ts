import type { CommandSpec } from '../../framework/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { CHECKS, type Finding } from './checks.js'

export const doctor: CommandSpec = {
  name: 'doctor',
  summary: 'Checks versions, files, disk, clock, port, daemon and credentials. Exit 1 when something fails.',
  examples: ['doctor', 'doctor --json'],
  async run(context) {
    const rows: (Finding & { check: string })[] = []
    for (const { name, find } of CHECKS) rows.push({ check: name, ...(await find(context)) })
    await context.out.list({
      rows: rows.map(({ check, status, detail, fix }) => ({ check, status, detail, fix: fix ?? '' })),
      columns: [
        { key: 'status', title: '', kind: 'status' },
        { key: 'check' },
        { key: 'detail' },
        { key: 'fix' },
      ],
      id: 'check',
      empty: '',
    })
    return rows.some((row) => row.status === 'fail') ? EXIT.failed : EXIT.done
  },
}
