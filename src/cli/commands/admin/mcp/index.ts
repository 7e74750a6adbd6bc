import type { CommandSpec } from '../../../framework/command/command.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { audit } from './audit.js'
import { approve, clients, kill, revoke } from './clients.js'
import { accessText, settings } from './settings.js'

const status: CommandSpec = {
  name: 'status',
  summary: 'Says whether assistants can connect from elsewhere, and how many have access.',
  examples: ['admin mcp status'],
  async run(context) {
    const [{ body: all }, { body: known }] = await Promise.all([
      context.read('GET /admin/api/mcp/settings'),
      context.read('GET /admin/api/oauth/clients'),
    ])
    const { approved, pending, revoked } = known.summary
    const grants = known.clients.reduce((sum, client) => sum + client.grants, 0)
    const state = { ...all.settings, pending, approved, revoked, grants }
    await context.out.record({ record: state, fields: FIELDS, id: 'mcp_url' })
    context.out.note(accessText(all.settings))
    if (pending > 0) context.out.note('Clients wait for your approval: svc admin mcp clients')
    return EXIT.done
  },
}

const FIELDS = [
  { key: 'http_enabled', title: 'REMOTE ACCESS' },
  { key: 'mcp_url' },
  { key: 'pending' },
  { key: 'approved' },
  { key: 'revoked' },
  { key: 'grants' },
] as const

export const mcp: CommandSpec = {
  name: 'mcp',
  summary: 'Assistants that connect by MCP: who may, what they did, and how to stop them.',
  examples: [
    'admin mcp status',
    'admin mcp clients',
    'admin mcp audit --outcome denied',
    'admin mcp settings --public-url https://desk.example --enabled on',
    'admin mcp kill --yes',
  ],
  verbs: [status, clients, approve, revoke, audit, kill, settings],
}
