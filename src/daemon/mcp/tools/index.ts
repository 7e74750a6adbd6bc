import { OPERATION_LIST } from '../../operations/index.js'
import { operationTool } from './build.js'
import { INSTRUMENT_TOOLS } from './instruments.js'
import { MARKET_TOOLS } from './market.js'
import { RESEARCH_TOOLS } from './research.js'
import type { Tool } from './tool.js'

export type { Tool, ToolContext } from './tool.js'

/** The table of tools: every tool of an assistant, over HTTP and stdio, in the order of its name. */
export const TOOLS: readonly Tool[] = [
  ...OPERATION_LIST.flatMap((row) => (row.tool ? operationTool(row, row.tool) : [])),
  ...MARKET_TOOLS,
  ...INSTRUMENT_TOOLS,
  ...RESEARCH_TOOLS,
].sort((one, other) => (one.name < other.name ? -1 : 1))
