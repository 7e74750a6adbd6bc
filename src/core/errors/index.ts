export { ERROR_CODES, type ErrorCode, type ErrorMeaning } from './codes.js'
export { crashPoint } from './crash-point.js'
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
