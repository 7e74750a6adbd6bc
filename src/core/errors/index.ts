export { ERROR_CODES, type ErrorCode } from './codes.js'
export { crashPoint } from './crash-point.js'
export { editDistance } from './edit-distance.js'
export { type ErrorFacts, type ErrorReason, factsOf } from './facts.js'
export type { Refusal, Veto } from './service-error.js'
export {
  type FieldErrors,
  messageOf,
  PublicError,
  publicMessageOf,
  ServiceError,
  type ServiceErrorOptions,
  serviceErrorIn,
  validationError,
} from './service-error.js'
