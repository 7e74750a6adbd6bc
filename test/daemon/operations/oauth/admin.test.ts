import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { RESTORED } from '../../../../src/core/backup/index.js'
import type { McpCall } from '../../../../src/core/mcp/index.js'
import { honourRestore } from '../../../../src/daemon/backup/restored.js'
import { HttpDesk } from '../../../support/desk/http-desk.js'
import { type OAuthRig, oauthRig, oauthRigOf } from '../../../support/oauth/oauth-rig.js'

let rig: OAuthRig
beforeEach(async () => {
  rig = await oauthRig()
})
const told = async (reply: Promise<{ status: number; body: Record<string, unknown> }>) => {
  const { body, status } = await reply
  return [status, body.message]
}

describe('remote access', () => {
  it('is off in a new home, and on only with a public address', async () => {
    const http = await HttpDesk.open()
    const headers = { authorization: `Bearer ${await http.signIn()}` }
    const settings = () => http.request('GET', '/admin/api/mcp/settings', { headers })
    const change = (body: object) => http.request('PUT', '/admin/api/mcp/settings', { headers, body })
    const usual = { require_approval: true, write_scope_enabled: true, queue_writes: true }
    expect((await settings()).body.settings).toEqual({
      http_enabled: false,
      public_url: '',
      mcp_url: '',
      ...usual,
    })
    expect(await told(change({ http_enabled: true }))).toEqual([
      400,
      expect.stringMatching(/^Cannot enable Remote MCP without MCP_PUBLIC_URL\./),
    ])
    for (const address of ['http://desk.example', 'desk.example', 'ftp://desk.example', 'https://']) {
      expect(await told(change({ public_url: address }))).toEqual([
        400,
        'public_url must be HTTPS (e.g. https://yourdomain.com).',
      ])
    }
    for (const address of [
      'https://a@desk.example',
      'https://desk.example/svc',
      'https://desk.example?a=1',
    ]) {
      expect((await change({ public_url: address })).status).toBe(400)
    }
    expect(await told(change({ http_enabled: 'yes' }))).toEqual([400, 'http_enabled: must be boolean.'])
    const changed = await change({ http_enabled: true, public_url: 'https://desk.example/' })
    expect(changed.body).toEqual({
      status: 'success',
      restart_required: false,
      settings_pending: {
        http_enabled: true,
        public_url: 'https://desk.example',
        mcp_url: 'https://desk.example/mcp',
        ...usual,
      },
    })
    expect((await change({ public_url: '' })).status).toBe(400)
    expect((await http.request('GET', '/.well-known/oauth-authorization-server')).status).toBe(200)
  })

  it('while off lets nobody in, and nothing be decided', async () => {
    const clientId = await rig.client()
    await rig.admin('PUT', 'mcp/settings', { http_enabled: false })
    for (const [path, body] of [
      [`oauth/clients/${clientId}/approve`, undefined],
      [`oauth/clients/${clientId}/revoke`, { confirm: true }],
      ['mcp/kill-switch', { confirm: 'REVOKE_ALL_MCP_TOKENS' }],
    ] as const) {
      expect(await told(rig.admin('POST', path, body))).toEqual([400, 'Remote MCP is not enabled.'])
    }
    expect((await rig.admin('GET', 'oauth/clients')).body.mcp_enabled).toBe(false)
  })

  it('is answered under the public name, also behind the check of host names', async () => {
    const ask = (host: string) =>
      rig.http.request('GET', '/.well-known/oauth-protected-resource', { headers: { host } })
    expect((await ask('desk.example')).status).toBe(200)
    expect((await ask('evil.example')).status).toBe(403)
    await rig.mcp.changeSettings({ enabled: false })
    expect((await ask('desk2.example')).status).toBe(403)
  })
})

