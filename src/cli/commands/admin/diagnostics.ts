import type { CommandSpec } from '../../framework/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import type { Column } from '../../output/tables/column.js'

export const PROBE_COLUMNS = [
  { key: 'name', title: 'PROBE' },
  { key: 'ok' },
  { key: 'ms', kind: 'decimals' },
  { key: 'detail' },
  { key: 'id', wide: true },
] as const satisfies readonly Column[]

export const diagnostics: CommandSpec = {
  name: 'diagnostics',
  summary: 'Runs the probes of the daemon: database, HTTP, market stream, broker. Exit 1 when one fails.',
  details:
    'Each probe has a limit of 2 to 3 seconds. svc doctor runs the same probes, and checks this machine.',
  examples: ['admin diagnostics', "admin diagnostics --jq '.[] | select(.ok | not) | .name'"],
  async run(context) {
    const { checks } = (await context.read('POST /admin/api/system/diagnostics', {})).body
    await context.out.list({
      rows: checks,
      id: 'id',
      empty: '',
      columns: PROBE_COLUMNS,
    })
    return checks.every(({ ok }) => ok) ? EXIT.done : EXIT.failed
  },
}
