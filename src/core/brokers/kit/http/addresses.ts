/** Files that brokers list their instruments in. */
const FILE = /\.(csv|json|gz|zip)$/i

/**
 * Returns the address of a path at an endpoint: a host, a host with a path before it, or one that ends with the beginning of the
 * path or all of it, which is not repeated. So `https://api.example.com/v2` and `/v2/orders` are one address.
 * @throws TypeError if the endpoint is no address
 */
export function addressAt(endpoint: string, path: string): string {
  const { origin, pathname } = new URL(endpoint)
  const before = pathname.split('/').filter((part) => part !== '')
  const after = path.split('/').slice(1)
  const isShared = (count: number) =>
    after.slice(0, count).every((part, place) => before[before.length - count + place] === part)
  let shared = Math.min(before.length, after.length)
  while (shared > 0 && !isShared(shared)) shared -= 1
  return [origin, ...before, ...after.slice(shared)].join('/')
}

/** Returns the address of a broker's master. An endpoint that names a file is that address, whatever the broker's file is called. */
export function masterAddress(endpoint: string, path: string): string {
  return FILE.test(new URL(endpoint).pathname) ? endpoint : addressAt(endpoint, path)
}
