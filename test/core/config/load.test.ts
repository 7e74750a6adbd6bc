import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ENVIRONMENT } from '../../../src/cli/help/topics.js'
import { CONFIG_KEYS, loadConfig, secretValues } from '../../../src/core/config/index.js'
import { ServiceError } from '../../../src/core/errors/index.js'
import { tempDir } from '../../support/files/temp.js'

const SECRETS = {
  APP_KEY: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  API_KEY_PEPPER: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  FERNET_SALT: 'fd61a03af4f77d870fc21e05e7e80678',
}

/** A home that does not exist yet, or one with the given configuration file. */
function home(file?: string, mode = 0o600): string {
  const dir = join(tempDir(), 'svc')
  if (file !== undefined) {
    mkdirSync(dir, { mode: 0o700 })
    writeFileSync(join(dir, 'config.env'), file, { mode })
    chmodSync(join(dir, 'config.env'), mode)
  }
  return dir
}

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

function refusal(env: Record<string, string>, dir = home()): ServiceError {
  try {
    loadConfig({ home: dir, env })
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('the configuration was accepted')
}

describe('first start', () => {
  test('generates the secrets into config.env, readable only by its owner', () => {
    const dir = home()
    const { values, warnings, sources } = loadConfig({ home: dir, env: {} })
    expect(values.APP_KEY).toMatch(/^[0-9a-f]{64}$/)
    expect(values.API_KEY_PEPPER).toMatch(/^[0-9a-f]{64}$/)
    expect(values.FERNET_SALT).toMatch(/^[0-9a-f]{32}$/)
    expect(values.APP_KEY).not.toBe(values.API_KEY_PEPPER)
    expect([mode(dir), mode(join(dir, 'config.env')), readdirSync(dir)]).toEqual([
      '700',
      '600',
      ['config.env'],
    ])
    expect([sources.APP_KEY, sources.SVC_PORT, warnings]).toEqual(['file', 'default', []])
  })

  test('keeps them: the next start reads the same values', () => {
    const dir = home()
    const first = loadConfig({ home: dir, env: {} })
    expect(loadConfig({ home: dir, env: {} }).values).toEqual(first.values)
  })

  test('adds missing secrets to an existing file and keeps every line of it', () => {
    const dir = home('# mine\nSVC_PORT=6001')
    const { values } = loadConfig({ home: dir, env: { APP_KEY: SECRETS.APP_KEY } })
    const text = readFileSync(join(dir, 'config.env'), 'utf8')
    expect(text.startsWith('# mine\nSVC_PORT=6001\n# Generated')).toBe(true)
    expect(text).not.toContain('APP_KEY=9f86')
    expect(text).toContain(`API_KEY_PEPPER=${values.API_KEY_PEPPER}\n`)
    expect(values.SVC_PORT).toBe(6001)
  })

  test('generates nothing if the environment has all three', () => {
    const dir = home()
    mkdirSync(dir)
    loadConfig({ home: dir, env: SECRETS })
    expect(readdirSync(dir)).toEqual([])
  })

  test('never generates new secrets if a database made with others exists', () => {
    const dir = home('')
    writeFileSync(join(dir, 'svc.db'), '')
    const error = refusal({}, dir)
    expect(Object.keys(error.errors ?? {})).toEqual(['APP_KEY', 'API_KEY_PEPPER', 'FERNET_SALT'])
    expect(error.message).toContain('restore it from a backup')
    expect(readFileSync(join(dir, 'config.env'), 'utf8')).toBe('')
  })
})

describe('where a value comes from', () => {
  test('the environment overrides the file, the file overrides the default; an empty value counts as none', () => {
    const dir = home('SVC_PORT=6001\nSVC_WS_PORT=6002\nLOG_LEVEL="debug" # loud\nLOG_RETENTION=\n')
    const { values, sources } = loadConfig({
      home: dir,
      env: { ...SECRETS, SVC_PORT: '7001', SVC_WS_PORT: '' },
    })
    expect(values).toMatchObject({ SVC_PORT: 7001, SVC_WS_PORT: 6002, LOG_LEVEL: 'DEBUG', LOG_RETENTION: 14 })
    expect(sources).toMatchObject({
      SVC_PORT: 'environment',
      SVC_WS_PORT: 'file',
      LOG_LEVEL: 'file',
      LOG_RETENTION: 'default',
    })
  })

  test('defaults are the documented ones', () => {
    const { values } = loadConfig({ home: home(), env: SECRETS })
    expect(values).toMatchObject({
      HOST: '127.0.0.1',
      SVC_PORT: 5000,
      SVC_WS_PORT: 8765,
      TRUST_PROXY_HEADERS: false,
      LOG_TO_FILE: false,
      LOG_LEVEL: 'INFO',
      LOG_DIR: 'log',
      LOG_RETENTION: 14,
      ORDER_RATE_LIMIT: [{ count: 10, perMs: 1000 }],
      SMART_ORDER_RATE_LIMIT: [{ count: 10, perMs: 1000 }],
      API_RATE_LIMIT: [{ count: 50, perMs: 1000 }],
      LOGIN_RATE_LIMIT_MIN: [{ count: 5, perMs: 60_000 }],
      LOGIN_RATE_LIMIT_HOUR: [{ count: 25, perMs: 3_600_000 }],
      SESSION_EXPIRY_TIME: '03:00',
      DISABLE_SESSION_EXPIRY: false,
      SESSION_COOKIE_NAME: 'session',
      APPROVAL_EXPIRY_SECONDS: 0,
      APPROVAL_MAX_DRIFT_PERCENT: 0,
    })
    expect(values.SVC_API_KEY).toBeUndefined()
  })

  test.each([
    ['HOST', '::1', '::1'],
    ['HOST', 'localhost', 'localhost'],
    ['SVC_PORT', '0', 0],
    ['LOG_TO_FILE', 'TRUE', true],
    ['LOG_TO_FILE', '0', false],
    ['LOG_LEVEL', 'critical', 'CRITICAL'],
    ['SESSION_EXPIRY_TIME', '3:30', '03:30'],
    ['APPROVAL_MAX_DRIFT_PERCENT', '0.25', 0.25],
    ['SIM_SESSIONS', 'MARKET', 'market'],
    [
      'BROKER_ENDPOINTS',
      'api=http://127.0.0.1:81/x, ws=ws://h',
      { api: 'http://127.0.0.1:81/x', ws: 'ws://h' },
    ],
    [
      'WS_ALLOWED_ORIGINS',
      'https://Desk.example/, http://localhost:3000',
      ['https://desk.example', 'http://localhost:3000'],
    ],
    ['FLOW_HTTP_ALLOW', 'Desk.internal, nas:9000,[::1]:80', ['desk.internal', 'nas:9000', '[::1]:80']],
    [
      'ORDER_RATE_LIMIT',
      '5/second;100/minute',
      [
        { count: 5, perMs: 1000 },
        { count: 100, perMs: 60_000 },
      ],
    ],
  ] as const)('%s=%s is read', (key, text, value) => {
    expect(loadConfig({ home: home(), env: { ...SECRETS, [key]: text } }).values[key]).toEqual(value)
  })
})

describe('refusals', () => {
  test.each([
    ['HOST', 'my-laptop', 'must be an IP address or localhost'],
    ['SVC_PORT', '70000', 'must be a whole number from 0 to 65535'],
    ['SVC_PORT', '5e3', 'must be a whole number from 0 to 65535'],
    ['SVC_PORT', '-1', 'must be a whole number from 0 to 65535'],
    ['LOG_TO_FILE', 'maybe', 'must be true or false'],
    ['LOG_LEVEL', 'LOUD', 'must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL'],
    ['LOG_RETENTION', '0', 'must be a whole number from 1 to 3650 (files and days)'],
    [
      'ORDER_RATE_LIMIT',
      '10 per week',
      'must be limits like "10 per second" or "10 per second;200 per minute"',
    ],
    ['SESSION_EXPIRY_TIME', '25:00', 'must be a time of day, HH:MM in IST'],
    ['SESSION_COOKIE_NAME', 'a b', 'must be 1 to 64 letters, digits, dots, dashes or underscores'],
    ['SIM_SESSIONS', 'sometimes', 'must be one of always, market'],
    ['APPROVAL_MAX_DRIFT_PERCENT', '101', 'must be a number from 0 to 100'],
    ['WS_ALLOWED_ORIGINS', 'https://desk.example/app', 'must be origins like https://desk.example'],
    ['WS_ALLOWED_ORIGINS', '*', 'must be origins like https://desk.example'],
    ['FLOW_HTTP_ALLOW', 'http://nas/', 'must be host or host:port entries'],
    ['FLOW_HTTP_ALLOW', '*.internal', 'must be host or host:port entries'],
    ['FLOW_HTTP_ALLOW', 'nas:99999', 'must be host or host:port entries'],
    ['BROKER_ENDPOINTS', 'api=ftp://h', 'must be name=url pairs'],
    ['APP_KEY', 'short-but-Mixed-1', 'must be at least 32 characters without spaces'],
    [
      'APP_KEY',
      '3daa0403ce2501ee7432b75bf100048e3cf510d63d2754f952e93d88bf07ea84',
      'is a published sample value',
    ],
    ['API_KEY_PEPPER', 'a25d94718479b170c16278e321ea6c989358bf499a658fd20c90033cef8ce772', 'is a published'],
    ['API_KEY_PEPPER', 'YOUR_API_KEY_PEPPER_GOES_HERE_1234567890', 'is a placeholder'],
    ['APP_KEY', 'change-me-change-me-please-0192837465', 'is a placeholder'],
    ['APP_KEY', 'PLACEHOLDER_APP_KEY_REGENERATE_BEFORE_USE', 'is a placeholder'],
    ['APP_KEY', 'a'.repeat(64), 'consists of a repeated text'],
    ['APP_KEY', '0a1b2c3d'.repeat(8), 'consists of a repeated text'],
    ['API_KEY_PEPPER', `${'01'.repeat(20)}2345${'10'.repeat(20)}`, 'has too few different characters'],
    ['FERNET_SALT', 'not hex at all, but it is long enough', 'must be at least 32 hexadecimal digits'],
    ['FERNET_SALT', 'fd61a03af4f77d87', 'must be at least 32 hexadecimal digits'],
  ])('%s=%s', (key, value, text) => {
    const error = refusal({ ...SECRETS, [key]: value })
    expect([error.code, Object.keys(error.errors ?? {})]).toEqual(['validation', [key]])
    expect(error.message).toContain(`${key} (environment): ${text}`)
    if (value.length > 8) expect(error.message).not.toContain(value)
  })

  test('report every bad value at once, each with its source', () => {
    const dir = home('SVC_PORT=x\nLOG_LEVEL=y\n')
    const error = refusal({ ...SECRETS, LOG_TO_FILE: 'z' }, dir)
    const file = join(dir, 'config.env')
    expect(error.message.split('\n').map((line) => line.trim().split('):')[0])).toEqual([
      'The configuration cannot be used:',
      `SVC_PORT (${file}`,
      'LOG_TO_FILE (environment',
      `LOG_LEVEL (${file}`,
    ])
  })
})

describe('warnings', () => {
  test.each([
    [0o640, true],
    [0o604, true],
    [0o600, false],
    [0o400, false],
  ])('a configuration file of mode %o readable by others: %s', (fileMode, warned) => {
    const { warnings } = loadConfig({ home: home('', fileMode), env: SECRETS })
    expect(warnings.some((text) => text.includes('chmod 600'))).toBe(warned)
  })

  test('unknown SVC_ names in the environment and any unknown name in the file, with the nearest known one', () => {
    const dir = home('LOG_LEVL=DEBUG\nCOLOUR=1\n')
    const env = {
      ...SECRETS,
      SVC_PROT: '1',
      SVC_QUITE_ELSE: '2',
      PATH: '/bin',
      SVC_HOME: dir,
      SVC_TOKEN: 'x',
    }
    const file = join(dir, 'config.env')
    expect(loadConfig({ home: dir, env }).warnings.toSorted()).toEqual([
      `COLOUR (${file}) is not a setting`,
      `LOG_LEVL (${file}) is not a setting; did you mean LOG_LEVEL?`,
      'SVC_PROT (environment) is not a setting; did you mean SVC_PORT?',
      'SVC_QUITE_ELSE (environment) is not a setting',
    ])
  })
})

test('a variable of the commands is no mistyped setting of the daemon', () => {
  const names = Object.keys(ENVIRONMENT).filter((name) => name.startsWith('SVC_') && !isSetting(name))
  const env = { ...SECRETS, ...Object.fromEntries(names.map((name) => [name, '/x'])) }
  expect(names.length).toBeGreaterThan(4)
  expect(loadConfig({ home: home(''), env }).warnings).toEqual([])
})

const isSetting = (name: string) => CONFIG_KEYS.some(({ key }) => key === name)

test('every setting has a kind, range, description, and a default unless it is optional or secret', () => {
  expect(CONFIG_KEYS.length).toBeGreaterThan(25)
  for (const row of CONFIG_KEYS) {
    expect(row.description, row.key).toMatch(/^[A-Z].*\.$/)
    expect(row.range, row.key).not.toBe('')
    if (row.secret) expect(row.default, row.key).toBeUndefined()
  }
  const secrets = CONFIG_KEYS.filter((row) => row.secret).map((row) => row.key)
  expect(secrets).toEqual([
    ...['APP_KEY', 'API_KEY_PEPPER', 'FERNET_SALT', 'SVC_API_KEY'],
    ...['BROKER_API_KEY', 'BROKER_API_SECRET', 'BROKER_API_KEY_MARKET', 'BROKER_API_SECRET_MARKET'],
    ...['TELEGRAM_BOT_TOKEN', 'TELEGRAM_WEBHOOK_SECRET'],
  ])
})

test.each([
  ['https://desk.example/zerodha/callback', undefined],
  ['http://127.0.0.1:5000/zerodha/callback', undefined],
  ['http://127.0.0.1:5000/<broker>/callback', 'must be an http or https url'],
  ['https://desk.example/zerodha/callback?x=1', undefined],
  ['https://desk.example/callback', 'must be an http or https url'],
  ['ftp://desk.example/zerodha/callback', 'must be an http or https url'],
  ['zerodha', 'must be an http or https url'],
])('REDIRECT_URL %s names its broker or is refused', (value, problem) => {
  const load = () => loadConfig({ home: tempDir(), env: { REDIRECT_URL: value } }).values.REDIRECT_URL
  if (problem === undefined) expect(load()).toEqual({ url: value, broker: 'zerodha' })
  else expect(load).toThrow(problem)
})

test.each([
  ['https://bots.example', true],
  ['http://127.0.0.1:8081', true],
  ['http://localhost:8081', true],
  ['http://[::1]:8081', true],
  ['http://bots.example', false],
  ['http://127.0.0.1.bots.example', false],
  ['https://bots.example/path', false],
])('the token of the bot goes to %s: %s', (value, isAllowed) => {
  const load = () => loadConfig({ home: tempDir(), env: { TELEGRAM_API_URL: value } }).values.TELEGRAM_API_URL
  if (isAllowed) expect(load()).toBe(value)
  else expect(load).toThrow('TELEGRAM_API_URL')
})

test.each(['YOUR_BROKER_MARKET_API_KEY', '<broker key>', 'short', 'two words here'])(
  'the placeholder %s is no key of a broker',
  (value) => {
    for (const key of ['BROKER_API_KEY', 'BROKER_API_SECRET_MARKET']) {
      expect(() => loadConfig({ home: tempDir(), env: { [key]: value } })).toThrow(key)
    }
  },
)

test('a key of a broker may be a number with few different digits', () => {
  expect(loadConfig({ home: tempDir(), env: { BROKER_API_KEY: '1100003310' } }).values.BROKER_API_KEY).toBe(
    '1100003310',
  )
})

test('secretValues returns the secret settings, optional ones only if they are set', () => {
  const own = {
    SVC_API_KEY: '2c624232cdd221771294dfbb310aca000a0df6ac8b66b696d90ef06fdefb64a3',
    TELEGRAM_BOT_TOKEN: '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
  }
  const valuesFor = (env: Record<string, string>) => secretValues(loadConfig({ home: home(), env }).values)
  expect(valuesFor(SECRETS).sort()).toEqual(Object.values(SECRETS).sort())
  expect(valuesFor({ ...SECRETS, ...own }).sort()).toEqual(Object.values({ ...SECRETS, ...own }).sort())
})
