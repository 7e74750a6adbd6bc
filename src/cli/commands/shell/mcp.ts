import type { NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { resolveApiKey } from '../../http/credentials.js'
import type { Post } from './mcp-bridge.js'

/** The longest wait for the daemon, which sends nothing for a call after half of it. */
const PATIENCE_MS = 60_000

export const mcp: NounSpec = {
  summary:
    'Connects an assistant on this machine to the daemon: the Model Context Protocol on stdin and stdout.',
  details:
    'The program of the assistant starts this command itself; docs/mcp.md has its settings. It uses your API key. In Live mode the orders of assistants wait for your approval unless you switch that off (svc admin mcp).',
  examples: ['mcp', 'mcp --read-only', 'mcp --toolset marketdata --toolset research'],
  options: [
    { flags: '--read-only', summary: 'leave out every tool that changes something' },
    {
      flags: '--toolset <name>',
      summary:
        'only the tools of this group: orders, account, marketdata, research, utility (may be repeated)',
      repeatable: true,
    },
  ],
  async run(context, input) {
    const [{ bridge }, { StdioServerTransport }] = await Promise.all([
      import('./mcp-bridge.js'),
      import('@modelcontextprotocol/sdk/server/stdio.js'),
    ])
    const post = postTo(context, input.flag('readOnly'), input.list('toolset'))
    await bridge(new StdioServerTransport(), post, endOf(context, process.stdin))
    return EXIT.done
  },
}

/** Returns the way to the daemon. The key is read at once: without it no call can succeed. */
function postTo(context: Context, readOnly: boolean, toolsets: readonly string[]): Post {
  const query = new URLSearchParams({
    ...(readOnly && { read_only: 'true' }),
    ...(toolsets.length > 0 && { toolsets: toolsets.join(',') }),
  })
  const path = `/api/v1/mcp${query.size > 0 ? `?${query}` : ''}`
  const credential = resolveApiKey(context.settings, context.io, context.target)
  const headers = { 'x-api-key': credential.value }
  return async (message) => {
    // A restart may have changed the port of the daemon.
    context.refreshTarget()
    const call = {
      method: 'POST',
      path,
      body: message,
      headers,
      credential,
      changes: true,
      timeoutMs: PATIENCE_MS,
    } as const
    return context.client().raw(call)
  }
}

/** Resolves when the assistant closes its end, or this program must stop. */
function endOf({ io }: Context, stdin: NodeJS.ReadStream): Promise<void> {
  const interrupts = io.interrupts()
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve())
    interrupts.addEventListener('abort', () => resolve(), { once: true })
  })
}
