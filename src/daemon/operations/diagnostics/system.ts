import { z } from 'zod'
import { REPORTED_ERRORS, runProbes, systemReport, systemSnapshot } from '../../../core/diagnostics/index.js'
import { istDateTime } from '../../../core/time/index.js'
import type { RunningService } from '../../daemon.js'
import { MadeFile } from '../../http/response/reply.js'
import { amount, count, ok, text } from '../common/answers.js'
import { signedIn } from '../running.js'
import { orFail } from './errors.js'
import { probeTargets, snapshotSources } from './installation.js'

const diagnosis = signedIn('Diagnostics', 'api', 'admin')

const TYPES = { md: 'text/markdown', txt: 'text/plain' } as const

const reportQuery = z.object({
  format: z.string().optional().meta({ description: 'md or txt; anything else counts as md.' }),
})

const flag = z.boolean()
const disk = z.strictObject({ total_gb: amount, free_gb: amount, used_percent: amount }).nullable()
const maybe = text.nullable()

const snapshot = ok({
  data: z.strictObject({
    mode: z.strictObject({ analyze_mode: flag, label: z.enum(['LIVE', 'ANALYZE']) }),
    host: z.strictObject({
      system: text,
      release: text,
      version: text,
      machine: text,
      platform: text,
      distro: z.strictObject({ name: maybe, id: maybe, version_id: maybe }).nullable(),
      in_docker: flag,
      is_raspberry_pi: flag,
      rpi_model: maybe,
      is_termux: flag,
      is_android: flag,
    }),
    runtime: z.strictObject({
      node_version: text,
      v8_version: text,
      uv_version: text,
      openssl_version: maybe,
      pid: count,
      process_uptime_seconds: count,
      memory_rss_mb: count,
      heap_used_mb: count,
    }),
    hardware: z.strictObject({
      cpu_count: count,
      cpu_model: maybe,
      memory_total_mb: count,
      memory_available_mb: count,
      memory_percent: amount,
      disk_log: disk,
      disk_db: disk,
    }),
    build: z.strictObject({
      svc_version: text,
      svc_sdk_version: maybe,
      git_branch: maybe,
      git_commit: maybe,
      frontend_build_time: maybe,
    }),
    config: z.strictObject({
      valid_brokers: z.array(text),
      log_level: text,
      log_to_file: flag,
      log_dir: text,
      websocket_host: text,
      websocket_port: count,
      max_symbols_per_websocket: count,
      max_websocket_connections: count,
      api_rate_limit: text,
      secrets_present: z
        .record(z.string(), flag)
        .meta({ description: 'Whether each secret is set; never its value.' }),
      secret_strength: z
        .record(z.string(), flag)
        .meta({ description: 'Whether each key is long enough and no published sample.' }),
    }),
    brokers: z.strictObject({
      configured_brokers: z.array(text),
      active_broker: maybe,
      user_logged_in: flag,
    }),
    databases: z.array(z.strictObject({ name: text, exists: flag, size_mb: amount, modified: maybe })),
    time: z.strictObject({ server_time: text, server_tz: text, ist_time: text }),
  }),
})

const diagnostics = ok({
  ran_at: text.meta({ description: 'Indian time, YYYY-MM-DD HH:MM:SS.' }),
  checks: z.array(
    z.strictObject({
      id: z.enum(['database', 'loopback', 'stream', 'broker']),
      name: text,
      ok: flag,
      ms: amount.nullable(),
      detail: text,
    }),
  ),
})

/** The state of the installation, its probes, and the report of both. */
export const SYSTEM_OPERATIONS = {
  'GET /admin/api/system': diagnosis('Returns the state of the installation. It contains no secret.', {
    answer: snapshot,
    run: async (service) => ({
      status: 'success',
      data: await orFail(systemSnapshot(snapshotSources(service)), 'Failed to build system info'),
    }),
  }),
  'POST /admin/api/system/diagnostics': diagnosis('Runs the probes: database, HTTP, market stream, broker.', {
    limit: 'tenAMinute',
    answer: diagnostics,
    audit: { unrecorded: 'It changes nothing.' },
    run: async (service) => ({
      status: 'success',
      ran_at: istDateTime(service.clock.now()),
      checks: await runProbes(probeTargets(service)),
    }),
  }),
  'GET /admin/api/system/report': diagnosis(
    'Returns a report for support as a file. It contains no secret.',
    {
      limit: 'tenAMinute',
      query: reportQuery,
      example: { format: 'md' },
      answerText: ['text/markdown', 'text/plain'],
      run: async (service, { query }) => {
        const format = query.format === 'txt' ? 'txt' : 'md'
        const now = service.clock.now()
        const parts = await orFail(reportParts(service), 'Failed to generate report')
        const stamp = istDateTime(now).replaceAll(/[-:]/g, '').replace(' ', '-')
        return new MadeFile(systemReport({ ...parts, now }, format), {
          'Content-Type': `${TYPES[format]}; charset=utf-8`,
          'Content-Disposition': `attachment; filename=svc-system-report-${stamp}.${format}`,
        })
      },
    },
  ),
}

async function reportParts(service: RunningService) {
  const { errorLog } = service
  const { entries } = await errorLog.recent({ limit: REPORTED_ERRORS })
  return {
    snapshot: await systemSnapshot(snapshotSources(service)),
    counts: await errorLog.counts(),
    errors: entries,
  }
}
