import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { counter, gauge } from '../../../src/daemon/metrics/gauge.js'

it('a value that cannot be read is absent, and the others are answered', async () => {
  const registry = new Registry()
  const fails = () => Promise.reject(new Error('the disk is gone'))
  gauge(registry, { name: 'lost', help: 'h', labels: [], read: fails })
  counter(registry, { name: 'lost_total', help: 'h', labels: [], read: fails })
  gauge(registry, { name: 'empty', help: 'h', labels: [], read: () => [] })
  let depth = 3
  gauge(registry, { name: 'depth', help: 'h', labels: ['queue'], read: () => [[{ queue: 'a' }, depth]] })
  const values = async () => (await registry.metrics()).split('\n').filter((line) => /^\w/.test(line))
  expect(await values()).toEqual(['depth{queue="a"} 3'])
  depth = 1
  expect(await values()).toEqual(['depth{queue="a"} 1'])
})
