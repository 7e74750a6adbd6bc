export { type CallOptions, SvcClient, type SvcClientOptions } from './client.js'
export type {
  AnswerOf,
  Body,
  EndpointName,
  RouteAnswer,
  RouteName,
  RouteRequest,
} from './endpoints.js'
export { NoAnswerError, StreamError, SvcError } from './errors.js'
export type { ClientEvent, EventOptions } from './events.js'
export type { MarketFollowing, MarketFrame, MarketOptions, StreamSymbol, TickMode } from './market.js'
export {
  type Following,
  type LiveRun,
  type StrategyFrame,
  type StrategyFrameOptions,
  stateAfter,
} from './strategy-frames.js'
