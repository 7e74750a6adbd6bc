import { expect, test } from 'vitest'
import { AddressSet, canonicalAddress } from '../../../src/core/security/index.js'
import { SecurityRig } from './support.js'

const OWNERS = new AddressSet([
  { address: '198.51.100.0', bits: 24, family: 'ipv4' },
  { address: '2001:db8:1:2::5', bits: 128, family: 'ipv6' },
])
const OFFICE = '198.51.100.7'
const HOME = '2001:db8:1:2::5'
const NEIGHBOUR = '2001:db8:1:2::6'

const order = { reason: '', hours: 1, source: 'manual' } as const

test('the addresses of the owner are never banned: not by offences, not by hand, and not with their network', async () => {
  const rig = await SecurityRig.open()
  await rig.restart(true, OWNERS)
  const { security } = rig
  for (const address of [OFFICE, HOME]) {
    rig.scan(address, 10)
    rig.guess(address, 10)
    expect(security.bans.isBanned(address)).toBe(false)
    await expect(security.ban(address, order)).rejects.toMatchObject({ code: 'refused' })
    await expect(security.ban(`::ffff:${OFFICE}`, order)).rejects.toMatchObject({ code: 'refused' })
  }
  expect(security.offences()).toEqual({ missingPaths: [], invalidKeys: [] })
  rig.scan(NEIGHBOUR, 3)
  expect([NEIGHBOUR, HOME].map((address) => security.bans.isBanned(address))).toEqual([true, false])
})

test('a ban from before an address was named refuses it no longer, and can be lifted', async () => {
  const rig = await SecurityRig.open()
  await rig.security.ban(OFFICE, order)
  await rig.restart(true, OWNERS)
  expect(rig.security.bans.isBanned(OFFICE)).toBe(false)
  expect(await rig.security.unban(OFFICE)).toBe(true)
  expect(rig.security.bans.active()).toEqual([])
})

test('a network of wrapped IPv4 addresses is one of IPv4', () => {
  const set = new AddressSet([{ address: '::ffff:192.0.2.0', bits: 120, family: 'ipv6' }])
  expect(set.has(canonicalAddress('::ffff:192.0.2.9') ?? '')).toBe(true)
  expect(set.has('192.0.3.1')).toBe(false)
  for (const text of ['unknown', '', '192.0.2', 'localhost']) expect(set.has(text)).toBe(false)
})

test('a text that is no address, which earlier versions could ban, can be unbanned', async () => {
  const rig = await SecurityRig.open()
  await rig.databases.svc.write((tx) =>
    tx.exec(
      `insert into ip_bans (ip_address, ban_reason, ban_count, banned_at, created_by)
       values ('unknown', '', 1, ?, '404_detector')`,
      [rig.clock.now()],
    ),
  )
  await rig.restart()
  expect(await rig.security.unban('unknown')).toBe(true)
  await expect(rig.security.unban('unknown')).rejects.toMatchObject({ code: 'validation' })
})
