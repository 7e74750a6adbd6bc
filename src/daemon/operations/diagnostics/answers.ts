import { z } from 'zod'
import { amount, count, instant, ok, text } from '../common/answers.js'

const level = z.enum(['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'])
const flag = z.boolean()
const stamp = text.meta({ description: 'Indian time, YYYY-MM-DD HH:MM:SS.' })

const entry = z.strictObject({
  ts: stamp,
  at: instant,
  level,
  logger: text.meta({ description: 'The name of the event.' }),
  module: text,
  file: text.nullable().meta({ description: '<path>:<line> of the exception.' }),
  message: text,
  exception: z.array(text).optional().meta({ description: 'The lines of the stack.' }),
  request: z
    .strictObject({
      method: text.nullable(),
      path: text.nullable(),
      ip: text.nullable(),
      id: text.nullable().meta({ description: 'X-Request-Id of the answer.' }),
    })
    .optional(),
  details: z.record(z.string(), z.unknown()).meta({ description: 'The other facts of the entry.' }),
})

export const errors = ok({
  data: z.array(entry).meta({ description: 'The newest entries, the oldest of them first.' }),
  count: count.meta({ description: 'The entries in this answer.' }),
  scanned: count.meta({ description: 'The lines that were read: at most the last 10 MB.' }),
  total_in_window: count.meta({ description: 'The entries among these lines.' }),
})
export const errorCounts = ok({
  total: count,
  by_level: z.partialRecord(level, count),
  last_24h: count,
  last_1h: count,
})
export const errorGroups = ok({
  groups: z.array(
    z.strictObject({
      fingerprint: text,
      count,
      level,
      logger: text,
      module: text,
      first_seen: stamp,
      last_seen: stamp,
      first_at: instant,
      last_at: instant,
      sample: entry.meta({ description: 'The newest entry of the group.' }),
    }),
  ),
  total_entries: count,
  total_groups: count,
})
export const recorded = ok({})

const disk = z.strictObject({ total_gb: amount, free_gb: amount, used_percent: amount }).nullable()
const maybe = text.nullable()

export const snapshot = ok({
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

export const diagnostics = ok({
  ran_at: stamp,
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
