export { type CallOptions, SvcClient, type SvcClientOptions } from './client.js'
export type {
  AnswerOf,
  Body,
  EndpointName,
  RouteAnswer,
  RouteName,
  RouteRequest,
} from './endpoints.js'
export { NoAnswerError, SvcError } from './errors.js'
export type { ClientEvent, EventOptions } from './events.js'
export type { MarketFrame, MarketOptions, TickMode } from './market.js'
export { StreamError } from './socket.js'
