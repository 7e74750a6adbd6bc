import { z } from 'zod'
import { LOG_LEVELS, type LogLevel } from '../logging/index.js'
import {
  addressHeader,
  bindAddress,
  brokerKey,
  chats,
  confirmLive,
  endpoints,
  flag,
  folders,
  hosts,
  integer,
  type Kind,
  names,
  networks,
  oneOf,
  origin,
  origins,
  originsOrAny,
  percent,
  rateLimit,
  redirectUrl,
  replayStart,
  safeOrigin,
  schedule,
  secretText,
  someOf,
  text,
  timeOfDay,
} from './kinds.js'
import { TOOLSETS } from './toolsets.js'

interface ConfigKeyInfo {
  /** The kind of value: `integer`, `boolean`, `rate limit`, … */
  kind: string
  range: string
  /** The default as text; undefined if there is none. */
  default: string | undefined
  description: string
  /** True if the value must never be shown or logged. */
  secret: boolean
}

const registry = z.registry<ConfigKeyInfo>()

function setting<T>(kind: Kind<T>, byDefault: string, description: string) {
  const info = { kind: kind.name, range: kind.range, default: byDefault, description, secret: false }
  return kind.schema.prefault(byDefault).register(registry, info)
}

function optional<T>(kind: Kind<T>, description: string) {
  const info = {
    kind: kind.name,
    range: kind.range,
    default: undefined,
    description,
    secret: kind.name === 'secret',
  }
  return kind.schema.optional().register(registry, info)
}

/** The schema is cloned, because each setting registers its own description. */
function required<T>(kind: Kind<T>, description: string) {
  const info = {
    kind: kind.name,
    range: kind.range,
    default: undefined,
    description,
    secret: kind.name === 'secret',
  }
  return kind.schema.clone().register(registry, info)
}

const logLevels = Object.keys(LOG_LEVELS) as LogLevel[]
const longSecret = secretText('at least 32 characters without spaces', /^\S{32,512}$/)

