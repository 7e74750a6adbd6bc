import { type BrokerContext, BrokerError } from '../../broker.js'
import { masterAddress } from '../http/addresses.js'
import { BrokerHttp } from '../http/http.js'
import { type BrokerHttpResponse, isSuccess, LARGEST_FILE_BYTES } from '../http/response.js'

/** A broker's file of all instruments. */
interface MasterFile {
  /** A host, or the whole address of the file. */
  endpoint: string
  /** Where the host has it. */
  path: string
  timeoutMs: number
}

/**
 * Downloads a broker's master, for which nobody signs in.
 * @throws BrokerError `not_found` if the host has no such file, `unavailable` after any other failure
 */
export async function masterFile(
  { budgets, clock }: Pick<BrokerContext, 'budgets' | 'clock'>,
  { endpoint, path, timeoutMs }: MasterFile,
): Promise<BrokerHttpResponse> {
  const { origin, pathname, search } = new URL(masterAddress(endpoint, path))
  const http = new BrokerHttp({ clock, budgets, baseUrl: origin, headers: {}, secrets: [], timeoutMs })
  const request = { method: 'GET', path: `${pathname}${search}` } as const
  const answer = await http.send({ ...request, largestBytes: LARGEST_FILE_BYTES })
  if (isSuccess(answer)) return answer
  const { status } = answer
  throw new BrokerError(
    status === 404 ? 'not_found' : 'unavailable',
    `The list of instruments could not be downloaded (HTTP ${status}).`,
    { sent: 'yes', brokerStatus: status },
  )
}
