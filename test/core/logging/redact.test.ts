import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  escapeControls,
  isPublic,
  isSecretName,
  MASK,
  maskStart,
  maskText,
  redact,
} from '../../../src/core/logging/index.js'
import { leastTime, timed } from '../../support/timing.js'

const HEX = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const PAT = 'svc_pat_Zx81kLmQpR7tUvWx20YzAbCdEfGhIjKl'

describe('fields are secret by their name, at any depth', () => {
  test.each([
    'apikey',
    'api_key',
    'X-API-KEY',
    'apiKey',
    'brokerApiKey',
    'APP_KEY',
    'API_KEY_PEPPER',
    'FERNET_SALT',
    'password',
    'new_password',
    'passwd',
    'token',
    'access_token',
    'feedToken',
    'webhook_token',
    'brokerToken',
    'client_secret',
    'webhookSecret',
    'Authorization',
    'cookie',
    'Set-Cookie',
    'totp',
    'totp_code',
    'otp',
    'mfa_code',
    'pin',
    'session_id',
    'auth_code',
    'provisioning_uri',
    'qr_code',
    'privateKey',
    'jwt',
    'credentials',
    'pwd',
    'new_pwd',
    'pass',
    'mpin',
    'twofa',
    'twofa_value',
    '2fa',
    'passcode',
  ])('%s', (name) => {
    const value = { a: [{ b: { [name]: 'canary-value-1' } }] }
    expect(redact(value)).toEqual({ a: [{ b: { [name]: MASK } }] })
    expect(redact(value, { omit: true })).toEqual({ a: [{ b: {} }] })
  })

  test.each([
    'symbol',
    'strategy',
    'orderid',
    'status',
    'codes',
    'keyword',
    'tokenType',
    'spinner',
    'author',
    'key',
    'passed',
    'passes',
    'bypass',
    'timestamping',
    'sessions',
    'session_expiry',
    'session_date',
    'session_expires_at',
    'disableSessionExpiry',
    'is_special_session',
    'ticket_size',
    'cwd',
  ])('%s is not secret', (name) => {
    expect(isSecretName(name)).toBe(false)
  })

  test.each([
    ['an instrument token', { token: '2885' }],
    ['whether there is one', { has_api_key: true, password: null, api_key: '' }],
    ['the name of an error', { code: 'ECONNREFUSED' }],
    ['a close code or status', { code: 4401, statusCode: 200 }],
  ])('%s is unchanged', (_name, value) => {
    expect(redact(value)).toEqual(value)
  })

  test.each(['session', 'ticket', 'ws_ticket'])('%s is secret if its value could be a key', (name) => {
    expect(redact({ [name]: 'qBy3-Zx81kLmQpR7tUvWx20YzAbCdEfGhIjKl' })).toEqual({ [name]: MASK })
    for (const plain of ['2026-11-20', '2026-11-20T03:00:00.000Z', 'pre-open', 7, { a: 1 }, ['x'], null]) {
      expect(redact({ [name]: plain })).toEqual({ [name]: plain })
    }
  })

  test('a code of six to eight digits counts as a one-time code', () => {
    expect(redact({ code: '123456', a: { code: 87654321 } })).toEqual({ code: MASK, a: { code: MASK } })
  })
})

