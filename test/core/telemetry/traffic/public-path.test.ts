import { expect, test } from 'vitest'
import { publicPath } from '../../../../src/core/telemetry/traffic/public-path.js'

const TOKEN = 'q7Xh2mKc9TzLw4RbVn8PdYfG1sAeJ3uBo5iCxWtZk0E'
const API_KEY = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

test.each([
  ['a workflow webhook', `/flow/webhook/${TOKEN}`, '/flow/webhook/<redacted>'],
  ['a webhook with its symbol', `/flow/webhook/${TOKEN}/SBIN`, '/flow/webhook/<redacted>/<redacted>'],
  ['a short token', '/strategy/webhook/abc123', '/strategy/webhook/<redacted>'],
  [
    'a link that resets a password',
    `/auth/reset-password-email/${TOKEN}`,
    '/auth/reset-password-email/<redacted>',
  ],
  ['a reset with a short code', '/auth/reset-password/123456', '/auth/reset-password/<redacted>'],
  ['a key in the query', `/api/v1/ticker?apikey=${API_KEY}&symbol=SBIN`, '/api/v1/ticker'],
  ['a key in the path', `/api/v1/funds/${API_KEY}`, '/api/v1/funds/<redacted>'],
  ['a token of a mistyped address', `/flow/webhok/${TOKEN}`, '/flow/webhok/<redacted>'],
  ['a token in an encoded address', `/flow/web%68ook/${TOKEN}`, '/flow/web%68ook/<redacted>'],
  ['a short token in an encoded address', '/flow/web%68oo%6B/abc123', '/flow/web%68oo%6B/<redacted>'],
  ['a token after another slash', `//flow/webhook/${TOKEN}`, '//flow/webhook/<redacted>'],
  ['a secret of capitals', `/auth/totp/${TOTP_SECRET}`, '/auth/totp/<redacted>'],
  ['a query in the path', `/x/apikey=${API_KEY}`, '/x/apikey=<redacted>'],
  ['a fragment', `/x#${TOKEN}`, '/x'],
  ['a token as the whole target', TOKEN, '<redacted>'],
])('%s is not kept', (_name, target, kept) => {
  expect(publicPath(target)).toBe(kept)
})

test.each([
  '/',
  '/api/v1/placeorder',
  '/orders/journal/S1M8ABCDEFGH12345678',
  '/action-center/approve/12',
  '/wp-content/plugins/contact-form/readme.txt',
  '/.env',
])('%s stays as it is', (target) => {
  expect(publicPath(target)).toBe(target)
})

test('of a path that is cut, no half token remains, wherever the cut is', () => {
  for (const words of ['', 'orders/', `webhoo/${API_KEY}/`.repeat(15)]) {
    for (let length = 480; length < 1600; length += 7) {
      const path = `/${words}${'a/'.repeat(Math.max(0, length - words.length) / 2)}`
      for (const rest of ['', '/x', '/x'.repeat(9000), 'A'.repeat(9000)]) {
        const kept = publicPath(`${path}/${TOKEN}${rest}`)
        expect(kept.length).toBeLessThanOrEqual(500)
        expect(kept).not.toMatch(/q7Xh|9f86d/)
      }
    }
  }
})

test('a long path is cut', () => {
  expect(publicPath(`/${'a/'.repeat(5000)}`)).toHaveLength(500)
})
