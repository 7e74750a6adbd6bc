import { expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

/* Who may connect by MCP, with the built program. */
const desk = commandDesk()

const register = async (): Promise<string> => {
  const response = await fetch(`${desk.daemon.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Desk\u001b[31m assistant',
      redirect_uris: ['https://assistant.example/callback'],
      token_endpoint_auth_method: 'none',
    }),
  })
  return ((await response.json()) as { client_id: string }).client_id
}

it('svc admin mcp switches access on, lets a client in and out, and revokes everything', async () => {
  const { terminal } = desk
  const run = async (command: string) => {
    const { exit, stderr, stdout } = await terminal.svc(`admin mcp ${command}`)
    return [exit, (stdout + stderr).trim()]
  }
  expect(await run('status')).toEqual([0, expect.stringContaining('Remote access is off.')])
  expect(await run('settings --enabled on')).toEqual([5, expect.stringContaining('Cannot enable Remote MCP')])
  expect(await run('kill --yes')).toEqual([5, expect.stringContaining('Remote MCP is not enabled.')])
  expect(await run('settings --enabled on --public-url https://desk.example')).toEqual([
    0,
    'Remote access is on: assistants connect to https://desk.example/mcp. In live mode their orders wait for approval.',
  ])
  expect(await run('settings --queue-writes off')).toEqual([
    0,
    expect.stringContaining('Their orders are sent without approval.'),
  ])
  expect(await run('clients')).toEqual([0, ''])
  const id = await register()
  const [, listed] = await run('clients')
  expect(listed).toContain(id)
  expect(listed).toContain('Desk [31m assistant')
  expect(await run('status')).toEqual([0, expect.stringContaining('Clients wait for your approval')])
  expect(await run(`approve ${id}`)).toEqual([0, 'Desk [31m assistant is approved.'])
  expect(await run(`approve ${id}`)).toEqual([0, `${id} was approved before.`])
  expect(await run('approve nobody')).toEqual([4, expect.stringContaining('Client not found.')])
  expect(await run('kill')).toEqual([2, expect.stringContaining('Pass --yes')])
  expect(await run('kill --yes')).toEqual([0, 'All access is revoked: 0 tokens.'])
  expect(await run(`revoke ${id} --yes`)).toEqual([0, `${id} is revoked, with 0 tokens.`])
  expect(await run(`revoke ${id} --yes`)).toEqual([0, `${id} was revoked before.`])
  expect(await run('audit --outcome denied')).toEqual([0, ''])
  expect(await run('audit --limit 501')).toEqual([2, expect.stringContaining('from 1 to 500')])
  expect(await run('settings --enabled off')).toEqual([0, 'Remote access is off.'])
})
