import type { z } from 'zod'
import type { ErrorCode } from '../../core/errors/index.js'
import { type Auth, METHODS, type Method } from './facts.js'
import type { Operation, OperationName } from './operation.js'

/** An operation with the parts of its name, for code that iterates over all operations. */
export interface NamedOperation extends Operation {
  name: OperationName
  method: Method
  path: string
  /** The JSON answers that are not common refusals, by status. */
  answers: Readonly<Record<number, z.ZodType>>
}

export function named(name: OperationName, row: Operation): NamedOperation {
  const [method, path] = partsOf(name)
  const { answer, errors, fresh, others, status = 200 } = row
  const asks = fresh !== undefined && fresh !== 'in the request'
  return {
    ...row,
    ...(asks && { errors: [...(errors ?? []), 'reauthentication_required'] }),
    name,
    method,
    path,
    answers: { ...(answer && { [status]: answer }), ...others },
  }
}

/** Returns the operations of a table as a list, in its order. */
export function operationList(table: Readonly<Record<OperationName, Operation>>): NamedOperation[] {
  return Object.entries(table).map(([name, row]) => named(name as OperationName, row))
}

function partsOf(name: OperationName): [method: Method, path: string] {
  const [method, path = ''] = name.split(' ')
  const known = METHODS.find((one) => one === method)
  if (!known) throw new Error(`${name} names no method`)
  return [known, path]
}

/** The refusals of the session or the token that reads in place of the API key. */
const ERRORS_OF_READERS: readonly ErrorCode[] = ['unauthenticated', 'forbidden']

/** Returns the refusals that an operation has because of its credential. */
export function commonErrors({ auth, changes }: Pick<Operation, 'auth' | 'changes'>): readonly ErrorCode[] {
  const isReadByToken = auth === 'apikey' && changes !== true
  return isReadByToken ? [...COMMON_ERRORS[auth], ...ERRORS_OF_READERS] : COMMON_ERRORS[auth]
}

/** The refusals that every operation with a given credential has. */
const COMMON_ERRORS: Readonly<Record<Auth, readonly ErrorCode[]>> = {
  apikey: [
    'validation',
    'invalid_key',
    'too_large',
    'unsupported_media',
    'rate_limited',
    'internal',
    'unavailable',
  ],
  session: ['unauthenticated', 'forbidden', 'rate_limited', 'internal', 'unavailable'],
  none: ['internal'],
}