describe('texts are searched for patterns of secrets', () => {
  test.each([
    [`key ${HEX} used`, `key ${MASK} used`],
    [HEX.toUpperCase(), MASK],
    [`token=${PAT}`, `token=${MASK}`],
    [`got ${PAT}.`, `got ${MASK}.`],
    ['Authorization: Bearer abcdef.ghi-jkl_123', `Authorization: Bearer ${MASK}`],
    ['token kite0api0key00:kite0access0token', `token ${MASK}`],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sIgNaTuRe-123', MASK],
    ['x%3DeyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sIgNaTuRe-123&a=b', `x%3D${MASK}&a=b`],
    ['a_eyJ.eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0', `a_eyJ.${MASK}`],
    ['otpauth://totp/svc:asha?secret=JBSWY3DPEHPK3PXP', MASK],
    ['GET /x?api_key=hunter2hunter2&symbol=SBIN', `GET /x?api_key=${MASK}&symbol=SBIN`],
    ['password=hunter2', `password=${MASK}`],
    ['totp_code=123456', `totp_code=${MASK}`],
    ['{"apikey":"hunter2","symbol":"SBIN"}', `{"apikey":"${MASK}","symbol":"SBIN"}`],
    ['x-api-key: 0123456789abcdefghij', `x-api-key: ${MASK}`],
    ['https://user:hunter22@host/', `https://user:${MASK}@host/`],
    ['POST /strategy/webhook/kJ9_sd8fDFsdf89sdf/', `POST /strategy/webhook/${MASK}/`],
    ['session=qBy3Zx81kLmQpR7tUvWx20YzAbCd; x', `session=${MASK}; x`],
    ['{"session":"qBy3Zx81kLmQpR7tUvWx20YzAbCd"}', `{"session":"${MASK}"}`],
    ['Cookie: theme=dark; session=abc', `Cookie: ${MASK}`],
    ['set-cookie: sid=1; Path=/', `set-cookie: ${MASK}`],
    ['GET /events?ticket=hj3-k_9sdf&since=5', `GET /events?ticket=${MASK}&since=5`],
    ['password: Passw0rd!x', `password: ${MASK}`],
    ['Password : "two words"', `Password : ${MASK}`],
    ['password=Pa;ss', `password=${MASK}`],
    ['password="Pa ss", user=x', `password=${MASK}, user=x`],
    ["pwd=it's-me user=x", `pwd=${MASK} user=x`],
    ['passcode=hunter22&a=b', `passcode=${MASK}&a=b`],
    ['totp_code: 123456', `totp_code: ${MASK}`],
    ['otp=4321, next', `otp=${MASK}, next`],
    ['mpin: 1234', `mpin: ${MASK}`],
    ['{"pin":"1234","totp": 123456}', `{"pin":"${MASK}","totp": ${MASK}}`],
    [
      'https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe',
      `https://api.telegram.org/bot${MASK}/getMe`,
    ],
    ['bot 123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', `bot ${MASK}`],
    [`{"password":"it's-a-secret","a":1}`, `{"password":"${MASK}","a":1}`],
    ['{"password":"a\\"b-c","a":1}', `{"password":"${MASK}","a":1}`],
    ['"{\\"password\\":\\"it\'s\\",\\"a\\":1}"', `"{\\"password\\":\\"${MASK}\\",\\"a\\":1}"`],
    [`{'password': 'say "x"'}`, `{'password': '${MASK}'}`],
    ['{"password":"cut off in the mid', `{"password":"${MASK}`],
  ])('%s', (text, masked) => {
    expect(maskText(text)).toBe(masked)
  })

  test.each([
    'Invalid svc apikey',
    'Broker token expired',
    'apikey: Missing data for required field.',
    'svc_logs_20260302_101010.csv',
    'order 26071590395364 complete',
    'basic authentication refused',
    'NIFTY28MAR2420800CE BUY 65 @ 24077.8',
    'password: Must be at least 8 characters.',
    'password: Length must be between 8 and 1024.',
    'Your session has expired. Please log in again.',
    'session=2026-11-20 session: pre-open',
    'cookie: refused',
    'passed=12345 spin: 12345 pinned 1234',
    'the bot 12345 sent 10:45:00',
  ])('%s is unchanged', (text) => {
    expect(maskText(text)).toBe(text)
  })

  test('a word that begins like a JSON web token at every third letter is read once', async () => {
    const long = 'eyJ'.repeat(350_000)
    expect(await leastTime(2000, () => timed(() => maskText(long)))).toBeLessThan(2000)
    expect(maskText(`${'eyJ'.repeat(1000)}.abcd`)).toBe(MASK)
    expect(maskText('eyJ'.repeat(3_000_000)).length).toBe(9_000_000)
  })

  test('of a text that is cut, no half secret remains', () => {
    for (const limit of [20, 500]) {
      for (let before = 0; before <= limit; before += 10) {
        const text = 'a '.repeat(before / 2)
        for (const secret of [HEX, PAT, `password=${HEX}`, `//user:${HEX}@host`, `x ${HEX}`]) {
          for (const rest of ['', ' and more', ' x'.repeat(2000), 'b'.repeat(5000)]) {
            const shown = maskStart(`${text}${secret}${rest}`, limit)
            expect(shown.length).toBeLessThanOrEqual(limit)
            expect(shown).not.toMatch(/[0-9a-f]{9}|Zx81/)
          }
        }
      }
    }
    // Masking shortens: what was cut in half must not come to the front.
    const many = `${HEX} `.repeat(40)
    for (let length = 1500; length < 1600; length++) {
      expect(maskStart(many.slice(0, length) + 'f'.repeat(3000), 500).replaceAll(MASK, '')).not.toMatch(
        /[0-9a-f]/,
      )
    }
    expect(maskStart(`a ${HEX} b`, 500)).toBe(`a ${MASK} b`)
    expect(maskStart('x '.repeat(5000), 500)).toBe('x '.repeat(250))
  })

  test("the installation's own keys are masked everywhere, including names", () => {
    const secret = 'fd61a03af4f77d870fc21e05e7e80678'
    const value = { note: `salt is ${secret}!`, [secret]: 1 }
    expect(redact(value, { secrets: [secret] })).toEqual({ note: `salt is ${MASK}!`, [MASK]: 1 })
  })
})

