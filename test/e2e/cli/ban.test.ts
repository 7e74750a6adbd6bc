import { expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

/* The bans with the built program. Requests name their address as a proxy would. */
const desk = commandDesk({ TRUST_PROXY_HEADERS: 'true', CLIENT_IP_HEADER: 'X-Real-IP' })

const SCANNER = '203.0.113.7'
const as = (address: string, path = '/version') =>
  fetch(desk.daemon.url + path, { headers: { 'x-real-ip': address } }).then(({ status }) => status)
const bans = () => desk.terminal.json<Record<string, unknown>[]>('ban list')

it('svc ban add shuts an address out at once, list shows it, and remove lets it in again', async () => {
  const { terminal } = desk
  expect(await bans()).toEqual([])
  const asked = await terminal.svc(`ban add ${SCANNER}`)
  expect([asked.exit, asked.stderr]).toEqual([2, expect.stringContaining('Pass --yes')])
  expect(await as(SCANNER)).toBe(200)

  const added = await terminal.svc(['ban', 'add', SCANNER, '--for', '7d', '--reason', 'scans paths', '--yes'])
  expect([added.exit, added.stderr]).toEqual([0, `${SCANNER} is banned.\n`])
  expect(await as(SCANNER)).toBe(403)
  expect(await as('203.0.113.8')).toBe(200)
  const [row] = await bans()
  expect(row).toMatchObject({ ip_address: SCANNER, ban_reason: 'scans paths', created_by: 'manual' })
  const days = (Date.parse(String(row?.expires_at)) - Date.parse(String(row?.banned_at))) / 86_400_000
  expect(days).toBe(7)
  expect((await terminal.svc('ban list -q')).stdout).toBe(`${SCANNER}\n`)

  expect((await terminal.svc(`ban remove ${SCANNER} --yes`)).exit).toBe(0)
  expect(await as(SCANNER)).toBe(200)
  expect((await terminal.svc(`ban remove ${SCANNER} --yes`)).exit).toBe(4)
})

it('an IPv6 address stands for its network, in every form', async () => {
  const { exit, stderr } = await desk.terminal.svc('ban add 2001:db8:1:2::9 --permanent --yes')
  expect([exit, stderr]).toEqual([0, '2001:db8:1:2::9 is banned, with its network 2001:db8:1:2::/64.\n'])
  expect(await bans()).toMatchObject([
    { ip_address: '2001:db8:1:2::/64', is_permanent: true, expires_at: null },
  ])
  expect(await as('2001:0DB8:0001:0002:ffff::1')).toBe(403)
  expect(await as('2001:db8:1:3::9')).toBe(200)
  expect((await desk.terminal.svc('ban remove 2001:db8:1:2::/64 --yes')).exit).toBe(0)
})

it.each([
  ['ban add 127.0.0.1 --yes', 5, 'localhost'],
  ['ban add ::ffff:127.0.0.1 --yes', 5, 'localhost'],
  ['ban add somewhere --yes', 2, 'Invalid IP address format'],
  ['ban add 203.0.113.9 --for 90m --yes', 2, '--for'],
  ['ban settings 404_threshold=0', 2, 'between 1 and 1000'],
  ['ban settings no_such=1', 2, 'no_such'],
])('svc %s is refused', async (line, exit, says) => {
  const ran = await desk.terminal.svc(line)
  expect([ran.exit, ran.stderr]).toEqual([exit, expect.stringContaining(says)])
})

it('svc ban settings takes effect at once: a scanner is suspected, forgotten, and then banned', async () => {
  const { terminal } = desk
  expect((await terminal.svc('ban settings auto_ban=on 404_threshold=3 404_ban_duration=12h')).exit).toBe(0)
  const scan = async (times: number) => {
    for (let n = 0; n < times; n++) expect(await as(SCANNER, `/scan-${n}`)).toBe(404)
  }
  await scan(2)
  expect(await terminal.json('ban list --suspicious')).toMatchObject([
    { ip_address: SCANNER, offence: '404', count: 2 },
  ])
  expect((await terminal.svc(`ban clear-404 ${SCANNER}`)).exit).toBe(0)
  await scan(3)
  expect(await as(SCANNER)).toBe(403)
  expect(await bans()).toMatchObject([
    { ip_address: SCANNER, ban_reason: 'Exceeded 404 threshold: 3 errors in 24 hours' },
  ])
  expect(await terminal.json('ban stats')).toMatchObject({ total_bans: 1, temporary_bans: 1 })
  expect((await terminal.svc(`ban remove ${SCANNER} --yes`)).exit).toBe(0)
})

it('svc ban add-host bans nobody for a name that nobody called', async () => {
  const { exit, stderr } = await desk.terminal.svc('ban add-host scanner.example --yes')
  expect([exit, stderr]).toEqual([4, expect.stringContaining('No traffic found from host')])
})
