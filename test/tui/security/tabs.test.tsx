import { expect, it } from 'vitest'
import { accessOf } from '../support/access.js'
import { DOWN, ENTER, ESC, TAB } from '../support/shown.js'
import { openSecurity, STRANGER } from './security-desk.js'

const EMPTY_LINE = '\u0015'

it('tab goes through the tabs, and shift-tab back', async () => {
  const { open } = await openSecurity()
  const app = await open()
  for (const tab of ['suspects', 'sessions', 'sign-ins', 'settings', 'bans']) {
    await app.press(TAB)
    await app.shows(`[${tab}]`)
  }
  await app.press('\u001b[Z')
  await app.shows('[settings]')
})

it('shows the addresses that scan paths or guess keys, and what they tried', async () => {
  const { from, open } = await openSecurity()
  await from(STRANGER, '/wp-login.php')
  await from(STRANGER, '/\u001b[31m.env'.replace('\u001b', '%1b'))
  await from('198.51.100.10', '/api/v1/chart?apikey=wrong')
  const app = await open('suspects')
  await app.shows(/198\.51\.100\.9 +404 +2/)
  await app.shows(/198\.51\.100\.10 +invalid key +1/)
  await app.press(ENTER)
  await app.shows('"/wp-login.php"')
  expect(app.screen()).not.toContain('\u001b[31m')
  await app.press(ESC)
  await app.shows('198.51.100.10')
})

it('x clears the 404s of an address, and says why invalid keys stay', async () => {
  const { from, open } = await openSecurity()
  await from(STRANGER, '/wp-login.php')
  await from('198.51.100.10', '/api/v1/chart?apikey=wrong')
  const app = await open('suspects')
  await app.shows(/> +198\.51\.100\.9 /)
  await app.press('x')
  await app.shows('404s of 198.51.100.9: forgotten.')
  await app.shows(/> +198\.51\.100\.10 /)
  expect(app.screen()).not.toMatch(/198\.51\.100\.9 +404/)
  await app.press('x')
  await app.shows('Only 404s can be cleared.')
})

it('b on a suspect fills in its address and its offence', async () => {
  const { bans, from, open } = await openSecurity()
  await from(STRANGER, '/wp-login.php')
  const app = await open('suspects')
  await app.shows(STRANGER)
  await app.press('b')
  await app.shows(/Address +198\.51\.100\.9/)
  for (let field = 0; field < 3; field += 1) await app.press(ENTER)
  await app.shows('Ban of 198.51.100.9: done.')
  expect(await bans()).toMatchObject([{ ip_address: STRANGER, ban_reason: 'scans paths' }])
})

it('says that there are no suspects', async () => {
  const { open } = await openSecurity()
  await (await open('suspects')).shows('No address with 404s or invalid API keys')
})

it('x ends another session after a question; the list follows', async () => {
  const { client, http, open } = await openSecurity()
  const other = await http.signIn()
  const app = await open('sessions')
  await app.shows('this one')
  const first = /> +\S{8} +this one/.test(app.screen())
  if (first) await app.press(DOWN)
  await app.press('x')
  await app.shows(/Sign out session \S{8}/)
  expect(app.screen()).not.toContain('you will be signed out here')
  await app.press('n')
  await app.shows('this one')
  await app.press('x')
  await app.shows('Sign out session')
  await app.press('y')
  await app.shows(/End of session \S{8}: it is signed out\./)
  const { sessions } = await client.request('GET /auth/active-sessions', {})
  expect(sessions).toHaveLength(1)
  const reply = await http.request('GET', '/auth/whoami', { headers: { authorization: `Bearer ${other}` } })
  expect(reply.status).toBe(401)
})

it('ending its own session says so first, and signs the program out', async () => {
  const { open } = await openSecurity()
  const app = await open('sessions')
  await app.shows('this one')
  await app.press('x')
  await app.shows('It is the session of this program: you will be signed out here.')
  await app.press('y')
  await app.shows(/End of session \S{8}: you are signed out\./)
  await expect.poll(() => app.desk.connection.state.get().kind).toBe('signed_out')
})

