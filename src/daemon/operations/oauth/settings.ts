import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { Mcp } from '../../../core/mcp/index.js'
import { count, ok, text } from '../common/answers.js'
import { signedIn } from '../running.js'
import { json, oauthFlag, oauthText } from './fields.js'

const KILL_WORD = 'REVOKE_ALL_MCP_TOKENS'

const mcpKillSwitchPayload = z.strictObject({
  confirm: oauthText.optional().meta({ description: 'REVOKE_ALL_MCP_TOKENS' }),
})
const mcpSettingsPayload = z.strictObject({
  http_enabled: oauthFlag.optional(),
  public_url: oauthText.optional(),
  require_approval: oauthFlag.optional(),
  write_scope_enabled: oauthFlag.optional(),
  queue_writes: oauthFlag.optional().meta({
    description: 'In live mode, an order of an assistant always waits for approval.',
  }),
})

const flag = z.boolean()
const mcpKilled = ok({ tokens_revoked: count })

const settings = z.strictObject({
  http_enabled: flag,
  public_url: text,
  mcp_url: text,
  require_approval: flag,
  write_scope_enabled: flag,
  queue_writes: flag,
})
const mcpSettings = ok({ settings })
const mcpSettingsChanged = ok({
  restart_required: z.literal(false).meta({ description: 'Changes are in force at once.' }),
  settings_pending: settings,
})

/** The settings of remote access for assistants, and its end for all of them. */
export const MCP_SETTINGS_OPERATIONS = {
  'POST /admin/api/mcp/kill-switch': signedIn(
    'Assistants',
    'tenAMinute',
    'admin',
  )('Revokes every token of every assistant, at once.', {
    body: mcpKillSwitchPayload,
    example: { confirm: 'REVOKE_ALL_MCP_TOKENS' },
    answer: mcpKilled,
    errors: ['refused', 'storage_full', ...json],
    audit: {
      act: 'mcp.revoke_all',
      values: ({ service: { mcp } }) =>
        Object.fromEntries(mcp.clients.list().map(({ clientId }) => [clientId, mcp.grantsOf(clientId)])),
      emergency: true,
    },
    run: async ({ mcp }, { body }) => {
      mcp.requireEnabled()
      if (body.confirm !== KILL_WORD) {
        throw new ServiceError('refused', `Kill switch requires confirm="${KILL_WORD}".`)
      }
      return { status: 'success', tokens_revoked: await mcp.killAll() }
    },
  }),
  'GET /admin/api/mcp/settings': signedIn(
    'Assistants',
    'api',
    'read',
    'admin',
  )('Returns the settings of MCP.', {
    answer: mcpSettings,
    run: ({ mcp }) => ({ status: 'success', settings: mcpSettingsView(mcp) }),
  }),
  'PUT /admin/api/mcp/settings': signedIn(
    'Assistants',
    'thirtyAMinute',
    'admin',
  )('Changes the settings of MCP. A missing one keeps its value.', {
    fresh: {
      http_enabled: [true],
      public_url: 'any',
      require_approval: [false],
      write_scope_enabled: [true],
      queue_writes: [false],
    },
    body: mcpSettingsPayload,
    example: { public_url: 'https://desk.example', http_enabled: true },
    answer: mcpSettingsChanged,
    errors: ['refused', 'storage_full', ...json],
    audit: { act: 'mcp.set', values: ({ service }) => mcpSettingsView(service.mcp) },
    run: async ({ mcp }, { body }) => {
      if (Object.values(body).every((value) => value === undefined)) {
        throw new ServiceError('validation', 'Nothing to change: name a setting.')
      }
      await mcp.changeSettings({
        enabled: body.http_enabled,
        publicUrl: body.public_url,
        requireApproval: body.require_approval,
        writeScopeEnabled: body.write_scope_enabled,
        queueWrites: body.queue_writes,
      })
      return { status: 'success', restart_required: false, settings_pending: mcpSettingsView(mcp) }
    },
  }),
}

function mcpSettingsView(mcp: Pick<Mcp, 'settings'>) {
  const { enabled, publicUrl, queueWrites, requireApproval, writeScopeEnabled } = mcp.settings()
  return {
    http_enabled: enabled,
    public_url: publicUrl,
    mcp_url: publicUrl === '' ? '' : `${publicUrl}/mcp`,
    require_approval: requireApproval,
    write_scope_enabled: writeScopeEnabled,
    queue_writes: queueWrites,
  }
}
