import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkSignature } from '../../../src/core/secrets/index.js'

const KEY = Buffer.from('5d'.repeat(32), 'hex')
const NOW = Date.parse('2026-11-20T04:30:00Z')
const SECONDS = NOW / 1000
const BODY = '{"symbol":"SBIN","quantity":1}'

interface Parts {
  id?: string
  time?: number | string
  body?: string
  key?: Buffer
}

function signature({ id = 'alert-1', time = SECONDS, body = BODY, key = KEY }: Parts = {}): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`
}

function check({ id = 'alert-1', time = SECONDS, body = BODY }: Parts = {}, given = signature()) {
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(time), 'webhook-signature': given }
  return checkSignature({ headers, body: Buffer.from(body) }, KEY, NOW)
}

const signed = (parts: Parts) => check(parts, signature(parts))

test('the example of Standard Webhooks is accepted', () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
  const body = Buffer.from('{"test": 2432232314}')
  expect(checkSignature({ headers, body }, key, 1_614_265_330_000)).toEqual({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  })
})

test('one valid signature of several is enough, and of versions that are not known none counts', () => {
  expect(check({}, `v1a,x ${signature({ key: Buffer.alloc(32) })} ${signature()}`)).toEqual({ id: 'alert-1' })
  expect(check({}, signature().replace('v1,', 'v2,'))).toHaveProperty('problem')
  expect(check({}, signature().slice(3))).toHaveProperty('problem')
  expect(check({}, `${'x '.repeat(10)}${signature()}`)).toHaveProperty('problem')
})

test('any altered byte of the body, the id or the time is refused', () => {
  for (let at = 0; at < BODY.length; at++) {
    const body = `${BODY.slice(0, at)}${BODY[at] === '~' ? '!' : '~'}${BODY.slice(at + 1)}`
    expect(check({ body })).toEqual({ problem: 'Invalid webhook signature' })
  }
  for (const body of ['', `${BODY} `, `\uFEFF${BODY}`, BODY.slice(1)]) {
    expect(check({ body })).toEqual({ problem: 'Invalid webhook signature' })
  }
  expect(check({ id: 'alert-2' })).toEqual({ problem: 'Invalid webhook signature' })
  expect(check({ time: SECONDS + 1 })).toEqual({ problem: 'Invalid webhook signature' })
})

test('a time more than five minutes from the clock is refused, before or after it', () => {
  for (const off of [-300, 0, 300]) expect(signed({ time: SECONDS + off })).toEqual({ id: 'alert-1' })
  for (const off of [-301, 301, -86_400, 86_400 * 365]) {
    expect(signed({ time: SECONDS + off })).toMatchObject({ problem: expect.stringContaining('5 minutes') })
  }
  for (const time of ['', '1e9', '-1', '0x5f', ' 1', '1.5', 'NaN', '9'.repeat(13), `${SECONDS}000`]) {
    expect([time, signed({ time })]).toEqual([time, { problem: expect.any(String) }])
  }
})

test('an id with a dot could move the borders of the signed text, and is refused', () => {
  for (const id of ['a.b', '', 'ü', 'a b', 'a\n', 'a'.repeat(256)]) {
    expect([id, signed({ id })]).toEqual([id, { problem: expect.stringMatching(/^(webhook-id|Missing)/) }])
  }
  for (const id of ['a', 'a'.repeat(255), '!"#$%&()*+,-/:;<=>?@[]^_`{|}~'])
    expect(signed({ id })).toEqual({ id })
})
