import { MCP_SCOPES } from '../../src/core/mcp/index.js'
import { TOOLS, type Tool } from '../../src/daemon/mcp/tools/index.js'
import { code, table } from './table.js'

/** Returns a table of the tools of assistants for each scope. */
export function mcpTools(): string {
  return Object.entries(MCP_SCOPES)
    .flatMap(([scope, meaning]) => {
      const rows = TOOLS.filter((tool) => tool.scope === scope).map(row)
      return [`### ${scope}`, `${meaning}.`, table(['Tool', 'Arguments', 'Group', 'What it does'], rows)]
    })
    .join('\n\n')
}

function row(tool: Tool): string[] {
  const { properties = {}, required = [] } = tool.input()
  const names = Object.entries(properties).map(([name, schema]) => {
    if (schema.default !== undefined && typeof schema.default !== 'object')
      return code(`${name}=${schema.default}`)
    return code(required.includes(name) ? name : `${name}?`)
  })
  return [code(tool.name), names.join(', ') || '-', tool.toolset, tool.description]
}