it('a session that begins elsewhere appears', async () => {
  const { http, open } = await openSecurity()
  const app = await open('sessions')
  await app.shows('this one')
  const rows = () => app.screen().match(/^ ?>? {2,}[0-9a-f]{8} /gm)?.length
  expect(rows()).toBe(1)
  await http.signIn()
  await expect.poll(rows).toBe(2)
})

it('lists the attempts to sign in with their reasons', async () => {
  const { http, open } = await openSecurity()
  await http.request('POST', '/auth/login', { body: { username: 'asha', password: 'wrong' } })
  const app = await open('sign-ins')
  await app.shows(/success +password/)
  await app.shows(/failed +password/)
  await app.press('/')
  await app.shows('Filter:')
  await app.press('failed')
  await app.shows('1 of 2 with "failed"')
})

it('e changes the settings, from their present values', async () => {
  const { open, settings } = await openSecurity()
  const before = await settings()
  const app = await open('settings')
  await app.shows(/404_ban_duration +permanent/)
  await app.shows('auto_ban: on or off: ban by itself')
  await app.press('e')
  await app.shows(new RegExp(`404_threshold +${before['404_threshold']}`))
  await app.press(DOWN)
  await app.press(EMPTY_LINE)
  await app.press('0')
  await app.shows('a whole number from 1 to 1000')
  await app.press(EMPTY_LINE)
  await app.press('77')
  await app.press(DOWN)
  await app.press(EMPTY_LINE)
  await app.press('2 days')
  await app.shows('whole hours or days')
  await app.press(EMPTY_LINE)
  await app.press('2d')
  for (let field = 0; field < 4; field += 1) await app.press(ENTER)
  await app.shows('Settings of automatic bans: changed.')
  await app.shows(/404_threshold +77/)
  expect(await settings()).toEqual({ ...before, '404_threshold': 77, '404_ban_duration': 48 })
})

it('settings that did not change are not sent', async () => {
  const { client, open, settings } = await openSecurity()
  const app = await open('settings')
  await app.shows('404_threshold')
  await app.press('e')
  await app.shows('> auto_ban')
  await client.request('POST /security/settings', { body: { threshold_api: 33 } })
  for (let field = 0; field < 6; field += 1) await app.press(ENTER)
  await app.shows('Settings of automatic bans: nothing to change.')
  expect((await settings()).api_threshold).toBe(33)
})

it.each(['settings', 'suspects', 'sessions'])(
  'a token that may only read changes nothing in %s',
  async (tab) => {
    const desk = await openSecurity()
    await desk.from(STRANGER, '/wp-login.php')
    const before = await desk.settings()
    const app = await desk.open(tab, await accessOf(desk, 'read'))
    await app.shows(/^>/m)
    if (tab === 'settings') {
      await app.press('e')
      await app.shows('> auto_ban')
      await app.press(' ')
      for (let field = 0; field < 6; field += 1) await app.press(ENTER)
    } else {
      await app.press('x')
      if (tab === 'sessions') {
        await app.shows('Sign out')
        await app.press('y')
      }
    }
    await app.shows(/refused\. .*admin/)
    expect(await desk.settings()).toEqual(before)
  },
)

it('keeps the rows while the daemon is away, and says how old they are', async () => {
  const { access, client, open } = await openSecurity()
  await client.request('POST /security/ban', { body: { ip_address: '203.0.113.7' } })
  let isAway = false
  const { SvcClient } = await import('../../../src/client/index.js')
  const away = new SvcClient({ url: 'http://127.0.0.1:9', timeoutMs: 1000 })
  const app = await open('bans', { client: (ms) => (isAway ? away : access.client(ms)) })
  await app.shows('203.0.113.7')
  isAway = true
  await app.press('b')
  await app.shows('> Address')
  await app.press('203.0.113.8')
  for (let field = 0; field < 3; field += 1) await app.press(ENTER)
  await app.shows('Ban of 203.0.113.8: not sent.')
  await app.shows(/Address +203\.0\.113\.8/)
  await app.press(ESC)
  await app.shows(/\ds old: /)
  await app.shows('203.0.113.7')
})
