import { expect, test } from 'vitest'
import { addressAt, masterAddress } from '../../../../../src/core/brokers/kit/http/addresses.js'

test.each([
  ['https://api.example.com', '/v2/orders', 'https://api.example.com/v2/orders'],
  ['https://api.example.com/', '/v2/orders', 'https://api.example.com/v2/orders'],
  ['https://api.example.com/v2', '/v2/orders', 'https://api.example.com/v2/orders'],
  ['https://api.example.com/v2/', '/v2', 'https://api.example.com/v2'],
  ['http://127.0.0.1:9/hft', '/v3/order/place', 'http://127.0.0.1:9/hft/v3/order/place'],
  ['http://127.0.0.1:9/hft/v3', '/v3/order/place', 'http://127.0.0.1:9/hft/v3/order/place'],
  ['ws://127.0.0.1:9', '/smart-stream', 'ws://127.0.0.1:9/smart-stream'],
  ['ws://127.0.0.1:9/smart-stream', '/smart-stream', 'ws://127.0.0.1:9/smart-stream'],
  // Only whole parts are shared.
  ['http://127.0.0.1:9/order', '/orders', 'http://127.0.0.1:9/order/orders'],
  ['http://127.0.0.1:9/a', '/b%2Fc/', 'http://127.0.0.1:9/a/b%2Fc/'],
])('%s and %s are %s', (endpoint, path, address) => {
  expect(addressAt(endpoint, path)).toBe(address)
})

test.each([
  ['https://images.example.com', 'https://images.example.com/data/all.csv'],
  ['https://images.example.com/data', 'https://images.example.com/data/all.csv'],
  ['https://images.example.com/data/all.csv', 'https://images.example.com/data/all.csv'],
  ['http://127.0.0.1:9/other.json.gz?of=today', 'http://127.0.0.1:9/other.json.gz?of=today'],
])('the master at %s is %s', (endpoint, address) => {
  expect(masterAddress(endpoint, '/data/all.csv')).toBe(address)
})
