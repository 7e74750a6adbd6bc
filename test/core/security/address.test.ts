import { SocketAddress } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressGroup, canonicalAddress, isLoopbackAddress } from '../../../src/core/security/index.js'

describe('one address has one form', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:0.0.0.0', '0.0.0.0'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['FE80::1%25en0', 'fe80::1'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    // Not a wrapped address: another prefix.
    ['::192.0.2.1', '::c000:201'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
  ])('%s is %s', (text, address) => {
    expect(canonicalAddress(text)).toBe(address)
  })

  test.each([
    ...[
      '',
      'x',
      'localhost',
      '1.2.3',
      '1.2.3.4.5',
      '01.2.3.4',
      '256.1.1.1',
      '0x7f.1',
      '2130706433',
      '1.2.3.4%x',
    ],
    ...[' 1.2.3.4', '1.2.3.4:80', '[::1]', '1::2::3', ':::', '12345::', '1.2.3.4/8', '::1\n', '%eth0'],
  ])('%j is no address', (text) => {
    expect(canonicalAddress(text)).toBeUndefined()
  })

  test('every IPv6 address has the form that the operating system gives it, however it is written', () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const long = groups.map((it) => it.toString(16).padStart(4, '0').toUpperCase()).join(':')
        const system = new SocketAddress({ address: long, family: 'ipv6' }).address
        const mapped = system.replace(/^::ffff:(?=\d+\.)/, '')
        const expected = mapped.includes('.') && mapped === system ? canonicalAddress(long) : mapped
        expect(canonicalAddress(long)).toBe(expected)
        expect(canonicalAddress(canonicalAddress(long) ?? '')).toBe(canonicalAddress(long))
      }),
      { numRuns: 500 },
    )
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8::/64'],
  ['::1', '::/64'],
  ['fe80::1:2', 'fe80::1:2'],
  ['febf::1', 'febf::1'],
  ['fec0::1', 'fec0::/64'],
  ['64:ff9b::c000:201', '64:ff9b::c000:201'],
  ['64:ff9b:1::1', '64:ff9b:1::/64'],
  ['unix', 'unix'],
])('%s counts as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group)
})

test.each(['127.0.0.1', '127.8.9.1', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.2', '::ffff:7f00:1'])(
  '%s is the machine itself',
  (address) => expect(isLoopbackAddress(address)).toBe(true),
)

test.each(['128.0.0.1', '::2', '10.0.0.1', 'localhost', '127.0.0.1.evil.example', ''])(
  '%s is not the machine itself',
  (address) => expect(isLoopbackAddress(address)).toBe(false),
)
