import { expect, it, vi } from 'vitest'
import { accessOf } from '../support/access.js'
import { DOWN, ENTER, ESC } from '../support/shown.js'
import { openSecurity } from './security-desk.js'

const ban = (ip_address: string, fields: object = {}) => ({ body: { ip_address, ...fields } })

it('lists the bans with their statistics, within the screen', async () => {
  const { client, open } = await openSecurity()
  await client.request('POST /security/ban', ban('203.0.113.7', { reason: 'scans paths' }))
  await client.request('POST /security/ban', ban('2001:db8:1:2::9', { permanent: true }))
  const app = await open()
  await app.shows(/203\.0\.113\.7\s+scans paths/)
  await app.shows(/2001:db8:1:2::\/64 .*permanent/)
  await app.shows('2 banned (1 permanent, 1 temporary)  0 suspicious, 0 near the limit')
  const lines = app.screen().split('\n')
  expect(lines.length).toBeLessThanOrEqual(21)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
})

it('says that there are no bans', async () => {
  const { open } = await openSecurity()
  await (await open()).shows('No bans.')
})

it('b bans an address with the values of the form', async () => {
  const { bans, open } = await openSecurity()
  const app = await open()
  await app.press('b')
  await app.shows(/> Address/)
  await app.press('203.0.113.7')
  await app.press(DOWN)
  await app.press('\u0015')
  await app.press('7d')
  await app.press(DOWN)
  await app.press('scans paths')
  await app.shows(/Reason +scans paths/)
  await app.press(ENTER)
  await app.shows('Ban of 203.0.113.7: done.')
  await app.shows(/> +203\.0\.113\.7\s+scans paths/)
  const [banned] = await bans()
  expect(banned).toMatchObject({ ip_address: '203.0.113.7', ban_reason: 'scans paths', is_permanent: false })
  const { banned_at_iso: from, expires_at_iso: until } = banned ?? {}
  expect(Date.parse(until ?? '') - Date.parse(from ?? '')).toBe(7 * 86_400_000)
})

it('a second enter while the form is on its way does not say that it is not sent', async () => {
  const { open } = await openSecurity()
  const app = await open()
  await app.press('b')
  await app.shows('> Address')
  await app.press('203.0.113.7')
  for (let field = 0; field < 2; field += 1) await app.press(ENTER)
  await app.shows('> Reason')
  const start = vi.spyOn(app.desk.changes, 'start')
  await app.press(`${ENTER}${ENTER}`)
  await app.shows('Ban of 203.0.113.7: done.')
  expect(start).toHaveBeenCalledTimes(1)
})

it('a permanent ban of a network', async () => {
  const { bans, open } = await openSecurity()
  const app = await open()
  await app.press('b')
  await app.press('2001:db8:1:2::/64')
  await app.press(DOWN)
  await app.press('\u0015')
  await app.press('permanent')
  await app.press(DOWN)
  await app.press(ENTER)
  await app.shows('done, with its network 2001:db8:1:2::/64.')
  expect(await bans()).toMatchObject([{ ip_address: '2001:db8:1:2::/64', is_permanent: true }])
})

it.each([
  ['203.0.113', 'an address, or a network'],
  ['203.0.113.0/24', 'an address, or a network'],
  ['scanner.example', 'an address, or a network'],
])('the form says while one types that %s is no address', async (text, problem) => {
  const { bans, open } = await openSecurity()
  const app = await open()
  await app.press('b')
  await app.shows('> Address')
  await app.press(text)
  await app.shows(`${text}  ${problem}`)
  for (let field = 0; field < 3; field += 1) await app.press(ENTER)
  await app.shows('> Address')
  expect(await bans()).toEqual([])
})

it.each([
  ['12', 'whole hours or days: 24h, 7d, or permanent'],
  ['0h', 'from 1 hour to 1 year'],
  ['366d', 'from 1 hour to 1 year'],
])('the form says while one types that %s is no duration', async (text, problem) => {
  const { open } = await openSecurity()
  const app = await open()
  await app.press('b')
  await app.press('203.0.113.7')
  await app.press(DOWN)
  await app.press('\u0015')
  await app.press(text)
  await app.shows(`${text}  ${problem}`)
})

it('a refused ban keeps the form with everything that was typed, and shows the reason', async () => {
  const { open } = await openSecurity()
  const app = await open()
  await app.press('b')
  await app.press('127.0.0.1')
  for (let field = 0; field < 3; field += 1) await app.press(ENTER)
  await app.shows('Cannot ban localhost')
  await app.shows(/Address +127\.0\.0\.1/)
  await app.shows('Ban of 127.0.0.1: refused. Cannot ban localhost')
  await app.press(ESC)
  await app.shows('No bans.')
})

