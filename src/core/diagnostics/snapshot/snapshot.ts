import { stat } from 'node:fs/promises'
import { type Config, rateLimitText, secretStrength } from '../../config/index.js'
import { type Clock, istDateTime, istStamp } from '../../time/index.js'
import { buildFacts } from './build.js'
import { hardwareFacts, hostFacts } from './host.js'

const MEBIBYTE = 1_048_576

/** The parts of the service that a snapshot describes. */
export interface SnapshotSources {
  clock: Clock
  config: Config
  home: string
  /** The folder of the logs. */
  logDir: string
  version: string
  packageRoot: string
  /** Branch and commit of a container image. */
  image: { branch: string | undefined; commit: string | undefined }
  mode(): 'live' | 'analyze'
  uptimeMs(): number
  /** The address and the limits of the market stream. */
  stream: { host: string; port(): number; maxSymbols: number; maxConnections: number }
  databases: readonly { name: string; file: string }[]
  brokers: {
    installed(): readonly string[]
    configured(): Promise<readonly string[]>
    active(): string | null
    isConnected(): boolean
  }
  /** Whether secrets that are stored encrypted are set. */
  stored(): { smtpPassword: boolean; telegramToken: boolean }
}

export type SystemSnapshot = Awaited<ReturnType<typeof systemSnapshot>>

/** Returns the state of the installation, section by section. It contains no secret, only whether one is set. */
export async function systemSnapshot(sources: SnapshotSources) {
  const { clock, home, image, logDir, mode, packageRoot, version } = sources
  return {
    mode: modeFacts(mode()),
    host: hostFacts(),
    runtime: runtimeFacts(sources.uptimeMs()),
    hardware: await hardwareFacts({ log: logDir, databases: home }),
    build: buildFacts({ version, packageRoot, ...image }),
    config: configFacts(sources),
    brokers: await brokerFacts(sources.brokers),
    databases: await Promise.all(sources.databases.map(databaseFacts)),
    time: timeFacts(clock.now()),
  }
}

function modeFacts(mode: 'live' | 'analyze') {
  const isAnalyze = mode === 'analyze'
  return { analyze_mode: isAnalyze, label: isAnalyze ? ('ANALYZE' as const) : ('LIVE' as const) }
}

function runtimeFacts(uptimeMs: number) {
  const { openssl, uv, v8 } = process.versions
  const { heapUsed, rss } = process.memoryUsage()
  return {
    node_version: process.version,
    v8_version: v8,
    uv_version: uv,
    openssl_version: openssl ?? null,
    pid: process.pid,
    process_uptime_seconds: Math.floor(uptimeMs / 1000),
    memory_rss_mb: Math.round(rss / MEBIBYTE),
    heap_used_mb: Math.round(heapUsed / MEBIBYTE),
  }
}

function configFacts({ brokers, config, stored, stream }: SnapshotSources) {
  const { smtpPassword, telegramToken } = stored()
  const strength = secretStrength(config)
  return {
    valid_brokers: brokers.installed(),
    log_level: config.LOG_LEVEL,
    log_to_file: config.LOG_TO_FILE,
    log_dir: config.LOG_DIR,
    websocket_host: stream.host,
    websocket_port: stream.port(),
    max_symbols_per_websocket: stream.maxSymbols,
    max_websocket_connections: stream.maxConnections,
    api_rate_limit: rateLimitText(config.API_RATE_LIMIT),
    secrets_present: {
      ...presenceOf(config),
      'SMTP password (DB)': smtpPassword,
      'Telegram bot token (DB)': telegramToken,
    },
    secret_strength: {
      'APP_KEY randomized': strength.APP_KEY,
      'API_KEY_PEPPER randomized': strength.API_KEY_PEPPER,
      'FERNET_SALT per-install': strength.FERNET_SALT,
    },
  }
}

/** Returns which secrets of the configuration are set. */
function presenceOf(config: Config) {
  const isSet = (name: keyof Config) => config[name] !== undefined
  return {
    APP_KEY: isSet('APP_KEY'),
    API_KEY_PEPPER: isSet('API_KEY_PEPPER'),
    BROKER_API_KEY: isSet('BROKER_API_KEY'),
    BROKER_API_SECRET: isSet('BROKER_API_SECRET'),
    BROKER_API_KEY_MARKET: isSet('BROKER_API_KEY_MARKET'),
    BROKER_API_SECRET_MARKET: isSet('BROKER_API_SECRET_MARKET'),
    REDIRECT_URL: isSet('REDIRECT_URL'),
  }
}

async function brokerFacts({ active, configured, isConnected }: SnapshotSources['brokers']) {
  return {
    configured_brokers: await configured(),
    active_broker: active(),
    user_logged_in: isConnected(),
  }
}

async function databaseFacts({ file, name }: { name: string; file: string }) {
  const stats = await stat(file).catch(() => undefined)
  return {
    name,
    exists: stats?.isFile() ?? false,
    size_mb: Math.round(((stats?.size ?? 0) / MEBIBYTE) * 100) / 100,
    modified: stats === undefined ? null : istDateTime(stats.mtimeMs),
  }
}

function timeFacts(now: number) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return {
    // The Swedish form is `YYYY-MM-DD HH:MM:SS`.
    server_time: new Date(now).toLocaleString('sv-SE'),
    server_tz: zone,
    ist_time: istStamp(now),
  }
}
