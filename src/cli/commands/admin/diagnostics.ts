import { PROBE_COLUMNS } from '../../../views/system/probe.js'
import { declared } from '../../framework/command/declared.js'
import { EXIT } from '../../framework/exit-codes.js'

export const diagnostics = declared({
  name: 'diagnostics',
  summary: 'Runs the probes of the daemon: database, HTTP, market stream, broker. Exit 1 when one fails.',
  details:
    'Each probe has a limit of 2 to 3 seconds. svc doctor runs the same probes, and checks this machine.',
  examples: ['admin diagnostics', "admin diagnostics --jq '.[] | select(.ok | not) | .name'"],
  calls: 'POST /admin/api/system/diagnostics',
  reads: true,
  list: ({ checks }) => ({ rows: checks, id: 'id', empty: '', columns: PROBE_COLUMNS }),
  exit: ({ checks }) => (checks.every(({ ok }) => ok) ? EXIT.done : EXIT.failed),
})
