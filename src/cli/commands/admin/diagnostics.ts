import { PROBE_COLUMNS } from '../../../views/system/probe.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'

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
