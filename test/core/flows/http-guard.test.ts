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

/** All entries of the IANA special-purpose registries, also those that are globally reachable. */
const REGISTRY = [
  ...[
    '0.0.0.0/8',
    '0.0.0.0/32',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
  ],
  ...['192.0.0.0/24', '192.0.0.0/29', '192.0.0.8/32', '192.0.0.9/32', '192.0.0.10/32', '192.0.0.170/31'],
  ...[
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
    '192.88.99.2/32',
    '192.168.0.0/16',
  ],
  ...[
    '192.175.48.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '240.0.0.0/4',
    '255.255.255.255/32',
  ],
  ...[
    '::1/128',
    '::/128',
    '::ffff:0:0/96',
    '64:ff9b:1::/48',
    '100::/64',
    '100:0:0:1::/64',
    '2001::/23',
    '2001::/32',
  ],
  ...['2001:1::1/128', '2001:1::2/128', '2001:1::3/128', '2001:2::/48', '2001:3::/32', '2001:4:112::/48'],
  ...[
    '2001:10::/28',
    '2001:20::/28',
    '2001:30::/28',
    '2001:db8::/32',
    '2002::/16',
    '2620:4f:8000::/48',
    '3fff::/20',
  ],
  ...['5f00::/16', 'fc00::/7', 'fe80::/10'],
] as const

it('no address of the special-purpose registries is public, from the first to the last of each entry', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...REGISTRY),
      fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
      (entry, random) => {
        const [network = '', prefix = ''] = entry.split('/')
        const v4 = !network.includes(':')
        const first = numberOf(network)
        const last = first + (1n << BigInt((v4 ? 32 : 128) - Number(prefix))) - 1n
        for (const number of [first, first + (random % (last - first + 1n)), last]) {
          const address = v4 ? textOfV4(number) : textOfV6(number)
          expect([entry, address, isPublicAddress(address)]).toEqual([entry, address, false])
        }
      },
    ),
    { numRuns: 1000 },
  )
})

it.each([
  ['Azure', ['168.63.129.16', '64:ff9b::168.63.129.16', '64:ff9b::a83f:8110', '::ffff:168.63.129.16']],
  ['AWS', ['169.254.169.254', '169.254.170.2', 'fd00:ec2::254', 'fd00:ec2::23']],
  ['Google', ['169.254.169.254', 'fd20:ce::254']],
  ['Alibaba', ['100.100.100.200', '64:ff9b::100.100.100.200']],
  ['Oracle', ['192.0.0.192', 'fd00:c1::a9fe:a9fe']],
  ['OpenStack', ['fe80::a9fe:a9fe']],
])('the metadata addresses of %s are not public', (_, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([])
})

it('addresses next to a cloud metadata address are public', () => {
  expect(['168.63.129.15', '168.63.129.17'].map(isPublicAddress)).toEqual([true, true])
})

it('no IPv4 address becomes public in its mapped or 6to4 form', () => {
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

/** Returns an address as a number. */
function numberOf(address: string): bigint {
  if (!address.includes(':')) return address.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  const [head = '', tail = ''] = address.split('::')
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array<string>(8 - (left?.length ?? 0) - (right?.length ?? 0)).fill('0')
  return [...(left ?? []), ...zeros, ...(right ?? [])].reduce(
    (sum, group) => sum * 65_536n + BigInt(`0x${group}`),
    0n,
  )
}

function textOfV4(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.')
}

function textOfV6(number: bigint): string {
  return Array.from({ length: 8 }, (_, i) => ((number >> BigInt(112 - 16 * i)) & 0xffffn).toString(16)).join(
    ':',
  )
}
