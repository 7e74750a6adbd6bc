import { ASSISTANT_OPERATIONS } from '../mcp/operations.js'
import { OPERATIONS } from './index.js'
import { type NamedOperation, operationList } from './named.js'

export type { NamedOperation } from './named.js'

/**
 * Every operation of the daemon: those of its areas, and the endpoints of assistants, whose tools run the others. Nothing that
 * an operation uses may import this.
 */
const ALL_OPERATIONS = { ...OPERATIONS, ...ASSISTANT_OPERATIONS }
/** Named by its parts, because a declaration of the whole would repeat every schema. */
export type AllOperations = typeof OPERATIONS & typeof ASSISTANT_OPERATIONS

/** All operations as a list, in the order of the reference. */
export const ALL_OPERATION_LIST: readonly NamedOperation[] = operationList(ALL_OPERATIONS)
