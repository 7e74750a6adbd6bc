import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { canonicalAddress } from '../../../src/core/security/index.js'
import { HOUR_MS, SecurityRig } from './support.js'

const ATTACKER = '203.0.113.7'
const MANUAL = { reason: 'Manual ban', hours: 24, source: 'manual' } as const

describe('automatic bans', () => {
  test('the request that reaches the threshold bans the client, for the hours of the settings', async () => {
    const { security, clock } = await SecurityRig.open()
    const banned = vi.fn()
    security.onBanned(banned)
    security.addMissingPath(ATTACKER, '/a')
    security.addMissingPath(ATTACKER, '/a')
    expect(security.bans.isBanned(ATTACKER)).toBe(false)
    security.addMissingPath(ATTACKER, '/b')
    expect(security.bans.isBanned(ATTACKER)).toBe(true)
    expect(banned.mock.calls).toEqual([[ATTACKER]])
    expect(security.bans.active()).toEqual([
      {
        address: ATTACKER,
        reason: 'Exceeded 404 threshold: 3 errors in 24 hours',
        count: 1,
        bannedAt: clock.now(),
        expiresAt: clock.now() + HOUR_MS,
        source: '404_detector',
      },
    ])
    expect(security.offences().missingPaths).toEqual([])
    await clock.advance(HOUR_MS)
    expect(security.bans.isBanned(ATTACKER)).toBe(false)
    expect(security.bans.active()).toEqual([])
  })

  test('a threshold of one bans at the first offence', async () => {
    const rig = await SecurityRig.open({ security404Threshold: 1 })
    rig.scan(ATTACKER, 1)
    expect(rig.security.bans.isBanned(ATTACKER)).toBe(true)
  })

  test('invalid keys ban for good when the duration is 0; one key sent again counts once', async () => {
    const rig = await SecurityRig.open()
    for (let n = 0; n < 50; n++) rig.guess(ATTACKER, 1)
    expect(rig.security.bans.isBanned(ATTACKER)).toBe(false)
    rig.guess(ATTACKER, 2)
    expect(rig.security.bans.active()).toMatchObject([
      {
        reason: 'Exceeded invalid API key threshold: 2 attempts in 24 hours',
        expiresAt: null,
        source: 'api_key_detector',
      },
    ])
  })

  test('nobody is banned while automatic bans are off, but offences are counted', async () => {
    const rig = await SecurityRig.open({ securityAutoBanEnabled: false })
    rig.scan(ATTACKER, 100)
    expect(rig.security.bans.active()).toEqual([])
    expect(rig.security.offences().missingPaths).toMatchObject([{ address: ATTACKER, count: 100 }])
    rig.rules = { ...rig.rules, securityAutoBanEnabled: true }
    rig.scan(ATTACKER, 1)
    expect(rig.security.bans.isBanned(ATTACKER)).toBe(true)
  })

  test('offences older than a day do not add up', async () => {
    const rig = await SecurityRig.open()
    rig.scan(ATTACKER, 2)
    await rig.clock.advance(24 * HOUR_MS)
    rig.scan(ATTACKER, 2)
    expect(rig.security.bans.isBanned(ATTACKER)).toBe(false)
    expect(rig.security.offences().missingPaths).toMatchObject([{ count: 2 }])
  })

  test('the client of a ban that ended is banned again, and for good at the limit of repeat offenders', async () => {
    const rig = await SecurityRig.open()
    for (const [count, expiresIn] of [
      [1, HOUR_MS],
      [2, HOUR_MS],
      [3, null],
    ] as const) {
      rig.scan(ATTACKER, 3)
      const [ban] = rig.security.bans.active()
      expect(ban).toMatchObject({
        count,
        expiresAt: expiresIn === null ? null : rig.clock.now() + expiresIn,
      })
      await rig.clock.advance(HOUR_MS)
      await rig.restart()
    }
    await rig.clock.advance(10_000 * HOUR_MS)
    expect(rig.security.bans.isBanned(ATTACKER)).toBe(true)
  })

  test.each(['127.0.0.1', '127.8.8.8', '::1'])('%s is never banned', async (address) => {
    const rig = await SecurityRig.open()
    rig.scan(address, 500)
    rig.guess(address, 500)
    expect(rig.security.bans.active()).toEqual([])
    expect(rig.security.offences()).toEqual({ missingPaths: [], invalidKeys: [] })
    await expect(rig.security.ban(address, MANUAL)).rejects.toThrow('Cannot ban localhost')
    await expect(rig.security.ban('::ffff:127.0.0.1', MANUAL)).rejects.toThrow('Cannot ban localhost')
  })

  test('paths that browsers request by themselves do not count', async () => {
    const rig = await SecurityRig.open()
    for (const path of ['/favicon.ico', '/robots.txt', '/.well-known/x', '/apple-touch-icon.png'])
      rig.security.addMissingPath(ATTACKER, path)
    expect(rig.security.offences().missingPaths).toEqual([])
  })

  test('an IPv6 attacker who changes its address within its network is one client', async () => {
    const rig = await SecurityRig.open({ security404Threshold: 100 })
    for (let n = 0; n < 100; n++) rig.scan(`2001:db8:1:2:${n.toString(16)}::1`, 1)
    expect(rig.security.bans.active()).toMatchObject([{ address: '2001:db8:1:2::/64' }])
    expect(rig.security.bans.isBanned('2001:db8:1:2:ffff::9')).toBe(true)
    expect(rig.security.bans.isBanned('2001:db8:1:3::1')).toBe(false)
  })

  test('neighbours on the wire and behind a translator are not banned with an attacker', async () => {
    const rig = await SecurityRig.open()
    rig.scan('fe80::1', 3)
    rig.scan('64:ff9b::c000:201', 3)
    expect(rig.security.bans.isBanned('fe80::1')).toBe(true)
    expect(rig.security.bans.isBanned('fe80::2')).toBe(false)
    expect(rig.security.bans.isBanned('64:ff9b::c000:201')).toBe(true)
    expect(rig.security.bans.isBanned('64:ff9b::c000:202')).toBe(false)
  })
})

