import { generateSync } from 'otplib'
import { beforeEach, describe, expect, it } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { PASSWORD } from '../../../support/desk/http-desk.js'
import { type OAuthRig, oauthRig } from '../../../support/oauth/oauth-rig.js'

const STEP = 30_000
const WRITE = { scope: 'read:market write:orders' }
const BROWSER = { accept: 'text/html' }

let rig: OAuthRig
let clientId = ''
beforeEach(async () => {
  rig = await oauthRig()
  clientId = await rig.client()
})

const code = async () => {
  const { secret } = await rig.http.desk.service.identity.secondFactor.enrolment(USER)
  return generateSync({ secret, epoch: Math.floor(rig.clock.now() / 1000) })
}
/** Makes write access need a code, and waits until the code that said so is old. */
const turnOn = async () => {
  const flags = { totp_enabled: true, totp_required_for_mcp: true }
  const body = { totp_code: await code(), ...flags }
  const reply = await rig.http.request('POST', '/auth/2fa/configure', { body, headers: rig.owner })
  expect(reply.status).toBe(200)
  await rig.clock.advance(3 * STEP)
}
const asksForCode = async (more: Record<string, string> = WRITE) =>
  (await rig.ask(rig.asking(clientId, more))).body.code_needed

describe('the right to write', () => {
  it('needs no code while the owner asks for none, and never for reading', async () => {
    expect(await asksForCode()).toBe(false)
    await turnOn()
    expect(await asksForCode({})).toBe(false)
    expect((await rig.approve(rig.asking(clientId))).status).toBe(200)
  })

  it('needs a code: a wrong one brings the page again, a right one counts for a minute', async () => {
    await turnOn()
    expect(await asksForCode()).toBe(true)
    const wrongCodes: Record<string, string>[] = [{}, { totp_code: '000000' }, { totp_code: 'x' }]
    for (const wrong of wrongCodes) {
      const refused = await rig.approve(rig.asking(clientId, WRITE), wrong)
      expect([refused.status, refused.body.message]).toEqual([400, 'Invalid TOTP code. Please try again.'])
    }
    const used = await code()
    expect((await rig.approve(rig.asking(clientId, WRITE), { totp_code: used })).status).toBe(200)
    expect(await asksForCode()).toBe(false)
    expect((await rig.approve(rig.asking(clientId, WRITE))).status).toBe(200)
    rig.clock.suspend(60_000)
    expect(await asksForCode()).toBe(false)
    rig.clock.suspend(1)
    expect(await asksForCode()).toBe(true)
    expect((await rig.approve(rig.asking(clientId, WRITE), { totp_code: used })).status).toBe(400)
  })

  it('needs a recent proof of who the owner is, like any new credential', async () => {
    const params = rig.asking(clientId, WRITE)
    await rig.clock.advance(15 * 60_000 + 1)
    expect((await rig.approve(params)).code).toBe('reauthentication_required')
    const proof = { body: { password: PASSWORD }, headers: rig.owner }
    expect((await rig.http.request('POST', '/auth/reauthenticate', proof)).status).toBe(200)
    expect((await rig.approve(params)).status).toBe(200)
  })

  it('ends at once, also in tokens that have it, when the owner grants it to nobody', async () => {
    const { access } = await rig.connect(clientId, WRITE)
    const scopes = async () => {
      const grant = await rig.mcp.verify(access)
      return 'scopes' in grant ? [...grant.scopes] : []
    }
    expect(await scopes()).toEqual(['read:market', 'write:orders'])
    await rig.mcp.changeSettings({ writeScopeEnabled: false })
    expect(await scopes()).toEqual(['read:market'])
    const asked = await rig.ask(rig.asking(clientId, WRITE))
    expect(new URL(asked.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_scope')
  })
})

describe('the page', () => {
  const cookie = () => ({ cookie: `session=${rig.session}`, ...BROWSER })
  const page = (more: Record<string, string> = {}) => rig.ask(rig.asking(clientId, more), cookie())
  /** Returns the hidden fields of the form, as a browser sends them. */
  const fieldsOf = (html: string): Record<string, string> =>
    Object.fromEntries(
      [
        ...html
          .slice(html.indexOf('action="/oauth/authorize"'))
          .matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g),
      ].map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]),
    )

  it('says who asks, for what, and where the answer goes; its form leads there', async () => {
    const { text } = await page(WRITE)
    expect(text).toContain('Give access to Desk assistant?')
    expect(text).toContain('assistant.example')
    expect(text).toContain('Place, change and cancel orders, and close positions')
    expect(text).toContain('In live mode its orders wait for your approval.')
    const sent = await rig.form('/oauth/authorize', { ...fieldsOf(text), decision: 'approve' }, cookie())
    const to = new URL(sent.headers.get('location') ?? '')
    expect([sent.status, to.host, to.searchParams.get('state')]).toEqual([303, 'assistant.example', 'st-1'])
    expect((await rig.redeem(clientId, to.searchParams.get('code') ?? '')).body.scope).toBe(WRITE.scope)
  })

  it.each([
    ['http://[::1]:33418/cb', 'http:', '[::1]:33418'],
    ['http://127.0.0.1:33418/cb', 'http://127.0.0.1:33418', '127.0.0.1:33418'],
    [
      'cursor://anysphere.cursor-mcp/cb',
      'cursor:',
      'the program on your device that opens cursor://anysphere',
    ],
  ])('lets a browser send the answer to %s', async (redirect_uri, target, shown) => {
    clientId = await rig.client({ redirect_uris: [redirect_uri] })
    const { headers, text } = await page({ redirect_uri })
    expect(headers.get('content-security-policy')).toContain(`form-action 'self' ${target};`)
    expect(text).toContain(shown)
  })

  it('warns when orders would be sent without asking', async () => {
    await rig.mcp.changeSettings({ queueWrites: false })
    expect((await page(WRITE)).text).toContain('with your money and without asking you')
  })

  it('comes again after a wrong code, and says so', async () => {
    await turnOn()
    const { text } = await page(WRITE)
    expect(text).toContain('name="totp_code"')
    const fields = { ...fieldsOf(text), decision: 'approve', totp_code: '000000' }
    const sent = await rig.form('/oauth/authorize', fields, cookie())
    const back = sent.headers.get('location') ?? ''
    expect([sent.status, back.split('?')[0]]).toEqual([303, '/oauth/authorize'])
    const [notice = ''] = sent.headers.getSetCookie()
    const again = await rig.http.request('GET', back, {
      headers: { ...BROWSER, cookie: `session=${rig.session}; ${notice.split(';')[0]}` },
    })
    expect(again.text).toContain('Invalid TOTP code. Please try again.')
    expect(again.text).toContain('name="totp_code"')
  })

  it('refuses with a link that tells the client', async () => {
    const { text } = await page()
    const href = /href="(https:\/\/assistant[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const to = new URL(href)
    expect(to.searchParams.get('error')).toBe('access_denied')
    expect(to.searchParams.get('state')).toBe('st-1')
    const decided = await rig.decide({ ...rig.asking(clientId), ...(await consentFor()), decision: 'deny' })
    expect(decided.body.redirect_to).toBe(href)
  })

  it('shows an error here, and leads nowhere, when the request is not safe to answer', async () => {
    const { status, text } = await page({ redirect_uri: 'https://evil.example/' })
    expect(status).toBe(400)
    expect(text).toContain('redirect_uri is not registered.')
    expect(text).not.toContain('action="/oauth/authorize"')
  })

  const consentFor = async () => ({ consent: String((await rig.ask(rig.asking(clientId))).body.consent) })
})
