import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isAllowedHost, isPublicAddress } from '../../../src/core/flows/http-guard.js'

it.each([
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.9.9.9', '169.254.169.254'],
  ...['172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.7'],
  ...['203.0.113.9', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
  ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12:3456::1', 'ff02::1', 'fec0::1', '100::1'],
  ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::8.8.8.8', '::ffff:0:8.8.8.8'],
  ...['64:ff9b::10.0.0.1', '64:ff9b::7f00:1', '64:ff9b::', '64:ff9b::1', '64:ff9b:1::8.8.8.8'],
  ...['2002:a00:1::1', '2002:808:808::1', '2001::1', '2001:0:1:2::3', '2001:db8::1', '3fff::1', '4000::1'],
  ...['', 'localhost', '8.8.8', '8.8.8.8.8', '0x7f.1', '2130706433'],
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

it.each([
  ...[
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
  ],
  ...['193.0.0.1', '223.255.255.255', '169.253.255.255', '198.17.255.255', '198.20.0.0'],
  ...['2606:4700:4700::1111', '2a00:1450:4001::200e', '2400:cb00::1', '64:ff9b::8.8.8.8', '64:ff9b::808:808'],
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

it('no IPv4 address becomes public by being written as a mapped or 6to4 one', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
      const group = (high: number, low: number) => ((high << 8) | low).toString(16)
      expect(isPublicAddress(`::ffff:${address}`)).toBe(false)
      expect(isPublicAddress(`2002:${group(a, b)}:${group(c, d)}::1`)).toBe(false)
      expect(isPublicAddress(`64:ff9b::${address}`)).toBe(isPublicAddress(address))
    }),
  )
})

it.each([
  ['http://desk.internal/x', ['desk.internal'], true],
  ['http://desk.internal:9000/x', ['desk.internal'], true],
  ['http://desk.internal:9000/x', ['desk.internal:9000'], true],
  ['http://desk.internal:9001/x', ['desk.internal:9000'], false],
  ['https://desk.internal/x', ['desk.internal:443'], true],
  ['http://desk.internal/x', ['desk.internal:443'], false],
  ['http://[::1]:9000/x', ['[::1]:9000'], true],
  ['http://evil.desk.internal/x', ['desk.internal'], false],
  ['http://desk.internal.evil.com/x', ['desk.internal'], false],
  ['http://desk.internal@evil.com/x', ['desk.internal'], false],
])('%s with %j: %s', (url, allowed, is) => {
  expect(isAllowedHost(new URL(url), allowed)).toBe(is)
})
