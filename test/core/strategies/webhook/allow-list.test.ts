import { expect, test } from 'vitest'
import { isAllowed } from '../../../../src/core/strategies/webhook/allow-list.js'

test.each([
  ['192.0.2.7', [], true],
  ['unknown', [], true],
  ['unknown', ['0.0.0.0/0', '::/0'], false],
  ['192.0.2.7', ['0.0.0.0/0'], true],
  ['192.0.2.7', ['nonsense', '192.0.2.0/33', '192.0.2.7'], true],
  ['192.0.2.7', ['nonsense', '10.0.0.0/8'], false],
  // An entry that cannot be read does not open the list to all.
  ['192.0.2.7', ['nonsense'], false],
  ['2001:db8::1', ['2001:db8::/64'], true],
  ['2001:db8:0:1::1', ['2001:db8::/64'], false],
])('%s with the list %j: %s', (address, entries, expected) => {
  expect(isAllowed(address, entries)).toBe(expected)
})
