import type { Context } from 'hono'
import type { Toolset } from '../../../core/config/index.js'
import type { Principal } from '../../../core/identity/index.js'
import type { McpGrant, McpScope } from '../../../core/mcp/index.js'
import type { AppEnv } from '../../process/env.js'

/** An assistant, and the request in which it calls. */
export interface McpCaller {
  /** The user for whom it acts. */
  readonly principal: Principal
  /** What the user allowed it; undefined for an assistant on stdio, which has the user's own key. */
  readonly grant: McpGrant | undefined
  readonly scopes: ReadonlySet<McpScope>
  /** Its own choice of fewer tools. */
  readonly narrowed: Narrowed
  /** The name under which its calls are counted. */
  readonly countedAs: string
  readonly address: string
  readonly context: Context<AppEnv>
}

/** Which tools there are at all. */
export interface Narrowed {
  /** All, if undefined. */
  readonly toolsets?: readonly Toolset[] | undefined
  /** Leaves out every tool that changes something. */
  readonly readOnly: boolean
}
