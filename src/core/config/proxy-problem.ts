import { flag } from './kinds.js'
import type { Environment } from './load.js'
import type { ConfigKey } from './schema.js'
import { storedSettings } from './stored-settings.js'

/** A weakness of the settings about proxies, and its repair. */
interface ProxyProblem {
  problem: string
  repair: string
}

/**
 * Returns why a client could make up its own address, or why a setting about proxies has no effect, with the
 * settings of this home and environment.
 */
export function proxyProblem(home: string, env: Environment): ProxyProblem | undefined {
  const settings = storedSettings(home, env)
  const find = (name: ConfigKey) => settings.find(({ key }) => key === name)
  const isSet = (name: ConfigKey) => find(name)?.origin !== 'default'
  const isTrusting = flag.schema.safeParse(find('TRUST_PROXY_HEADERS')?.value).data === true
  if (isTrusting) {
    return isSet('CLIENT_IP_HEADER')
      ? undefined
      : {
          problem:
            'TRUST_PROXY_HEADERS is on, but CLIENT_IP_HEADER is not set: a client can make up its address in any header that your proxy does not set',
          repair: 'svc config set CLIENT_IP_HEADER X-Real-IP (the header that your proxy sets)',
        }
  }
  return isSet('TRUSTED_PROXIES') || isSet('CLIENT_IP_HEADER')
    ? {
        problem: 'TRUSTED_PROXIES and CLIENT_IP_HEADER have no effect while TRUST_PROXY_HEADERS is off',
        repair: 'svc config set TRUST_PROXY_HEADERS true, or remove the other two',
      }
    : undefined
}