describe('a client', () => {
  it('waits for the approval of the owner, who approves it once', async () => {
    await rig.mcp.changeSettings({ requireApproval: true })
    const registered = await rig.register()
    expect(registered.body.status).toBe('pending_approval')
    const clientId = String(registered.body.client_id)
    const asked = await rig.ask(rig.asking(clientId))
    expect([asked.status, asked.body.error]).toEqual([403, 'unauthorized_client'])
    expect(asked.body.message).toContain(`svc admin mcp approve ${clientId}`)
    expect((await rig.refresh(clientId, 'x')).body.error_description).toBe('client not approved')
    expect((await rig.admin('GET', 'oauth/clients')).body.summary).toEqual({
      pending: 1,
      approved: 0,
      revoked: 0,
    })

    const approved = await rig.admin('POST', `oauth/clients/${clientId}/approve`)
    const at = new Date(rig.clock.now()).toISOString()
    expect(approved.body.client).toMatchObject({ client_id: clientId, approved: true, approved_at: at })
    expect(await told(rig.admin('POST', `oauth/clients/${clientId}/approve`))).toEqual([
      200,
      'Already approved.',
    ])
    expect((await rig.ask(rig.asking(clientId))).status).toBe(200)
    expect(await told(rig.admin('POST', 'oauth/clients/nobody/approve'))).toEqual([404, 'Client not found.'])
  })

  it('that is revoked loses its tokens at once, for good, and over a restart', async () => {
    const [clientId, other] = [await rig.client(), await rig.client()]
    const tokens = await rig.connect(clientId)
    const kept = await rig.connect(other)
    const code = await rig.codeFor(clientId)
    let ends = 0
    rig.mcp.onEnded(() => (ends += 1))
    const grant = await rig.mcp.verify(tokens.access)
    const path = `oauth/clients/${clientId}/revoke`
    expect(await told(rig.admin('POST', path, {}))).toEqual([
      400,
      'Revocation requires confirm=true in the request body.',
    ])
    const revoked = await rig.admin('POST', path, { confirm: true })
    expect(revoked.body).toMatchObject({
      status: 'success',
      tokens_revoked: 1,
      client: { approved: true, revoked_at: new Date(rig.clock.now()).toISOString(), grants: 0 },
    })
    expect(ends).toBe(1)
    expect('tokenId' in grant && rig.mcp.isLive(grant)).toBe(false)
    expect(await told(rig.admin('POST', path, { confirm: true }))).toEqual([200, 'Already revoked.'])
    expect(await told(rig.admin('POST', `oauth/clients/${clientId}/approve`))).toEqual([
      400,
      'Client is revoked.',
    ])
    const isOut = async (at: OAuthRig) => {
      expect(await at.opens(tokens.access)).toBe(false)
      expect((await at.refresh(clientId, tokens.refresh)).body.error).toBe('invalid_client')
      expect((await at.redeem(clientId, code)).status).toBe(401)
      expect((await at.ask(at.asking(clientId))).body.message).toBe('Unknown or revoked client.')
      expect(await at.opens(kept.access)).toBe(true)
    }
    await isOut(rig)
    await isOut(await oauthRigOf(await rig.restarted(), rig.session))
  })
})

describe('the kill switch', () => {
  it('ends every token of every client at once; clients need a new consent', async () => {
    const clients = [await rig.client(), await rig.client()]
    const tokens = [await rig.connect(clients[0] ?? ''), await rig.connect(clients[1] ?? '')]
    const code = await rig.codeFor(clients[0] ?? '')
    expect(await told(rig.admin('POST', 'mcp/kill-switch', { confirm: 'yes' }))).toEqual([
      400,
      'Kill switch requires confirm="REVOKE_ALL_MCP_TOKENS".',
    ])
    const answer = await rig.admin('POST', 'mcp/kill-switch', { confirm: 'REVOKE_ALL_MCP_TOKENS' })
    expect(answer.body).toEqual({ status: 'success', tokens_revoked: 2 })
    for (const [place, { access, refresh }] of tokens.entries()) {
      expect(await rig.opens(access)).toBe(false)
      expect((await rig.refresh(clients[place] ?? '', refresh)).body.error).toBe('invalid_grant')
    }
    expect((await rig.redeem(clients[0] ?? '', code)).body.error).toBe('invalid_grant')
    expect(await rig.opens((await rig.connect(clients[0] ?? '')).access)).toBe(true)
  })

  it('also ends a grant that begins at the same moment', async () => {
    const clientId = await rig.client()
    const code = await rig.codeFor(clientId)
    const [given] = await Promise.all([rig.redeem(clientId, code), rig.mcp.killAll()])
    const { access, refresh } = rig.tokensOf(given)
    expect(await rig.opens(access)).toBe(false)
    expect((await rig.refresh(clientId, refresh)).status).toBe(400)
  })
})

