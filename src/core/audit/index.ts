export { changesOf } from './entry.js'
export { OrderRecorder } from './order-recorder.js'
export { Origins } from './origins.js'
export { AuditTrail, type BegunAct } from './trail.js'
