import { expect, test } from 'vitest'
import { istStamp } from '../../../src/core/time/index.js'
import { bearer, HttpDesk } from '../../support/desk/http-desk.js'

async function open(env: Record<string, string> = {}) {
  const http = await HttpDesk.open({ env })
  const token = await http.signIn()
  const send = async (method: string, path: string, body?: unknown) => {
    const reply = await http.request(method, path, { body, headers: bearer(token) })
    return { status: reply.status, body: reply.body }
  }
  return { http, send, post: (path: string, body: unknown) => send('POST', `/security/${path}`, body) }
}

test('an address is banned, listed and unbanned', async () => {
  const { send, post, http } = await open()
  const at = new Date(http.desk.clock.now()).toISOString()
  expect(await post('ban', { ip_address: '203.0.113.7', reason: 'scans', duration_hours: 2 })).toEqual({
    status: 200,
    body: { success: true, message: 'IP 203.0.113.7 has been banned' },
  })
  await post('ban', { ip_address: '2001:db8::5', permanent: true })
  const { body } = await send('GET', '/security/api/data')
  expect(body).toMatchObject({
    banned_ips: expect.arrayContaining([
      expect.objectContaining({
        ip_address: '203.0.113.7',
        ban_reason: 'scans',
        banned_at: expect.stringMatching(/^\d\d-\d\d-\d{4} \d\d:\d\d:\d\d [AP]M$/),
        banned_at_iso: at,
        is_permanent: false,
        ban_count: 1,
        created_by: 'manual',
      }),
      expect.objectContaining({
        ip_address: '2001:db8::/64',
        ban_reason: 'Manual ban',
        expires_at: 'Permanent',
        expires_at_iso: null,
        is_permanent: true,
      }),
    ]),
    suspicious_ips: [],
    api_abuse_ips: [],
    security_settings: {
      auto_ban_enabled: false,
      '404_threshold': 100,
      '404_ban_duration': 0,
      api_threshold: 100,
      api_ban_duration: 0,
      repeat_offender_limit: 2,
    },
  })
  expect((await send('GET', '/security/stats')).body).toEqual({
    total_bans: 2,
    permanent_bans: 1,
    temporary_bans: 1,
    suspicious_ips: 0,
    near_threshold: 0,
  })
  expect(await post('unban', { ip_address: '::ffff:203.0.113.7' })).toMatchObject({ status: 200 })
  expect(await post('unban', { ip_address: '203.0.113.7' })).toMatchObject({
    status: 404,
    body: { error: 'IP not found in ban list' },
  })
})

const REFUSED = [
  ['ban', {}, 'IP address is required'],
  ['ban', { ip_address: ' ' }, 'IP address is required'],
  ['ban', { ip_address: '1.2.3' }, 'Invalid IP address format'],
  ['ban', { ip_address: 'fe80::1::2' }, 'Invalid IP address format'],
  ['ban', { ip_address: '127.0.0.2' }, 'Cannot ban localhost'],
  ['ban', { ip_address: '::1' }, 'Cannot ban localhost'],
  ['ban', { ip_address: '::ffff:127.0.0.1' }, 'Cannot ban localhost'],
  ['ban', { ip_address: '1.2.3.4', duration_hours: 'x' }, 'Invalid numeric value provided'],
  ['ban', { ip_address: '1.2.3.4', duration_hours: 0 }, 'Ban duration must be between 1 hour and 1 year'],
  ['unban', {}, 'IP address is required'],
  ['clear-404', {}, 'IP address is required'],
  ['ban-host', {}, 'Host is required'],
  ['ban-host', { host: 'a_b.example' }, 'Invalid hostname format'],
  ['ban-host', { host: '%.example' }, 'Invalid hostname format'],
  ['ban-host', { host: '::1' }, 'Cannot ban localhost'],
  ['settings', { threshold_404: 0 }, '404 threshold must be between 1 and 1000'],
  ['settings', { threshold_404: 1001 }, '404 threshold must be between 1 and 1000'],
  ['settings', { threshold_404: 'many' }, 'Invalid numeric value provided'],
  ['settings', { ban_duration_404: 8761 }, 'Ban duration must be Permanent (0) or between 1 hour and 1 year'],
  ['settings', { ban_duration_api: -1 }, 'Ban duration must be Permanent (0) or between 1 hour and 1 year'],
  ['settings', { threshold_api: 101 }, 'API threshold must be between 1 and 100'],
  ['settings', { repeat_offender_limit: 11 }, 'Repeat offender limit must be between 1 and 10'],
] as const

