import type { Call, Reply } from '../desk/http-desk.js'
import { DaemonProcess, type Env, PASSWORD, USERNAME } from '../process/daemon-process.js'
import { oauthParties, PUBLIC_URL, type Send } from './parties.js'

export type OAuthProcess = Awaited<ReturnType<typeof oauthProcess>>

/**
 * A real daemon with MCP on, its signed-in owner, and an assistant. Each request comes from an address of its own, so
 * that no limit stops it.
 */
export async function oauthProcess(env: Env = {}) {
  const proxy = { TRUST_PROXY_HEADERS: 'true', CLIENT_IP_HEADER: 'X-Real-IP' }
  const daemon = await DaemonProcess.ready({ ...proxy, ...env })
  let requests = 0
  const nextAddress = () => {
    requests += 1
    return `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`
  }
  const sendAs =
    (address: string): Send =>
    (method, path, call = {}) =>
      request(daemon, method, path, { ...call, headers: { ...call.headers, 'x-real-ip': address } })
  const send: Send = (method, path, call) => sendAs(nextAddress())(method, path, call)
  const account = { username: USERNAME, password: PASSWORD }
  const login = await send('POST', '/auth/login', { body: account })
  daemon.token = String(login.body.token)
  const parties = oauthParties(send, { authorization: `Bearer ${daemon.token}` })
  const settings = { http_enabled: true, public_url: PUBLIC_URL, require_approval: false }
  const on = await parties.admin('PUT', 'mcp/settings', settings)
  if (on.status !== 200) throw new Error(`MCP is not on: ${on.text}`)
  /** Returns whether an access token opens the MCP transport. */
  const opens = async (token: string): Promise<boolean> => {
    const reply = await send('POST', '/mcp', {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    })
    // 404: there is no MCP while remote access is off.
    if (![200, 401, 404].includes(reply.status))
      throw new Error(`/mcp answered ${reply.status}: ${reply.text}`)
    return reply.status === 200
  }
  return { ...parties, daemon, send, sendAs, opens, account }
}

async function request(daemon: DaemonProcess, method: string, path: string, call: Call): Promise<Reply> {
  const body = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
  const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...call.headers }
  const init: RequestInit = { method, headers, redirect: 'manual', ...(body !== undefined && { body }) }
  const response = await fetch(daemon.url + path, init)
  const text = await response.text()
  return {
    status: response.status,
    code: response.headers.get('x-svc-code'),
    headers: response.headers,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : {},
  }
}