describe('output cannot forge a line or control a terminal', () => {
  test.each([
    ['a\nb\r\n\tc', 'a\\nb\\r\\n\\tc'],
    ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
    ['bell\u0007 del\u007f csi\u009b', 'bell\\u0007 del\\u007f csi\\u009b'],
    ['\u202eevil\u2066 \u2028 \u200f', '\\u202eevil\\u2066 \\u2028 \\u200f'],
    ['नमस्ते ₹ 😀 é', 'नमस्ते ₹ 😀 é'],
  ])('%j', (text, safe) => {
    expect(escapeControls(text)).toBe(safe)
    expect(redact({ [text]: text })).toEqual({ [safe]: safe })
  })
})

describe('any value can be logged', () => {
  test('errors keep their type, message, cause and fields, without secrets', () => {
    const cause = Object.assign(new Error(`refused ${HEX}`), {
      code: 'ECONNREFUSED',
      access_token: 'canary-token',
    })
    const shown = redact(new RangeError('too\nfar', { cause })) as Record<string, unknown>
    expect(shown).toMatchObject({
      type: 'RangeError',
      message: 'too\\nfar',
      cause: { type: 'Error', message: `refused ${MASK}`, code: 'ECONNREFUSED', access_token: MASK },
    })
    expect(Array.isArray(shown.stack)).toBe(true)
    expect(JSON.stringify(shown)).not.toContain('canary-token')
  })

  test('cycles, throwing getters, functions, big integers, bytes, maps and dates', () => {
    const cycle: Record<string, unknown> = { n: 10n, f: () => 1, bytes: Buffer.from('secret') }
    cycle.self = cycle
    cycle.map = new Map<unknown, unknown>([
      ['password', 'x'],
      ['set', new Set([1])],
    ])
    cycle.at = new Date(0)
    cycle.bad = {
      get boom() {
        throw new Error('no')
      },
    }
    expect(redact(cycle)).toEqual({
      n: '10',
      f: undefined,
      bytes: '[6 bytes]',
      self: '[circular]',
      map: { password: MASK, set: [1] },
      at: '1970-01-01T00:00:00.000Z',
      bad: '[unreadable]',
    })
  })

  test('deep, wide and long values are cut', () => {
    let deep: unknown = 'bottom'
    for (let i = 0; i < 50; i++) deep = { deep }
    expect(JSON.stringify(redact(deep))).toContain('[too deep]')
    const wide = redact({ items: Array.from({ length: 100_000 }, (_, i) => i) })
    expect(wide).toMatchObject({ items: { length: 1001, 1000: '[99000 more]' } })
    const manyMembers = redact(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`m${i}`, i])))
    expect(Object.keys(manyMembers as object).length).toBe(5001)
    expect(String(redact('x'.repeat(20_000)))).toHaveLength(16_384 + '…[3616 more]'.length)
  })

  test('a secret across the cut is masked before the text is cut, in a text and in a name', () => {
    for (const start of [16_384 - 63, 16_384 - 1, 16_384 - 64]) {
      for (const rest of ['', ' and more', 'x y '.repeat(5000)]) {
        const shown = String(redact(`${'x '.repeat(start / 2).padEnd(start)}${HEX}${rest}`))
        expect(shown).not.toContain(HEX.slice(0, 8))
      }
    }
    // Masking shortens the text. Characters that were not searched must not become visible.
    const shown = String(redact(`${HEX} `.repeat(2000)))
    expect(shown.replaceAll(MASK, '')).not.toMatch(/[0-9a-f]{8}/)
    const [name = ''] = Object.keys(redact({ [`${'n'.repeat(200)} ${HEX}`]: 1 }) as object)
    expect(name).not.toContain(HEX.slice(0, 8))
  })

  test('hostile texts of the full length are searched quickly', async () => {
    const pieces = [
      'a',
      'a-',
      'eyJ',
      'eyJaaaaaaaa.',
      '//a:',
      'token ',
      'api_key=',
      '"',
      'svc_pat_',
      ' :',
      '_-',
      'password:',
      'password: a',
      'password="',
      '"password":"',
      '\\\\"pin\\"',
      'session=',
      'cookie: ',
      'cookie: a=',
      'pin:',
      '1',
      '12345:',
    ]
    const search = () => {
      for (const piece of pieces) redact(piece.repeat(16_384 / piece.length))
    }
    expect(await leastTime(1500, () => timed(search))).toBeLessThan(1500)
  })

  test('a prototype key is a field like any other', () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"constructor":"x"}')
    expect(JSON.stringify(redact(value))).toBe('{"__proto__":{"polluted":true},"constructor":"x"}')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('property: the result always converts to JSON, and a secret field is never included', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }),
        (value) => {
          const text = JSON.stringify(redact({ value, nested: [{ password: 'canary-value-1', value }] }))
          expect(text).not.toContain('canary-value-1')
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('isPublic is true exactly if redact would only copy the value', () => {
  const leaf = fc.oneof(
    fc.string(),
    fc.constantFrom(HEX, PAT, 'bearer abcdefghijkl', '123456', 'benchmark', null, undefined, 7, true, 7n),
  )
  const name = fc.oneof(
    fc.string(),
    fc.constantFrom('symbol', 'price', 'apikey', 'token', 'code', 'message', 'pin', '__proto__'),
  )
  const data = fc.dictionary(name, fc.oneof(leaf, fc.dictionary(name, leaf), fc.array(leaf)))

  test('property', () => {
    fc.assert(
      fc.property(data, (value) => {
        if (!isPublic(value)) return
        expect(JSON.stringify(redact(value, { omit: true }))).toBe(JSON.stringify(value))
      }),
      { numRuns: 2000 },
    )
  })

  test('an order and its response are public', () => {
    expect(isPublic({ strategy: 'benchmark', symbol: 'SBIN', quantity: 10, underlying_ltp: null })).toBe(true)
    expect(isPublic({ status: 'success', orderid: '26112100000001', mode: 'analyze' })).toBe(true)
  })

  test.each<[string, object]>([
    ['a secret field', { apikey: 'anything' }],
    ['a nested one', { nested: { token: 'x' } }],
    ['a secret text', { message: `failed for ${PAT}` }],
    ['one in a list', { list: [HEX] }],
    ['a one-time code', { code: '123456' }],
    ['a date', { at: new Date(0) }],
    ['a big integer', { amount: 1n }],
    ['a function', { toJSON: () => 'x' }],
    ['many fields', Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`m${i}`, i]))],
    ['many levels', { a: { b: { c: { d: 1 } } } }],
  ])('%s is not public', (_name, value) => {
    expect(isPublic(value)).toBe(false)
  })
})
