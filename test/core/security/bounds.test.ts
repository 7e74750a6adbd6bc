import { expect, test } from 'vitest'
import { BanList } from '../../../src/core/security/ban-list.js'
import type { Ban, Offences } from '../../../src/core/security/schema.js'
import { Tracker } from '../../../src/core/security/tracker.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { SecurityRig } from './support.js'

const tracker = (countsDistinct = false) =>
  new Tracker([], { clock: new VirtualClock(0), maxDetails: 50, countsDistinct })

test('a tracker remembers the newest distinct paths, shortened, and counts all requests', () => {
  const paths = tracker()
  for (let n = 0; n < 200; n++) paths.add('a', `/${n % 100}-${'x'.repeat(5000)}`)
  const [row] = paths.list()
  expect(row).toMatchObject({ count: 200 })
  expect(row?.details).toHaveLength(50)
  expect(row?.details[0]).toBe(`/50-${'x'.repeat(116)}`)
})

test('a tracker of distinct details counts each one once while it remembers it', () => {
  const keys = tracker(true)
  expect(keys.add('a', 'x')).toMatchObject({ count: 1 })
  expect(keys.add('a', 'x')).toBeUndefined()
  expect(keys.add('a', 'y')).toMatchObject({ count: 2 })
  expect(keys.add('b', 'x')).toMatchObject({ count: 1 })
})

test('a million addresses leave a bounded tracker, and each removal reaches the store', () => {
  const paths = tracker()
  for (let n = 0; n < 1_000_000; n++) {
    paths.add(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, '/a')
    if (n % 10_000 === 0) paths.takeChanges()
  }
  expect(paths.list()).toHaveLength(5000)
  const { stored, removed } = paths.takeChanges()
  expect(stored.length + removed.length).toBeLessThanOrEqual(15_000)
})

test('removals that the store does not take are bounded, and those it gave back are not lost', () => {
  const paths = tracker()
  const all: { stored: Offences[]; removed: string[] } = { stored: [], removed: [] }
  for (let n = 0; n < 100_000; n++) {
    paths.add(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, '/a')
    if (n % 1000 !== 0) continue
    const changes = paths.takeChanges()
    paths.giveBack(changes)
    all.removed = changes.removed
  }
  expect(all.removed.length).toBeLessThanOrEqual(5000)
  paths.takeChanges()
  paths.clear(paths.list()[0]?.address ?? '')
  paths.takeChanges()
  paths.add('a', '/a')
  paths.clear('a')
  const changes = paths.takeChanges()
  expect(changes).toEqual({ stored: [], removed: ['a'] })
  paths.giveBack(changes)
  paths.add('a', '/b')
  expect(paths.takeChanges()).toMatchObject({ stored: [{ address: 'a' }] })
})

const ban = (address: string, source: Ban['source']): Ban => ({
  address,
  source,
  reason: '',
  count: 1,
  bannedAt: 0,
  expiresAt: null,
})

test('the list of bans is bounded: the oldest automatic ban makes room, never one by hand', () => {
  const list = new BanList([ban('by-hand', 'manual')], new VirtualClock(0))
  for (let n = 1; n < 250_000; n++) list.set(ban(`a${n}`, '404_detector'))
  expect(list.set(ban('one more', 'manual'))?.address).toBe('a1')
  expect(list.isBanned('by-hand')).toBe(true)
  expect(list.active()).toHaveLength(250_000)
})

test('a hundred thousand bans are in force again after a restart', async () => {
  const rig = await SecurityRig.open()
  const address = (n: number) => `20.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
  const all = Array.from({ length: 100_000 }, (_, n) => address(n))
  await rig.security.banAll(all, { reason: 'scan', hours: null, source: 'host_ban' })
  await rig.restart(false)
  expect(rig.security.bans.active()).toHaveLength(100_000)
  expect(
    [address(0), address(99_999), address(100_000)].map((one) => rig.security.bans.isBanned(one)),
  ).toEqual([true, true, false])
})