it('a value that only the daemon refuses is shown with its field', async () => {
  const { open } = await openSecurity()
  const app = await open()
  await app.press('b')
  // The address has the form of a network, which an IPv4 address in IPv6 has not.
  await app.press('::ffff:203.0.113.7/64')
  for (let field = 0; field < 3; field += 1) await app.press(ENTER)
  await app.shows('Address: Invalid IP address format')
})

it('a token without the scope gets the refusal of the daemon', async () => {
  const desk = await openSecurity()
  const app = await desk.open('bans', await accessOf(desk, 'read'))
  await app.shows('No bans.')
  await app.press('b')
  await app.press('203.0.113.7')
  for (let field = 0; field < 3; field += 1) await app.press(ENTER)
  await app.shows(/Ban of 203\.0\.113\.7: refused\. .*admin/)
  expect(await desk.bans()).toEqual([])
})

it('a token that may not read shows why', async () => {
  const desk = await openSecurity()
  const app = await desk.open('bans', await accessOf(desk, 'orders'))
  await app.shows(/scope|read/)
  expect(app.screen()).not.toContain('No bans.')
})

it.each([
  ['b', '::ffff:198.51.100.7', 'Ban of ::ffff:198.51.100.7: done.'],
  ['h', '198.51.100.7', 'Ban of host 198.51.100.7: Banned IP: 198.51.100.7.'],
])('%s asks before a ban of the own address %s, and bans after the word', async (key, typed, done) => {
  const desk = await openSecurity()
  const app = await desk.open('bans', await desk.accessAs('198.51.100.7'))
  const order = async () => {
    await app.press(key)
    await app.shows(/> (Address|Host)/)
    await app.press(typed)
    for (let field = 0; field < 3; field += 1) await app.press(ENTER)
    await app.shows('Ban your own address?')
  }
  await order()
  await app.shows('198.51.100.7 is your own address')
  await app.shows(/You will be locked out until [\d-]+ [\d:]+ IST\./)
  await app.press('y')
  await app.press(ENTER)
  await app.shows('No bans.')
  expect(await desk.bans()).toEqual([])
  await order()
  await app.press('BAN')
  await app.press(ENTER)
  await app.shows(done)
  expect(await desk.bans()).toMatchObject([{ ip_address: '198.51.100.7' }])
})

it('u lifts a ban after a question', async () => {
  const { bans, client, open } = await openSecurity()
  await client.request('POST /security/ban', ban('203.0.113.7', { reason: 'by mistake' }))
  const app = await open()
  await app.shows('203.0.113.7')
  await app.press('u')
  await app.shows('Lift the ban of 203.0.113.7?')
  await app.shows('It was banned for: by mistake')
  await app.press('n')
  await app.shows(/> +203\.0\.113\.7/)
  expect(await bans()).toHaveLength(1)
  await app.press('u')
  await app.shows('Lift the ban')
  await app.press('y')
  await app.shows('End of the ban of 203.0.113.7: 203.0.113.7 is no longer banned.')
  await app.shows('No bans.')
})

it('h bans a host, and shows when nothing called it', async () => {
  const { bans, open } = await openSecurity()
  const app = await open()
  await app.press('h')
  await app.shows('> Host')
  await app.press('-')
  await app.shows('a host name, such as scanner.example')
  await app.press('\u0015')
  await app.press('scanner.example')
  for (let field = 0; field < 3; field += 1) await app.press(ENTER)
  await app.shows('No traffic found from host: scanner.example')
  await app.shows(/Host +scanner\.example/)
  await app.press(ESC)
  await app.press('h')
  await app.shows('> Host')
  await app.press('203.0.113.9')
  await app.press(DOWN)
  await app.press('p')
  await app.press(DOWN)
  await app.press(ENTER)
  await app.shows('Ban of host 203.0.113.9: Banned IP: 203.0.113.9.')
  expect(await bans()).toMatchObject([{ ip_address: '203.0.113.9', is_permanent: true }])
})

it('enter shows the whole reason, and / filters', async () => {
  const { client, open } = await openSecurity()
  const reason = `scans paths ${'again and '.repeat(10)}again`
  await client.request('POST /security/ban', ban('203.0.113.7', { reason }))
  await client.request('POST /security/ban', ban('203.0.113.8', { reason: '\u001b[31mred' }))
  const app = await open()
  await app.shows('203.0.113.7')
  await app.press('/')
  await app.shows('Filter:')
  await app.press('scans')
  await app.shows('1 of 2 with "scans"')
  await app.press(ENTER)
  await app.press(ENTER)
  await app.shows(/ADDRESS +203\.0\.113\.7/)
  await app.press(ESC)
  await app.press('/')
  await app.press(ESC)
  await app.shows('203.0.113.8')
  expect(app.screen()).not.toContain('\u001b[31m')
})