describe('bans by hand', () => {
  test('a ban of the network around ::1 does not ban this machine', async () => {
    const rig = await SecurityRig.open()
    await rig.security.ban('::2', MANUAL)
    expect(rig.security.bans.isBanned('::3')).toBe(true)
    expect(rig.security.bans.isBanned('::1')).toBe(false)
  })

  test('every form of a banned address is banned, and every form lifts the ban', async () => {
    const rig = await SecurityRig.open()
    const forms = (bytes: number[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = bytes
      const hex = (high: number, low: number) => (high * 256 + low).toString(16)
      const dotted = bytes.join('.')
      return [dotted, `::ffff:${dotted}`, `::FFFF:${hex(a, b)}:${hex(c, d)}`, `0:0:0:0:0:ffff:${dotted}`]
    }
    const byte = fc.integer({ min: 128, max: 255 })
    const form = fc.integer({ min: 0, max: 3 })
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(byte, byte, byte, byte),
        form,
        form,
        form,
        async (bytes, by, seen, lifted) => {
          const all = forms(bytes)
          await rig.security.ban(all[by] ?? '', MANUAL)
          expect(rig.security.bans.isBanned(canonicalAddress(all[seen] ?? '') ?? '')).toBe(true)
          expect(await rig.security.unban(all[lifted] ?? '')).toBe(true)
          expect(rig.security.bans.active()).toEqual([])
        },
      ),
      { numRuns: 30 },
    )
  })

  test('a ban by hand never becomes permanent by itself, whatever its number', async () => {
    const rig = await SecurityRig.open()
    for (let n = 0; n < 5; n++) await rig.security.ban(ATTACKER, { ...MANUAL, hours: 1 })
    expect(rig.security.bans.active()).toMatchObject([{ count: 5, expiresAt: rig.clock.now() + HOUR_MS }])
  })

  test('a ban that is lifted leaves no history', async () => {
    const rig = await SecurityRig.open()
    await rig.security.ban('2001:db8::1', MANUAL)
    expect(await rig.security.unban('2001:db8::/64')).toBe(true)
    expect(await rig.security.unban('2001:db8::1')).toBe(false)
    await rig.restart()
    expect(rig.security.bans.get('2001:db8::/64')).toBeUndefined()
  })

  test('a ban replaces the automatic one that begins while it is stored, also after a restart', async () => {
    const rig = await SecurityRig.open()
    const banning = rig.security.ban(ATTACKER, { ...MANUAL, hours: null })
    rig.scan(ATTACKER, 3)
    const { address } = await banning
    await rig.security.flush()
    expect(rig.security.bans.get(address)).toMatchObject({ source: 'manual', expiresAt: null })
    await rig.restart()
    expect(rig.security.bans.get(address)).toMatchObject({ source: 'manual', expiresAt: null })
  })

  test('a refused ban or unban leaves the automatic ban that is not stored yet', async () => {
    const rig = await SecurityRig.open()
    const write = vi.spyOn(rig.databases.svc, 'write').mockRejectedValue(new Error('disk full'))
    rig.scan(ATTACKER, 3)
    await rig.security.flush()
    await expect(rig.security.ban(ATTACKER, MANUAL)).rejects.toThrow('disk full')
    await expect(rig.security.unban(ATTACKER)).rejects.toThrow('disk full')
    write.mockRestore()
    await rig.restart()
    expect(rig.security.bans.active()).toMatchObject([{ address: ATTACKER, source: '404_detector' }])
  })

  test('thousands of clients are banned with few transactions', async () => {
    const rig = await SecurityRig.open()
    const clients = Array.from({ length: 2001 }, (_, n) => `203.0.${n >> 8}.${n & 255}`)
    const write = vi.spyOn(rig.databases.svc, 'write')
    await rig.security.banAll([...clients, ...clients], { ...MANUAL, source: 'host_ban' })
    expect(write).toHaveBeenCalledTimes(5)
    await rig.restart()
    expect(rig.security.bans.active()).toHaveLength(2001)
    expect(rig.security.bans.get('203.0.7.208')).toMatchObject({ count: 1, source: 'host_ban' })
  })

  test('a ban that cannot be stored is refused and not in force', async () => {
    const rig = await SecurityRig.open()
    vi.spyOn(rig.databases.svc, 'write').mockRejectedValueOnce(new Error('disk full'))
    await expect(rig.security.ban(ATTACKER, MANUAL)).rejects.toThrow('disk full')
    expect(rig.security.bans.isBanned(ATTACKER)).toBe(false)
  })
})

