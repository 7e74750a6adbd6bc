import { expect, test } from 'vitest'
import { clientRows } from '../../../../src/cli/commands/admin/mcp.js'

const CLIENT = {
  client_id: 'c-1',
  client_name: 'Desk assistant',
  approved: false,
  is_public: true,
  grants: 0,
  scopes_requested: ['read:market'],
  created_at: '2026-11-28T04:00:00Z',
  approved_at: null,
  revoked_at: null,
  last_used_at: null,
}

test('a client whose address only looks like a host of somebody else is listed with its scheme', () => {
  const redirect_uris = ['program://claude.ai/cb', 'cursor:/cb', 'https://assistant.example/cb']
  const [row] = clientRows([{ ...CLIENT, redirect_uris }])
  expect(row?.redirect_hosts).toBe('program://claude.ai cursor:// assistant.example')
})
