import {
  type ErrorLog,
  type ProbeResult,
  REPORTED_ERRORS,
  type SystemSnapshot,
  systemReport,
} from '../../../core/diagnostics/index.js'
import { type Clock, istDateTime } from '../../../core/time/index.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { orFail } from './errors.js'

interface SystemParts {
  clock: Clock
  errors: ErrorLog
  snapshot(): Promise<SystemSnapshot>
  probe(): Promise<ProbeResult[]>
}

const TYPES = { md: 'text/markdown', txt: 'text/plain' } as const

/** Returns the handlers for the state of the installation, its probes, and the report of both. */
export function systemHandlers({ clock, errors, probe, snapshot }: SystemParts) {
  return {
    'GET /admin/api/system': async () => ({
      status: 'success',
      data: await orFail(snapshot(), 'Failed to build system info'),
    }),
    'POST /admin/api/system/diagnostics': async () => ({
      status: 'success',
      ran_at: istDateTime(clock.now()),
      checks: await probe(),
    }),
    // A file with a name of its own.
    'GET /admin/api/system/report': httpHandler(async (c) => {
      const format = c.req.query('format') === 'txt' ? 'txt' : 'md'
      const now = clock.now()
      const parts = await orFail(reportParts(), 'Failed to generate report')
      const stamp = istDateTime(now).replaceAll(/[-:]/g, '').replace(' ', '-')
      return c.body(systemReport({ ...parts, now }, format), 200, {
        'Content-Type': `${TYPES[format]}; charset=utf-8`,
        'Content-Disposition': `attachment; filename=svc-system-report-${stamp}.${format}`,
      })
    }),
  } satisfies Partial<Handlers>

  async function reportParts() {
    const { entries } = await errors.recent({ limit: REPORTED_ERRORS })
    return { snapshot: await snapshot(), counts: await errors.counts(), errors: entries }
  }
}
