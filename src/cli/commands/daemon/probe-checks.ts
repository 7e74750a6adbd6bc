import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Context } from '../../framework/context.js'
import { credential, type Finding, fail, type HealthCheck, ok, warn } from './checks.js'

type Check = RouteAnswer<'POST /admin/api/system/diagnostics'>['checks'][number]

/** The name of each probe in the list, and the repair when it fails. */
const PROBES: Readonly<Record<Check['id'], { name: string; fix: string }>> = {
  database: { name: 'database', fix: 'see svc log app --errors; restore the file from a backup' },
  loopback: { name: 'http', fix: 'see svc log app --errors, then svc down and svc up' },
  stream: { name: 'stream', fix: 'see svc log app --errors, then svc down and svc up' },
  broker: { name: 'broker host', fix: 'check the network, the firewall and the status page of the broker' },
}

/** Returns the probes of the daemon as checks, run once. One check says why they did not run. */
export async function probeChecks(context: Context): Promise<HealthCheck[]> {
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
