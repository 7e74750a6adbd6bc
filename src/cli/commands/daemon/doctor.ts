import type { RouteAnswer } from '../../../client/endpoints.js'
import type { NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import type { ExitStatus } from '../../framework/exit-codes.js'
import {
  CHECKS,
  credential,
  type Finding,
  type Found,
  fail,
  type HealthCheck,
  ok,
  showFindings,
  warn,
} from './checks.js'

export const doctor: NounSpec = {
  summary: 'Checks versions, files, disk, clock, port, daemon and credentials. Exit 1 when something fails.',
  details:
    'A daemon that runs also checks its own connections: database, HTTP, market stream and broker, as svc admin diagnostics shows them. In a context, the checks of files, disk and port are still those of this machine, and are marked (here).',
  examples: ['doctor', 'doctor --json'],
  run: async (context) => runChecks(context, [...CHECKS, ...(await probeChecks(context))]),
}

export const selfCheck: NounSpec = {
  summary: 'Checks an installation: node, sqlite3, argon2, home, port, and an order from end to end.',
  examples: ['self-check', 'self-check --json'],
  details:
    'Needs no daemon: it starts one in a temporary home and removes it. Exit 1 when something fails, with what to do. svc doctor checks a daemon that runs.',
  async run(context) {
    if (context.io.stderr.isTty) context.out.note('Checking; this takes a few seconds …')
    const { INSTALL_CHECKS } = await import('./install-checks.js')
    return runChecks(context, INSTALL_CHECKS)
  },
}

/** Runs the checks one by one and shows their findings. Exit 1 when one fails. */
async function runChecks(context: Context, checks: readonly HealthCheck[]): Promise<ExitStatus> {
  const rows: Found[] = []
  const { shownContext } = context
  for (const { find, isHere, name } of checks) {
    const check = shownContext && isHere ? `${name} (here)` : name
    rows.push({ check, ...(await find(context)) })
  }
  const status = await showFindings(context, rows)
  if (shownContext) {
    context.out.note(
      `The lines with (here) are about the home of this machine, the others about the daemon of the context ${shownContext.name}.`,
    )
  }
  return status
}

type Check = RouteAnswer<'POST /admin/api/system/diagnostics'>['checks'][number]

/** The name of each probe in the list, and the repair when it fails. */
const PROBES: Readonly<Record<Check['id'], { name: string; fix: string }>> = {
  database: {
    name: 'database',
    fix: 'see svc log app --errors; to restore: svc down, svc backup list, svc restore ID --replace',
  },
  loopback: { name: 'http', fix: 'see svc log app --errors, then svc down and svc up' },
  stream: { name: 'stream', fix: 'see svc log app --errors, then svc down and svc up' },
  broker: { name: 'broker host', fix: 'check the network, the firewall and the status page of the broker' },
}

/** Returns the probes of the daemon as checks, run once. One check says why they did not run. */
async function probeChecks(context: Context): Promise<HealthCheck[]> {
  if (!context.hasSession) return [{ name: 'probes', find: async () => ok('not run: no session') }]
  let checks: readonly Check[] = []
  const ran = await credential(context, async () => {
    const { body } = await context.read('POST /admin/api/system/diagnostics', {})
    checks = body.checks
    return ok('run')
  })
  if (checks.length === 0) return [{ name: 'probes', find: async () => ran }]
  return checks.map((check) => ({ name: PROBES[check.id].name, find: async () => findingOf(check) }))
}

function findingOf({ detail, id, ms, name, ok: isOk }: Check): Finding {
  const measured = `${name}: ${detail}${ms === null ? '' : `, ${ms} ms`}`
  if (isOk) return ok(measured)
  // Without a broker session there is nothing to reach.
  return id === 'broker' && ms === null ? warn(measured, 'svc broker login') : fail(measured, PROBES[id].fix)
}
