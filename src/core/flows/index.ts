export type { Problem } from './graph.js'
export { LIMITS } from './graph.js'
export { hostOf, isAllowedHost, refuseUnresolved, requestUrl, requirePublic } from './http-guard.js'
export { NodeError } from './nodes/definition.js'
export type {
  Account,
  Body,
  CallAnswer,
  FlowPorts,
  HttpPort,
  HttpRequest,
  HttpResponse,
  LotsPort,
  NotifierPort,
  OrdersPort,
  ReadCall,
  ReadsPort,
  StreamedTick,
  StreamPort,
} from './ports.js'
