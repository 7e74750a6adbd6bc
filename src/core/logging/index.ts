export {
  createLogger,
  LOG_LEVELS,
  type LoggerOptions,
  type LogLevel,
  type LogOutput,
} from './create-logger.js'
export { ERROR_LOG, MAX_BYTES as ERROR_LOG_BYTES } from './error-log.js'
export { type LogFields, type Logger, silentLogger, withFields } from './logger.js'
export { escapeControls, isPublic, redact } from './redact.js'
export { isSecretName } from './secret-names.js'
export { MASK, MASK_OVERLAP, maskStart, maskText } from './secret-texts.js'
export type { LogSink } from './sink.js'
