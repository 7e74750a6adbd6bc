import type { MiddlewareHandler } from 'hono'
import type { NamedOperation } from '../operations/named.js'
import type { KnownOperationName } from '../operations/types.js'
import type { AppEnv } from '../process/env.js'
import type { Service } from '../service.js'
import { FORMS } from './form-actions.js'
import { answeringForm, type Form } from './forms.js'
import type { View } from './page.js'
import { type AnyView, type RefusedView, showingPage } from './showing.js'
import { brokerCallbackRefused, brokerCallbackView } from './views/access/broker-callback.js'
import { consentView } from './views/access/consent.js'
import { proofView } from './views/access/proof.js'
import { codeView, setupView, signInView } from './views/access/sign-in.js'
import { ordersView } from './views/account/orders.js'
import { pnlView } from './views/account/pnl.js'
import { positionsView } from './views/account/positions.js'
import { approvalsView } from './views/approvals.js'
import { landingView } from './views/landing.js'
import { latencyView } from './views/latency.js'
import { analyzerLogView, orderLogView } from './views/order-log.js'
import { searchView } from './views/search.js'
import { securityView } from './views/security.js'
import { strategiesView } from './views/strategies/list.js'
import { strategyView } from './views/strategies/strategy.js'
import { trafficView } from './views/traffic.js'

/** The view of every page, by its route. */
const VIEWS: { readonly [N in KnownOperationName]?: View<N> } = {
  'GET /action-center': approvalsView,
  'GET /logging': landingView,
  'GET /logs': orderLogView,
  'GET /logs/live': orderLogView,
  'GET /logs/sandbox': analyzerLogView,
  'GET /logs/traffic': trafficView,
  'GET /traffic': trafficView,
  'GET /logs/latency': latencyView,
  'GET /latency': latencyView,
  'GET /logs/security': securityView,
  'GET /security': securityView,
  'GET /orders': ordersView,
  'GET /pnl-tracker': pnlView,
  'GET /positions': positionsView,
  'GET /search': searchView,
  'GET /search/token': searchView,
  'GET /strategies': strategiesView,
  'GET /strategies/:id': strategyView,
  'GET /auth/reauthenticate': proofView,
  'GET /oauth/authorize': consentView,
  'GET /login': signInView,
  'GET /auth/login/totp': codeView,
  'GET /setup': setupView,
  'GET /:broker/callback': brokerCallbackView,
}

/** The pages whose refusals have a page of their own. */
const REFUSED: { readonly [N in KnownOperationName]?: RefusedView } = {
  'GET /:broker/callback': brokerCallbackRefused,
}

/** Returns what makes a route a page, or lets a form call it, before all else that the route does. */
export function pageSteps({ name }: NamedOperation, service: Service): MiddlewareHandler<AppEnv>[] {
  const views: Readonly<Record<string, AnyView | undefined>> = VIEWS
  const forms: Readonly<Record<string, Form | undefined>> = FORMS
  const refused: Readonly<Record<string, RefusedView | undefined>> = REFUSED
  const [view, form] = [views[name], forms[name]]
  return [
    ...(view ? [showingPage(view, service, refused[name])] : []),
    ...(form ? [answeringForm(form, service)] : []),
  ]
}