it('a restored home lets no assistant in before a new consent: one may have been revoked since', async () => {
  const clientId = await rig.client()
  const { access, refresh } = await rig.connect(clientId)
  const { home, service } = rig.http.desk
  const restored = { id: 'b1', created_at: '2026-11-19T10:00:00.000Z' }
  writeFileSync(join(home, RESTORED), JSON.stringify(restored))
  await honourRestore(service, home)
  expect(await rig.opens(access)).toBe(false)
  expect((await rig.refresh(clientId, refresh)).body.error).toBe('invalid_grant')
})

describe('the record of calls', () => {
  const call = (more: Partial<McpCall>): McpCall => ({
    tool: 'get_quote',
    scope: 'read:market',
    outcome: 'success',
    paramsHash: '0123456789abcdef',
    durationMs: 12.4,
    address: '192.0.2.7',
    ...more,
  })

  it('lists the newest that match, the oldest first, also those that were denied', async () => {
    const clientId = await rig.client()
    const grant = await rig.mcp.verify((await rig.connect(clientId)).access)
    if (!('tokenId' in grant)) throw new Error('the token is refused')
    rig.mcp.record(call({ grant }))
    rig.mcp.record(call({ grant, tool: 'place_order', scope: 'write:orders', outcome: 'denied' }))
    rig.mcp.record(call({ tool: 'place_order', scope: 'write:orders', outcome: 'unauthorized' }))
    const ask = async (query: string) => (await rig.admin('GET', `mcp/audit${query}`)).body
    const all = await ask('')
    expect(all).toMatchObject({ mcp_enabled: true, count: 3, scanned: 3, total_in_window: 3 })
    const at = new Date(rig.clock.now()).toISOString()
    expect(all.data).toEqual([
      {
        ts: at.slice(0, 19).replace('T', ' '),
        at,
        jti: grant.tokenId,
        client_id: clientId,
        tool: 'get_quote',
        scope: 'read:market',
        params_hash: '0123456789abcdef',
        duration_ms: 12,
        outcome: 'success',
        request_ip: '192.0.2.7',
      },
      expect.objectContaining({ tool: 'place_order', outcome: 'denied', client_id: clientId }),
      expect.objectContaining({ tool: 'place_order', outcome: 'unauthorized', client_id: null, jti: null }),
    ])
    const outcomes = async (query: string) =>
      ((await ask(query)).data as { outcome: string }[]).map(({ outcome }) => outcome)
    expect(await outcomes('?tool=PLACE')).toEqual(['denied', 'unauthorized'])
    expect(await outcomes('?scope=read:market')).toEqual(['success'])
    expect(await outcomes('?outcome=denied')).toEqual(['denied'])
    expect(await outcomes(`?client_id=${clientId}`)).toEqual(['success', 'denied'])
    expect(await outcomes('?limit=1')).toEqual(['unauthorized'])
    expect(await ask('?tool=order&limit=1')).toMatchObject({ count: 1, scanned: 3, total_in_window: 2 })
  })

  it('is kept as long as the configuration says', async () => {
    rig.mcp.record(call({}))
    await rig.mcp.audit.flush()
    rig.clock.suspend(91 * 86_400_000)
    rig.mcp.record(call({ tool: 'get_depth' }))
    await rig.mcp.audit.purge()
    const { data } = await rig.http.desk.service.mcp.audit.list({}, 10).then(({ calls }) => ({ data: calls }))
    expect(data.map(({ tool }) => tool)).toEqual(['get_depth'])
  })
})

it('acts on access are in the audit trail, with what they changed', async () => {
  const clientId = await rig.client()
  await rig.connect(clientId)
  await rig.admin('POST', `oauth/clients/${clientId}/revoke`, { confirm: true })
  await rig.admin('PUT', 'mcp/settings', { queue_writes: false })
  const { audit } = rig.http.desk.service
  await audit.flush()
  const acts = (await audit.list({ limit: 10, act: 'mcp' })).map(({ act, target, actor, after }) => ({
    act,
    target,
    actor,
    after: JSON.parse(after ?? 'null'),
  }))
  expect(acts.reverse()).toEqual([
    {
      act: 'mcp.register',
      target: clientId,
      actor: 'anonymous',
      after: expect.objectContaining({ name: 'Desk assistant' }),
    },
    {
      act: 'mcp.consent',
      target: clientId,
      actor: 'asha',
      after: { client: 'Desk assistant', scopes: 'read:market' },
    },
    {
      act: 'mcp.revoke_client',
      target: clientId,
      actor: 'asha',
      after: { grants: 0, revoked_at: rig.clock.now() },
    },
    { act: 'mcp.set', target: null, actor: 'asha', after: { queue_writes: false } },
  ])
})