/** Every setting of the service, by its name in the environment and in `config.env`. */
export const configSchema = z.object({
  HOST: setting(
    bindAddress,
    '127.0.0.1',
    'Address the service listens on. Any address except loopback opens it to the network.',
  ),
  SVC_PORT: setting(integer(0, 65_535), '5000', 'Port of the HTTP API. 0 takes any free one.'),
  SVC_WS_PORT: setting(
    integer(0, 65_535),
    '8765',
    'Port of the market stream, which is also at /ws of the HTTP port. 0 takes any free one.',
  ),
  WS_ALLOWED_ORIGINS: optional(
    origins,
    "Additional origins whose pages may open the market stream. The service's own host is always allowed.",
  ),
  TRUST_PROXY_HEADERS: setting(
    flag,
    'false',
    'Takes the client address from proxy headers. Set it only if all requests come through TRUSTED_PROXIES.',
  ),
  TRUSTED_PROXIES: setting(
    networks,
    '127.0.0.0/8,::1',
    'Addresses of the reverse proxies whose headers are trusted if TRUST_PROXY_HEADERS is true.',
  ),
  CLIENT_IP_HEADER: optional(
    addressHeader,
    'The one header in which your proxy names the client. Other headers then count for nothing.',
  ),
  OWNER_ADDRESSES: optional(
    networks,
    'Addresses of yours: they are never banned and never wait to sign in, so nobody can lock you out of them.',
  ),
  HOST_SERVER: optional(
    origin,
    'Address under which browsers reach the service, for links in mails. Without it, links name the address it listens on.',
  ),
  ALLOWED_HOSTS: optional(
    hosts,
    'Additional host names that the service accepts, such as that of a tunnel. localhost and IP addresses are always accepted.',
  ),
  CORS_ENABLED: setting(
    flag,
    'false',
    'Lets pages of CORS_ALLOWED_ORIGINS call /api/v1. Routes that take a session cookie stay closed to them.',
  ),
  CORS_ALLOWED_ORIGINS: optional(originsOrAny, 'Origins whose pages may call /api/v1. Without it, none may.'),
  CORS_ALLOWED_METHODS: setting(names, 'GET,POST,DELETE,PUT,PATCH', 'Methods that these pages may use.'),
  CORS_ALLOWED_HEADERS: setting(
    names,
    'Content-Type,Authorization,X-Requested-With',
    'Request headers that these pages may send, such as X-API-KEY.',
  ),
  CORS_EXPOSED_HEADERS: optional(names, 'Response headers that these pages may read, such as X-Svc-Code.'),
  CORS_ALLOW_CREDENTIALS: setting(
    flag,
    'false',
    'Lets these pages send cookies and TLS certificates. Not allowed while CORS_ALLOWED_ORIGINS is *.',
  ),
  CORS_MAX_AGE: setting(
    integer(0, 86_400, 'seconds'),
    '86400',
    'How long a browser may remember the answer to its preflight request.',
  ),

  APP_KEY: required(longSecret, 'Key for data that is stored encrypted. Generated at first start.'),
  API_KEY_PEPPER: required(
    longSecret,
    'Added to the hashes of passwords and API keys. Generated at first start.',
  ),
  FERNET_SALT: required(
    secretText('at least 32 hexadecimal digits', /^[0-9a-f]{32,256}$/i),
    'Salt of the encryption key. Generated at first start.',
  ),
  SVC_API_KEY: optional(
    secretText('a service API key of at least 32 characters', /^\S{32,256}$/),
    'API key for work without a signed-in user. Workflow webhooks use it if they have no other key.',
  ),

  BROKER_API_KEY: optional(
    brokerKey,
    'API key at the broker: signing in uses it where the broker asks for api_key and you give none.',
  ),
  BROKER_API_SECRET: optional(
    brokerKey,
    'API secret at the broker, used in the same way for api_secret, together with BROKER_API_KEY.',
  ),
  BROKER_API_KEY_MARKET: optional(
    brokerKey,
    'API key of the market data of brokers with a pair of its own (XTS). No plugin of this version asks for it.',
  ),
  BROKER_API_SECRET_MARKET: optional(
    brokerKey,
    'API secret of the market data of such brokers. No plugin of this version asks for it.',
  ),
  REDIRECT_URL: optional(
    redirectUrl,
    'Address to which the broker sends the browser after its log-in. It names the broker that the keys above belong to: no other broker gets them.',
  ),

  SVC_GIT_BRANCH: optional(
    text('a name of up to 200 characters', /^[^\0\n]{1,200}$/),
    'Branch that this program was built from, for the system snapshot. A container image sets it.',
  ),
  SVC_GIT_COMMIT: optional(
    text('7 to 64 hexadecimal digits', /^[0-9a-f]{7,64}$/i),
    'Commit that this program was built from, in the same way.',
  ),

  LOG_TO_FILE: setting(flag, 'false', 'Writes a log file per day.'),
  LOG_LEVEL: setting(oneOf(logLevels), 'INFO', 'The lowest severity that is logged.'),
  LOG_DIR: setting(
    text('a path', /^[^\0]{1,1024}$/),
    'log',
    'Folder of the log files; relative to the home.',
  ),
  LOG_RETENTION: setting(
    integer(1, 3650, 'files and days'),
    '14',
    'How many log files are kept, and for how many days.',
  ),

  ORDER_RATE_LIMIT: setting(rateLimit, '10 per second', 'Limit of the order endpoints, by client address.'),
  SMART_ORDER_RATE_LIMIT: setting(rateLimit, '10 per second', 'Limit of the smart order endpoint.'),
  API_RATE_LIMIT: setting(rateLimit, '50 per second', 'Limit of the other API and session routes.'),
  DATA_RATE_LIMIT: setting(
    rateLimit,
    '50 per second',
    'Limit of each market data, symbol and option endpoint.',
  ),
  SEARCH_RATE_LIMIT: setting(rateLimit, '10 per second', 'Limit of the search endpoint of the API.'),
  GREEKS_RATE_LIMIT: setting(rateLimit, '30 per minute', 'Limit of optiongreeks (the Greeks of one option).'),
  TELEGRAM_RATE_LIMIT: setting(rateLimit, '30 per minute', 'Limit of each Telegram endpoint.'),
  WHATSAPP_RATE_LIMIT: setting(rateLimit, '30 per minute', 'Limit of the WhatsApp endpoint.'),
  LOGIN_RATE_LIMIT_MIN: setting(rateLimit, '5 per minute', 'Short limit of sign-in attempts.'),
  LOGIN_RATE_LIMIT_HOUR: setting(rateLimit, '25 per hour', 'Long limit of sign-in attempts.'),
  WEBHOOK_RATE_LIMIT: setting(
    rateLimit,
    '100 per minute',
    'Limit of webhook calls: of those to workflows only calls with a wrong token, secret or signature count, of those to strategies every call, by address and by token.',
  ),
  STRATEGY_RATE_LIMIT: setting(
    rateLimit,
    '200 per minute',
    'Limit of all session routes of strategies together.',
  ),
  RESET_RATE_LIMIT: setting(rateLimit, '15 per hour', 'Limit of the steps of a password reset.'),

  TELEGRAM_BOT_TOKEN: optional(
    secretText('the token of a Telegram bot', /^\d{5,20}:[\w-]{20,100}$/),
    'Token of the Telegram bot, until another is stored with `svc message channel telegram`.',
  ),
  TELEGRAM_CHATS: optional(
    chats,
    'Telegram chat of each user: `asha=123456789`. `svc message link` links a chat without it.',
  ),
  TELEGRAM_API_URL: optional(
    safeOrigin,
    'Address of a Telegram Bot API server of your own. Without it, https://api.telegram.org.',
  ),
  TELEGRAM_WEBHOOK_SECRET: optional(
    secretText('1 to 256 letters, digits, underscores or dashes', /^[\w-]{1,256}$/),
    "Secret that Telegram sends with each update to the webhook. Without it, a part of the token's SHA-256.",
  ),
  WHATSAPP_ATTACHMENT_ROOTS: optional(
    folders,
    'Folders whose files may be sent by WhatsApp. Without it, the folder `attachments` of the home.',
  ),

  SESSION_EXPIRY_TIME: setting(timeOfDay, '03:00', 'Time of day at which sessions end.'),
  DISABLE_SESSION_EXPIRY: setting(flag, 'false', 'Sessions do not end daily. For markets that never close.'),
  REAUTH_MINUTES: setting(
    integer(0, 1440),
    '15',
    'Minutes for which a sign-in, or the password entered again, allows dangerous acts; 0 never asks again.',
  ),
  SESSION_COOKIE_NAME: setting(
    text('1 to 64 letters, digits, dots, dashes or underscores', /^[\w.-]{1,64}$/),
    'session',
    'Name of the session cookie.',
  ),

  SIM_SEED: setting(
    integer(0, 4_294_967_295),
    '1',
    'Seed of the simulated market: same seed and time, same ticks.',
  ),
  SIM_SESSIONS: setting(
    oneOf(['always', 'market']),
    'always',
    'Whether simulated trading runs at all hours or only in market hours.',
  ),
  SIM_FAULTS: optional(
    text('a fault script', /^[^\0\n]{1,4096}$/),
    'Faults of the simulated broker, for tests.',
  ),
  SIM_REPLAY: optional(
    text('a path', /^[^\0\n]{1,1024}$/),
    'File of recorded bars that the simulated market replays.',
  ),
  SIM_REPLAY_START: optional(
    replayStart,
    'When the first recorded bar plays: now (when the daemon starts), recorded (at its own time), or ' +
      'at an instant. By default recorded if the recording extends beyond the start of the daemon, ' +
      'otherwise now.',
  ),
  BROKER_ENDPOINTS: optional(endpoints, 'Base URLs that replace those of a broker plugin, for tests.'),

  CONFIRM_LIVE: setting(
    confirmLive,
    '100000',
    'When a command asks on a terminal while orders are live: never, always, or for orders of a higher value ' +
      'than this (also of an unknown one) and for everything that starts a workflow or strategy.',
  ),

  APPROVAL_EXPIRY_SECONDS: setting(
    integer(0, 604_800, 'seconds'),
    '0',
    'A queued order expires after this time. 0: never.',
  ),
  APPROVAL_MAX_DRIFT_PERCENT: setting(
    percent(),
    '0',
    'An approval is refused if a price moved by more than this since the order was queued (in a basket, ' +
      'the price of any order). Option orders are not checked, because their contracts are chosen at ' +
      'execution. 0: no check.',
  ),

  FLOW_EXECUTION_RETENTION_COUNT: setting(
    integer(0, 1_000_000, 'runs'),
    '500',
    'How many of the newest runs of each workflow are kept. 0: no limit.',
  ),
  FLOW_EXECUTION_RETENTION_DAYS: setting(
    integer(0, 36_500, 'days'),
    '30',
    'How many days runs of workflows are kept. 0: forever.',
  ),
  FLOW_HTTP_ALLOW: optional(
    hosts,
    'Hosts with a non-public address (your own services) that workflows may send requests to.',
  ),

  ORDER_LOG_RETENTION_DAYS: setting(
    integer(0, 36_500, 'days'),
    '0',
    'How many days live order logs are kept. 0: forever.',
  ),
  ANALYZER_LOG_RETENTION_DAYS: setting(
    integer(0, 36_500, 'days'),
    '90',
    'How many days analyzer logs are kept. 0: forever.',
  ),
  LATENCY_RETENTION_DAYS: setting(
    integer(1, 36_500, 'days'),
    '7',
    'How many days timings of data calls are kept. Timings of orders are kept forever.',
  ),
  AUDIT_RETENTION_DAYS: setting(
    integer(0, 36_500, 'days'),
    '1826',
    'How many days the audit trail is kept. 0: forever.',
  ),
  TRAFFIC_LOG: setting(flag, 'true', 'Records every request in the traffic log.'),
  TRAFFIC_LOG_RETENTION_DAYS: setting(
    integer(0, 36_500, 'days'),
    '30',
    'How many days requests are kept in the traffic log. 0: forever.',
  ),

  MCP_OAUTH_ACCESS_TTL: setting(
    integer(60, 3600, 'seconds'),
    '900',
    'How long an access token of an assistant is valid. A revocation ends it at once in any case.',
  ),
  MCP_OAUTH_REFRESH_TTL: setting(
    integer(3600, 2_678_400, 'seconds'),
    '2592000',
    'How long an assistant that is not used keeps its access. Each use begins the time anew.',
  ),
  MCP_HTTP_CORS_ORIGINS: optional(
    origins,
    'Origins whose pages may connect as assistants. Without it, none may. Programs need no entry.',
  ),
  MCP_RATE_LIMIT: setting(
    rateLimit,
    '120 per minute',
    'Limit of the messages of an assistant, by consent: a refreshed token goes on counting.',
  ),
  MCP_RATE_LIMIT_READ: setting(
    rateLimit,
    '60 per minute',
    'Limit of the calls of an assistant that read, by consent and scope.',
  ),
  MCP_RATE_LIMIT_WRITE: setting(
    rateLimit,
    '50 per minute',
    'Limit of the calls of an assistant that change something, by consent and scope.',
  ),
  SVC_MCP_TOOLSETS: optional(someOf(TOOLSETS), 'The groups of tools that assistants have. Without it, all.'),
  SVC_MCP_READ_ONLY: setting(
    flag,
    'false',
    'Leaves out every tool that changes something, for all assistants.',
  ),
  SVC_MCP_TRUST_ENVELOPE: setting(
    flag,
    'true',
    'Puts the answers of tools into an envelope that says that they are data and no instructions.',
  ),
  MCP_AUDIT_RETENTION_DAYS: setting(
    integer(0, 36_500, 'days'),
    '90',
    'How many days calls of assistants are kept. 0: forever.',
  ),

  HEALTH_MONITOR_ENABLED: setting(
    flag,
    'true',
    'Samples the daemon itself: memory, file descriptors, threads, connections. Alerts depend on it.',
  ),
  METRICS_ALLOW_LOCAL: setting(
    flag,
    'false',
    'Lets every program on this machine read /metrics without a token.',
  ),
  HEALTH_SAMPLE_INTERVAL: setting(integer(1, 3600, 'seconds'), '10', 'Time between two health samples.'),
  HEALTH_RETENTION_DAYS: setting(integer(1, 3650, 'days'), '7', 'How many days health samples are kept.'),
  HEALTH_MEMORY_WARNING_THRESHOLD: setting(
    integer(1, 10_000_000, 'megabytes'),
    '500',
    'Resident memory from which health is "warn".',
  ),
  HEALTH_MEMORY_CRITICAL_THRESHOLD: setting(
    integer(1, 10_000_000, 'megabytes'),
    '1000',
    'Resident memory from which health is "fail".',
  ),
  HEALTH_FD_WARNING_THRESHOLD: setting(
    integer(1, 10_000_000),
    '700',
    'Open file descriptors from which health is "warn".',
  ),
  HEALTH_FD_CRITICAL_THRESHOLD: setting(
    integer(1, 10_000_000),
    '900',
    'Open file descriptors from which health is "fail".',
  ),
  HEALTH_DB_WARNING_THRESHOLD: setting(
    integer(1, 100_000),
    '10',
    'Database connections from which health is "warn".',
  ),
  HEALTH_DB_CRITICAL_THRESHOLD: setting(
    integer(1, 100_000),
    '20',
    'Database connections from which health is "fail".',
  ),
  HEALTH_WS_WARNING_THRESHOLD: setting(
    integer(1, 1_000_000),
    '10',
    'Clients of the event and market streams from which health is "warn".',
  ),
  HEALTH_WS_CRITICAL_THRESHOLD: setting(
    integer(1, 1_000_000),
    '20',
    'Clients of the event and market streams from which health is "fail".',
  ),
  HEALTH_THREAD_WARNING_THRESHOLD: setting(integer(1, 100_000), '50', 'Threads from which health is "warn".'),
  HEALTH_THREAD_CRITICAL_THRESHOLD: setting(
    integer(1, 100_000),
    '100',
    'Threads from which health is "fail".',
  ),
  STRATEGY_TICK_STALE_THRESHOLD_SEC: setting(
    integer(1, 3600, 'seconds'),
    '10',
    'A symbol of a strategy without a streamed price for this long is polled.',
  ),
  STRATEGY_TICK_POLL_INTERVAL_SEC: setting(
    integer(1, 3600, 'seconds'),
    '2',
    'Time between two polls of the symbols of strategies whose stream is silent.',
  ),
  STRATEGY_TICK_POLL_BATCH_MAX: setting(integer(1, 1000, 'symbols'), '50', 'Most symbols of one poll.'),
  STRATEGY_TICK_STALE_FATAL_SEC: setting(
    integer(1, 86_400, 'seconds'),
    '60',
    'A symbol of a strategy without any price for this long is stale.',
  ),
  BACKUP_SCHEDULE: optional(
    schedule,
    'When the daemon makes a backup by itself. Without it, backups are made only with svc backup.',
  ),
  BACKUP_KEEP: setting(
    integer(1, 10_000, 'backups'),
    '7',
    'How many scheduled backups are kept. Those made with svc backup are never removed.',
  ),
  BACKUP_DIR: setting(
    text('a path', /^[^\0\n]{1,1024}$/),
    'backups',
    'Folder of the backups, on another disk if possible; relative to the home.',
  ),
})

/** The parsed and validated settings. */
export type Config = z.output<typeof configSchema>
export type ConfigKey = keyof Config

export interface ConfigKeyRow extends ConfigKeyInfo {
  key: ConfigKey
}

/** One row per setting, in the order of the documentation. */
export const CONFIG_KEYS: readonly ConfigKeyRow[] = (Object.keys(configSchema.shape) as ConfigKey[]).map(
  (key) => {
    const info = registry.get(configSchema.shape[key])
    if (!info) throw new Error(`${key} is not described`)
    return { key, ...info }
  },
)

/** Environment variables of the service that are not settings of the daemon. */
export const OTHER_ENVIRONMENT: readonly string[] = [
  'SVC_HOME',
  'SVC_URL',
  'SVC_TOKEN',
  'SVC_CRASH_AT',
  'SVC_ROUNDS',
]