test('a request that is not valid is refused with its reason', async () => {
  const { post } = await open()
  for (const [path, body, error] of REFUSED) {
    expect(await post(path, body), `${path} ${JSON.stringify(body)}`).toMatchObject({
      status: 400,
      body: { status: 'error', message: error, error },
    })
  }
})

test('a trusted proxy cannot be banned, because all its clients would be', async () => {
  const { post } = await open({ TRUST_PROXY_HEADERS: 'true', TRUSTED_PROXIES: '10.0.0.0/8' })
  expect(await post('ban', { ip_address: '10.1.2.3' })).toMatchObject({
    status: 400,
    body: { error: 'Cannot ban a trusted proxy: all its clients would be banned' },
  })
})

test('the own address of the caller is banned only when they say so', async () => {
  const http = await HttpDesk.open({ env: { TRUST_PROXY_HEADERS: 'true' } })
  const headers = { ...bearer(await http.signIn()), 'x-forwarded-for': '198.51.100.7' }
  const ask = (path: string, body: object) => http.request('POST', `/security/${path}`, { headers, body })
  const own = {
    status: 400,
    body: {
      own_address: true,
      error: expect.stringContaining('own_address: true'),
      consequences: expect.arrayContaining([expect.stringContaining('locked out until')]),
    },
  }
  for (const ip_address of ['198.51.100.7', '::ffff:198.51.100.7']) {
    expect(await ask('ban', { ip_address })).toMatchObject(own)
  }
  expect(await ask('ban-host', { host: '198.51.100.7' })).toMatchObject(own)
  expect((await ask('ban', { ip_address: '198.51.100.8' })).status).toBe(200)
  expect((await ask('ban', { ip_address: '198.51.100.7', own_address: true })).status).toBe(200)
  expect((await ask('ban-host', { host: '198.51.100.7', own_address: true })).status).toBe(200)
  expect(http.daemon.service.security.bans.isBanned('198.51.100.7')).toBe(true)
})

test('the refusal says until when the caller would be locked out', async () => {
  const http = await HttpDesk.open({ env: { TRUST_PROXY_HEADERS: 'true' } })
  const headers = { ...bearer(await http.signIn()), 'x-real-ip': '2001:db8::5' }
  const until = (hours: number) => istStamp(http.desk.clock.now() + hours * 3_600_000)
  const ask = async (fields: object) => {
    const body = { ip_address: '2001:DB8::77', ...fields }
    return (await http.request('POST', '/security/ban', { headers, body })).body.consequences
  }
  expect(await ask({})).toEqual([
    '2001:db8::/64 is your own address: this request comes from it.',
    `You will be locked out until ${until(24)}.`,
    'On the machine of the daemon, svc ban remove lifts it.',
  ])
  expect(await ask({ duration_hours: 2 })).toContain(`You will be locked out until ${until(2)}.`)
  expect(await ask({ permanent: true })).toContain('You will be locked out until somebody lifts the ban.')
})

test('a ban that is refused anyway is not asked about', async () => {
  const http = await HttpDesk.open({ env: { TRUST_PROXY_HEADERS: 'true', OWNER_ADDRESSES: '198.51.100.7' } })
  const headers = { ...bearer(await http.signIn()), 'x-real-ip': '198.51.100.7' }
  const { body } = await http.request('POST', '/security/ban', {
    headers,
    body: { ip_address: '198.51.100.7' },
  })
  expect(body).toMatchObject({ error: 'Cannot ban an address of OWNER_ADDRESSES' })
  expect(body).not.toHaveProperty('own_address')
})

test('a ban of a host name spares the address of the request, also of a token that nobody has seen before', async () => {
  const http = await HttpDesk.open({ env: { TRUST_PROXY_HEADERS: 'true' } })
  const call = { method: 'GET', target: '/', statusCode: 404, durationMs: 1, host: 'scanner.example' }
  for (const clientIp of ['198.51.100.7', '203.0.113.1']) {
    http.daemon.service.traffic.record({ ...call, clientIp })
  }
  const headers = { ...bearer(await http.tokenOf('admin')), 'x-real-ip': '198.51.100.7' }
  const { body } = await http.request('POST', '/security/ban-host', {
    headers,
    body: { host: 'scanner.example' },
  })
  expect(body).toMatchObject({ message: 'Banned 1 IPs associated with host: scanner.example' })
  expect(http.daemon.service.security.bans.isBanned('198.51.100.7')).toBe(false)
})

