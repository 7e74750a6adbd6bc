import { ServiceError } from '../errors/index.js'
import type { Settings } from '../settings/index.js'
import type { McpSettings } from './schema.js'

/** The settings that a change may name. */
export type McpSettingsPatch = { -readonly [K in keyof McpSettings]?: McpSettings[K] | undefined }

type Stored = ReturnType<Settings['get']>

/** Returns the settings of MCP. Access without a public address is off, whatever the database says. */
export function mcpSettingsOf(stored: Stored): McpSettings {
  return {
    enabled: stored.mcpEnabled && stored.mcpPublicUrl !== '',
    publicUrl: stored.mcpPublicUrl,
    requireApproval: stored.mcpRequireApproval,
    writeScopeEnabled: stored.mcpWriteScopeEnabled,
    queueWrites: stored.mcpQueueWrites,
  }
}

/**
 * Changes the settings of the patch. They are in force at once.
 * @throws ServiceError `validation` for an address that is not public; `refused` for access without one
 */
export async function changeMcpSettings(
  settings: Pick<Settings, 'get' | 'update'>,
  { publicUrl: givenUrl, ...patch }: McpSettingsPatch,
): Promise<McpSettings> {
  const before = mcpSettingsOf(settings.get())
  const publicUrl = givenUrl === undefined ? before.publicUrl : publicUrlOf(givenUrl)
  if ((patch.enabled ?? before.enabled) && publicUrl === '') {
    throw new ServiceError(
      'refused',
      'Cannot enable Remote MCP without MCP_PUBLIC_URL. Set the public address first, or in the same request.',
    )
  }
  const after = await settings.update({
    mcpPublicUrl: publicUrl,
    mcpEnabled: patch.enabled,
    mcpRequireApproval: patch.requireApproval,
    mcpWriteScopeEnabled: patch.writeScopeEnabled,
    mcpQueueWrites: patch.queueWrites,
  })
  return mcpSettingsOf(after)
}

/** Returns an address as tokens name their issuer: an origin, because its paths belong to this service. */
function publicUrlOf(text: string): string {
  const url = text.trim().replace(/\/+$/, '')
  if (url === '') return ''
  const { hash, host, origin, password, pathname, protocol, search, username } = URL.canParse(url)
    ? new URL(url)
    : NO_URL
  if (protocol !== 'https:' || host === '') {
    throw refusal('public_url must be HTTPS (e.g. https://yourdomain.com).')
  }
  if (pathname !== '/' || `${hash}${password}${search}${username}` !== '') {
    throw refusal('public_url must be an address without a path, a query and a user name.')
  }
  return origin
}

const NO_URL = new URL('about:blank')

const refusal = (text: string) => new ServiceError('validation', text, { errors: { public_url: [text] } })