describe('a restart', () => {
  test('keeps bans and offences', async () => {
    const rig = await SecurityRig.open()
    rig.scan(ATTACKER, 3)
    await rig.clock.advance(1)
    await rig.security.ban('2001:db8::1', { ...MANUAL, hours: null })
    rig.scan('198.51.100.2', 2)
    rig.guess('198.51.100.2', 1)
    const before = { bans: rig.security.bans.active(), ...rig.security.offences() }
    await rig.restart()
    expect({ bans: rig.security.bans.active(), ...rig.security.offences() }).toEqual(before)
    rig.scan('198.51.100.2', 1)
    expect(rig.security.bans.isBanned('198.51.100.2')).toBe(true)
  })

  test('after a kill a second later keeps them too', async () => {
    const rig = await SecurityRig.open()
    rig.scan(ATTACKER, 3)
    rig.scan('198.51.100.2', 2)
    await rig.clock.advance(1000)
    // The transactions that began are under way; nothing more is written.
    await rig.security.flush()
    await rig.restart(false)
    expect(rig.security.bans.isBanned(ATTACKER)).toBe(true)
    expect(rig.security.offences().missingPaths).toMatchObject([{ address: '198.51.100.2', count: 2 }])
  })

  test('an automatic ban whose write failed is stored later', async () => {
    const rig = await SecurityRig.open()
    const write = vi.spyOn(rig.databases.svc, 'write').mockRejectedValueOnce(new Error('disk full'))
    rig.scan(ATTACKER, 3)
    await rig.security.flush()
    expect(rig.security.bans.isBanned(ATTACKER)).toBe(true)
    write.mockRestore()
    await rig.restart()
    expect(rig.security.bans.isBanned(ATTACKER)).toBe(true)
  })

  test('stores digests of keys, never more than their first digits', async () => {
    const rig = await SecurityRig.open()
    rig.security.addInvalidKey(ATTACKER, `0123456789abcdef${'f'.repeat(48)}`)
    await rig.security.flush()
    const rows = await rig.databases.logs.queryRaw('select * from invalid_api_key_tracker')
    expect(rows).toMatchObject([{ ip_address: ATTACKER, api_keys_tried: '["0123456789abcdef"]' }])
  })
})

test.each(['127.0.0.1/64', '::ffff:127.0.0.1/64', '203.0.113.7/64', '::ffff:203.0.113.7/64'])(
  'the ban of %s, which is no network of the list, is refused',
  async (text) => {
    const { security } = await SecurityRig.open()
    await expect(security.ban(text, MANUAL)).rejects.toMatchObject({ code: 'validation' })
    expect(security.bans.active()).toEqual([])
  },
)

test('the ban of ::1/64 is refused as one of this machine', async () => {
  const { security } = await SecurityRig.open()
  await expect(security.ban('::1/64', MANUAL)).rejects.toMatchObject({ code: 'refused' })
})