test('an address of the owner cannot be banned', async () => {
  const { post } = await open({ OWNER_ADDRESSES: '198.51.100.0/24' })
  for (const ip_address of ['198.51.100.7', '::ffff:198.51.100.7']) {
    expect(await post('ban', { ip_address })).toMatchObject({
      status: 400,
      body: { error: 'Cannot ban an address of OWNER_ADDRESSES' },
    })
  }
})

test('settings that are not given keep their value; numbers may be text', async () => {
  const { post, send } = await open()
  const settings = { auto_ban_enabled: true, threshold_404: '50', ban_duration_404: 24 }
  await post('settings', settings)
  expect(await post('settings', { repeat_offender_limit: 3 })).toEqual({
    status: 200,
    body: {
      success: true,
      message: 'Security settings updated successfully',
      settings: {
        auto_ban_enabled: true,
        '404_threshold': 50,
        '404_ban_duration': 24,
        api_threshold: 100,
        api_ban_duration: 0,
        repeat_offender_limit: 3,
      },
    },
  })
  expect((await send('GET', '/security/api/data')).body).toMatchObject({
    security_settings: { '404_threshold': 50, repeat_offender_limit: 3 },
  })
})

test('the 404s of an address are listed, counted and cleared', async () => {
  const { post, send, http } = await open()
  for (let n = 0; n < 75; n++) http.daemon.service.security.addMissingPath('203.0.113.7', `/${n % 2}`)
  http.daemon.service.security.addInvalidKey('203.0.113.8', 'f'.repeat(64))
  expect((await send('GET', '/security/api/data')).body).toMatchObject({
    suspicious_ips: [{ ip_address: '203.0.113.7', error_count: 75, paths_attempted: '["/0","/1"]' }],
    api_abuse_ips: [{ ip_address: '203.0.113.8', attempt_count: 1, api_keys_tried: '["ffffffffffffffff"]' }],
  })
  expect((await send('GET', '/security/stats')).body).toMatchObject({ suspicious_ips: 1, near_threshold: 1 })
  expect(await post('clear-404', { ip_address: '203.0.113.7' })).toEqual({
    status: 200,
    body: { success: true, message: '404 tracker cleared for 203.0.113.7' },
  })
  expect(await post('clear-404', { ip_address: '203.0.113.7' })).toMatchObject({
    status: 404,
    body: { error: 'No tracker found for this IP' },
  })
})

test('a host name bans the clients that used it, but neither the owner nor those of another name', async () => {
  const { post, http } = await open()
  const call = { method: 'GET', target: '/', statusCode: 404, durationMs: 1 }
  const calls: [clientIp: string, host: string, userId?: string][] = [
    ['203.0.113.1', 'scanner.example'],
    ['203.0.113.2', 'WWW.Scanner.example:5000'],
    ['2001:db8::1', 'scanner.example:80'],
    ['2001:db8::2', 'scanner.example:80'],
    ['203.0.113.3', 'myscanner.example'],
    ['203.0.113.4', 'scanner.example.org'],
    ['127.0.0.1', 'scanner.example'],
    ['203.0.113.5', 'scanner.example'],
    ['203.0.113.5', 'trade.example', 'asha'],
    // A bot with a key, and a call without one from its network.
    ['2001:db8:0:1::7', 'trade.example', 'asha'],
    ['2001:db8:0:1::8', 'scanner.example'],
  ]
  for (const [clientIp, host, userId] of calls)
    http.daemon.service.traffic.record({ ...call, clientIp, host, userId })
  expect(await post('ban-host', { host: 'scanner.example', reason: 'scan' })).toEqual({
    status: 200,
    body: { success: true, message: 'Banned 3 IPs associated with host: scanner.example' },
  })
  const bans = http.daemon.service.security.bans.active()
  expect(bans.map(({ address }) => address).sort()).toEqual(['2001:db8::/64', '203.0.113.1', '203.0.113.2'])
  expect(bans[0]).toMatchObject({ reason: 'Host ban: scanner.example - scan', source: 'host_ban' })
})

test('a host that is an address is banned by hand; a host that nobody called is not found', async () => {
  const { post, http } = await open()
  expect(await post('ban-host', { host: '203.0.113.7', reason: 'x' })).toMatchObject({
    body: { success: true, message: 'Banned IP: 203.0.113.7' },
  })
  expect(http.daemon.service.security.bans.active()).toMatchObject([
    { reason: 'Manual ban: x', source: 'manual' },
  ])
  expect(await post('ban-host', { host: 'scanner.example' })).toMatchObject({
    status: 404,
    body: {
      error: 'No traffic found from host: scanner.example. To ban specific IPs, use the IP ban form instead.',
      suggestion: 'Use the Manual IP Ban form above to ban specific IP addresses directly.',
    },
  })
})
