import { ASSISTANT_OPERATIONS } from '../mcp/operations.js'
import { OPERATIONS } from './index.js'
import { operationList } from './named.js'

export type { NamedOperation } from './named.js'

/**
 * Every operation of the daemon: those of its areas, and the doors of assistants, whose tools run the others. Nothing that
 * an operation uses may import this.
 */
const ALL_OPERATIONS = { ...OPERATIONS, ...ASSISTANT_OPERATIONS }
export type AllOperations = typeof ALL_OPERATIONS

/** All operations as a list, in the order of the reference. */
export const ALL_OPERATION_LIST = operationList(ALL_OPERATIONS)
