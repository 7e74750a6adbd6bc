import {
  addressHeader,
  bindAddress,
  flag,
  hosts,
  integer,
  names,
  networks,
  origin,
  origins,
  originsOrAny,
} from '../kinds.js'
import { optional, setting } from './describe.js'

/** Where the service listens, and whose requests it takes. */
export const NETWORK = {
  HOST: setting(
    bindAddress,
    '127.0.0.1',
    'Address the service listens on. Any address except loopback opens it to the network.',
  ),
  SVC_PORT: setting(integer(0, 65_535), '5000', 'Port of the HTTP API. 0 takes any free one.'),
  SVC_WS_PORT: setting(
    integer(0, 65_535),
    '8765',
    'Port of the market stream, which is also at /ws of the HTTP port. 0 takes any free one.',
  ),
  WS_ALLOWED_ORIGINS: optional(
    origins,
    "Additional origins whose pages may open the market stream. The service's own host is always allowed.",
  ),
  TRUST_PROXY_HEADERS: setting(
    flag,
    'false',
    'Takes the client address from proxy headers. Set it only if all requests come through TRUSTED_PROXIES.',
  ),
  TRUSTED_PROXIES: setting(
    networks,
    '127.0.0.0/8,::1',
    'Addresses of the reverse proxies whose headers are trusted if TRUST_PROXY_HEADERS is true.',
  ),
  CLIENT_IP_HEADER: optional(
    addressHeader,
    'The one header in which your proxy names the client. Other headers then count for nothing.',
  ),
  OWNER_ADDRESSES: optional(
    networks,
    'Addresses of yours: they are never banned and never wait to sign in, so nobody can lock you out of them.',
  ),
  HOST_SERVER: optional(
    origin,
    'Address under which browsers reach the service, for links in mails. Without it, links name the address it listens on.',
  ),
  ALLOWED_HOSTS: optional(
    hosts,
    'Additional host names that the service accepts, such as that of a tunnel. localhost and IP addresses are always accepted.',
  ),
  CORS_ENABLED: setting(
    flag,
    'false',
    'Lets pages of CORS_ALLOWED_ORIGINS call /api/v1. Routes that take a session cookie stay closed to them.',
  ),
  CORS_ALLOWED_ORIGINS: optional(originsOrAny, 'Origins whose pages may call /api/v1. Without it, none may.'),
  CORS_ALLOWED_METHODS: setting(names, 'GET,POST,DELETE,PUT,PATCH', 'Methods that these pages may use.'),
  CORS_ALLOWED_HEADERS: setting(
    names,
    'Content-Type,Authorization,X-Requested-With',
    'Request headers that these pages may send, such as X-API-KEY.',
  ),
  CORS_EXPOSED_HEADERS: optional(names, 'Response headers that these pages may read, such as X-Svc-Code.'),
  CORS_ALLOW_CREDENTIALS: setting(
    flag,
    'false',
    'Lets these pages send cookies and TLS certificates. Not allowed while CORS_ALLOWED_ORIGINS is *.',
  ),
  CORS_MAX_AGE: setting(
    integer(0, 86_400, 'seconds'),
    '86400',
    'How long a browser may remember the answer to its preflight request.',
  ),
}
